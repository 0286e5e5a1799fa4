#include "host/submission/convert.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "host/cli/commands.hpp"
#include "host/cli/findings_text.hpp"
#include "host/cli/options.hpp"
#include "host/cli/text_output.hpp"
#include "host/definitions/suggest.hpp"
#include "host/formats/position_predictions.hpp"
#include "host/io/clean_text.hpp"
#include "host/io/counted.hpp"
#include "host/submission/validate.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

// Names a form by the server that takes it.
struct FormName {
  std::string_view name;
  Server server;
  std::string_view title;
};

constexpr std::array<FormName, 4> forms{{
    {"evalai", Server::r2r, "submission to R2R's server"},
    {"reverie", Server::reverie, "submission to REVERIE's server"},
    {"vlnce", Server::vlnce, "submission to VLN-CE's server"},
    {"rxr-habitat", Server::rxr_habitat, "submission to RxR-Habitat's server"},
}};

bool is_of_positions(Server server) {
  return server == Server::vlnce || server == Server::rxr_habitat;
}

const FormName& find_form(const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const FormName& form : forms) {
    if (equal_letters(wanted, form.name)) return form;
    names.push_back(form.name);
  }
  throw UsageError("--to: " + no_such("form", wanted, names));
}

// Refuses a dataset of another kind than the form's.
void check_kind(const FormName& form, const Dataset& dataset) {
  const Server own = server_of(dataset);
  if (is_of_positions(form.server) ? dataset.episodes.has_value() : own == form.server) return;
  throw UsageError(fmt::format("--to {} is not for {}, which was read as {}", form.name,
                               dataset.file, title(dataset.format)));
}

class ConvertCommand {
 public:
  explicit ConvertCommand(Command& command) {
    command.add_option("predictions", predictions_, "prediction file; - is standard input")
        .name_value("FILE")
        .require()
        .check(not_empty());
    command
        .add_option("--to", to_,
                    "evalai (R2R's list of instr_id and trajectory), reverie (the same with "
                    "predObjId), vlnce (positions, headings and stops of each episode) or "
                    "rxr-habitat (lines of instruction_id and path)")
        .name_value("evalai|reverie|vlnce|rxr-habitat")
        .require()
        .check(not_empty());
    command.add_option("--assume-stop", assumes_stop_,
                       "vlnce: end each path that says nothing of stops with one");
    add_dataset_option(command, files_.dataset);
    add_graphs_option(command, files_.graphs).require(false);
    add_max_input_option(command, files_.max_input_bytes);
    out_.add_to(command, "write the submission; - is standard output").require();
  }

  void run(Io& io) {
    const FormName& form = find_form(to_);
    if (assumes_stop_ && form.server != Server::vlnce) {
      throw UsageError("--assume-stop is for --to vlnce: no other form says where an agent stops");
    }
    if (!files_.graphs.empty() && files_.dataset.empty()) {
      throw UsageError("--graphs is for the checks of a dataset: name it by --dataset");
    }
    files_.predictions = {predictions_};
    check_outputs({out_.option()}, files_);
    out_.check();
    std::string report;
    if (files_.dataset.empty()) {
      StringTable viewpoints;
      const Predictions read = read_alone(form, viewpoints);
      write(form, read, nullptr, report, io);
      report += "what the server would say is not checked: name --dataset FILE" +
                std::string(is_of_positions(form.server) ? "\n" : " and --graphs DIR\n");
    } else {
      Inputs inputs(files_, {.documents = true}, EpisodeUse::taken);
      check_kind(form, inputs.dataset);
      std::string text = write(form, inputs.agents.front(), &inputs.dataset, report, io);
      inputs.replace_agents(out_.name(), std::move(text));
      report += checks(inputs, form, io);
    }
    out_.beside(io) << report;
  }

 private:
  Predictions read_alone(const FormName& form, StringTable& viewpoints) const {
    const Reading reading(files_.max_input_bytes);
    if (is_of_positions(form.server)) {
      return read_position_predictions(predictions_, std::nullopt, reading, true);
    }
    return read_predictions(predictions_, std::nullopt, viewpoints, true, reading);
  }

  // Writes the submission and says what was done. Returns its text.
  std::string write(const FormName& form, const Predictions& read, const Dataset* dataset,
                    std::string& report, Io& io) const {
    if (read.entries.empty()) {
      throw InputError({read.file}, "has no predictions", "name the agent's whole output");
    }
    Conversion made =
        is_of_positions(form.server)
            ? convert_positions(read, {form.server == Server::rxr_habitat, assumes_stop_}, dataset)
            : convert_viewpoints(read, form.server, dataset);
    out_.write(made.text, io);
    report = describe(read);
    const std::string name = clean_text(out_.name());
    report += fmt::format("{}: {}, {}\n", name, form.title, counted(made.entries, "prediction"));
    for (const std::string& note : made.notes) report += fmt::format("{}: {}\n", name, note);
    return std::move(made.text);
  }

  // Says what the server would say of what was written.
  std::string checks(Inputs& inputs, const FormName& form, Io& io) const {
    const std::vector<Finding> findings = validate(inputs, 0, form.server);
    std::string text = note_on(form.server, inputs.dataset.format) + findings_text(findings);
    text += fmt::format("{}: {}\n", clean_text(out_.name()), verdict(findings));
    if (outcome(findings) == Outcome::harmless) return text;
    io.exit_code = 1;
    if (is_of_positions(form.server)) return text;
    return text +
           "convert changes the form alone: warpath validate --fix fills gaps and leaves "
           "out what cannot be repaired\n";
  }

  EvalFiles files_;
  TextOutput out_;
  std::string predictions_, to_;
  bool assumes_stop_ = false;
};

}  // namespace

void add_convert(Command& program, Io& io) {
  Command& command = program.add_command(
      "convert", "Write predictions in the form that a server takes, EvalAI's or RxR-Habitat's");
  auto options = std::make_shared<ConvertCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath
