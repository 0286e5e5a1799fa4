#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <utility>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/suggest.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/submission/server.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/findings_text.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/text_output.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

const submission::Server& find_server(const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const submission::Server* server : submission::servers_with_form()) {
    if (base::equal_letters(wanted, server->form)) return *server;
    names.push_back(server->form);
  }
  throw UsageError("--to: " + base::no_such("form", wanted, names));
}

// Describes the forms: "evalai (…), reverie (…) or vlnce (…)".
std::string describe_forms() {
  const std::vector<const submission::Server*> servers = submission::servers_with_form();
  std::string text;
  for (std::size_t k = 0; k < servers.size(); ++k) {
    const char* before = k == 0 ? "" : k + 1 < servers.size() ? ", " : " or ";
    text += fmt::format("{}{} ({})", before, servers[k]->form, servers[k]->help);
  }
  return text;
}

std::string names_of_forms() {
  std::vector<std::string_view> names;
  for (const submission::Server* server : submission::servers_with_form())
    names.push_back(server->form);
  return fmt::format("{}", fmt::join(names, "|"));
}

// Refuses a dataset of another kind than the form's.
void check_kind(const submission::Server& server, const formats::Dataset& dataset) {
  const bool is_own = &submission::server_of(dataset) == &server;
  if (server.takes_positions ? dataset.episodes.has_value() : is_own) return;
  throw UsageError(fmt::format("--to {} is not for {}, which was read as {}", server.form,
                               dataset.file, dataset.task->title));
}

class ConvertCommand {
 public:
  explicit ConvertCommand(Command& command) {
    command.add_option("predictions", predictions_, "prediction file; - is standard input")
        .name_value("FILE")
        .require()
        .check(not_empty());
    command.add_option("--to", to_, describe_forms())
        .name_value(names_of_forms())
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
    const submission::Server& server = find_server(to_);
    if (assumes_stop_ && !server.says_stops) {
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
      formats::StringTable viewpoints;
      const formats::Predictions read = read_alone(server, viewpoints);
      write(server, read, nullptr, report, io);
      report += "what the server would say is not checked: name --dataset FILE" +
                std::string(server.takes_positions ? "\n" : " and --graphs DIR\n");
    } else {
      evaluation::Inputs inputs(files_, {.documents = true}, evaluation::EpisodeUse::taken);
      check_kind(server, inputs.dataset);
      std::string text = write(server, inputs.agents.front(), &inputs.dataset, report, io);
      inputs.replace_agents(out_.name(), std::move(text));
      report += checks(inputs, server, io);
    }
    out_.beside(io) << report;
  }

 private:
  formats::Predictions read_alone(const submission::Server& server,
                                  formats::StringTable& viewpoints) const {
    const io::Reading reading(files_.max_input_bytes);
    if (server.takes_positions) {
      return formats::read_position_predictions(predictions_, std::nullopt, reading, true);
    }
    return formats::read_predictions(predictions_, std::nullopt, viewpoints, true, reading);
  }

  // Writes the submission and says what was done. Returns its text.
  std::string write(const submission::Server& server, const formats::Predictions& read,
                    const formats::Dataset* dataset, std::string& report, Io& io) const {
    if (read.entries.empty()) {
      throw InputError({read.file}, "has no predictions", "name the agent's whole output");
    }
    submission::Conversion made = server.convert(server, read, dataset, assumes_stop_);
    out_.write(made.text, io);
    report = describe(read);
    const std::string name = base::clean_text(out_.name());
    report +=
        fmt::format("{}: {}, {}\n", name, server.title, io::counted(made.entries, "prediction"));
    for (const std::string& note : made.notes) report += fmt::format("{}: {}\n", name, note);
    return std::move(made.text);
  }

  // Says what the server would say of what was written.
  std::string checks(evaluation::Inputs& inputs, const submission::Server& server, Io& io) const {
    const std::vector<submission::Finding> findings = server.check(server, inputs, 0);
    std::string text = note_on(server, *inputs.dataset.task) + findings_text(findings);
    text += fmt::format("{}: {}\n", base::clean_text(out_.name()), verdict(findings));
    if (submission::outcome(findings) == submission::Outcome::harmless) return text;
    io.exit_code = 1;
    if (server.takes_positions) return text;
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

}  // namespace warpath::cli
