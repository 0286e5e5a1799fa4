#include <fmt/format.h>

#include <memory>
#include <utility>

#include "host/cli/commands.hpp"
#include "host/cli/dataset_options.hpp"
#include "host/cli/scoring_options.hpp"
#include "host/evaluation/inputs.hpp"
#include "host/evaluation/refusals.hpp"
#include "host/generators/baseline_predictions.hpp"
#include "host/io/clean_text.hpp"
#include "host/io/counted.hpp"
#include "host/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

class BaselineCommand {
 public:
  explicit BaselineCommand(CLI::App& command) : files_(command), scoring_(command) {
    command
        .add_option("agent", agent_,
                    "stop (stays at the start), shortest (a shortest path to the goal), reference "
                    "(follows it), random-heading (the simulator's random agent: draws a heading "
                    "and goes that way, five moves at most), oracle-stop (cuts each of "
                    "--predictions at its viewpoint nearest to the goal)")
        ->required()
        ->check(not_empty());
    command
        .add_option("--predictions", predictions_,
                    "of oracle-stop: the file to cut; - is standard input")
        ->type_name("FILE")
        ->group("Files")
        ->check(not_empty());
    command.add_option("--seed", baseline_.seed, "number that random-heading is drawn from")
        ->capture_default_str()
        ->check(whole_number());
    out_.add_to(command);
    output_.add_to(command, "a row per item");
  }

  void run(Io& io) {
    baseline_.agent = find_baseline_agent(agent_);
    const ReportRequest request = scoring_.request(io);
    output_.begin();
    const EvalFiles files = chosen_files();
    check_files(files);
    baseline_.distance = request.convention.distance;

    auto inputs = std::make_unique<Inputs>(files);
    const bool is_test = is_test_split(inputs->dataset);
    if (is_test && (needs_goal() || !out_.is_wanted() || output_.has_files())) {
      refuse_test_split(inputs->dataset);
    }
    const std::string text = baseline_predictions(baseline_, *inputs);
    if (is_test) return write_unscored(*inputs, text, io);
    replace_predictions(*inputs, text);
    Evaluator evaluator(std::move(inputs));
    write(make_report(evaluator, request), text, io);
  }

 private:
  bool needs_goal() const {
    return baseline_.agent != BaselineAgent::stop &&
           baseline_.agent != BaselineAgent::random_heading;
  }

  EvalFiles chosen_files() const {
    EvalFiles files = files_.files();
    const bool cuts = baseline_.agent == BaselineAgent::oracle_stop;
    if (cuts && predictions_.empty()) {
      throw UsageError("oracle-stop cuts another agent's predictions: name --predictions FILE");
    }
    if (!cuts && !predictions_.empty()) {
      throw UsageError(
          fmt::format("--predictions is for oracle-stop: {} makes its own", name(baseline_.agent)));
    }
    if (cuts) files.predictions = {predictions_};
    return files;
  }

  void check_files(const EvalFiles& files) const {
    std::vector<OutputOption> outputs = output_.outputs();
    outputs.push_back(out_.option());
    check_outputs(outputs, files);
    out_.check();
  }

  // Puts the agent's predictions into the place of those that were read, as if they were in a file.
  void replace_predictions(Inputs& inputs, const std::string& text) const {
    const std::string agent(name(baseline_.agent));
    const std::string file = label(agent);
    inputs.files.predictions = {file};
    inputs.files.names = {agent};
    inputs.agents.clear();
    inputs.agents.push_back(parse_predictions(file, text, inputs.viewpoints));
  }

  // Says in reports what the predictions are: their file, or how they were made.
  std::string label(const std::string& agent) const {
    if (out_.is_stdout()) return "standard output";
    if (out_.is_wanted()) return out_.file();
    if (baseline_.agent == BaselineAgent::random_heading) {
      return fmt::format("baseline {}, seed {}", agent, baseline_.seed);
    }
    if (baseline_.agent == BaselineAgent::oracle_stop) {
      return fmt::format("baseline {} of {}", agent, input_name(predictions_));
    }
    return "baseline " + agent;
  }

  void write(const EvalReport& report, const std::string& text, Io& io) const {
    OutputFiles written;
    if (out_.is_wanted() && !out_.is_stdout()) written.add(out_.file(), text);
    if (!out_.is_stdout()) return output_.write(texts_of(report), written, io);
    io.out << text;
    Io beside{io.err, io.err};  // output for programs is kept free of text for people
    output_.write(texts_of(report), written, beside);
  }

  void write_unscored(const Inputs& inputs, const std::string& text, Io& io) const {
    if (out_.is_stdout()) {
      io.out << text;
    } else {
      OutputFiles written;
      written.add(out_.file(), text);
      written.commit();
    }
    if (output_.is_quiet()) return;
    (out_.is_stdout() ? io.err : io.out) << fmt::format(
        "{}: {} written; no scores, because {} is a test split, without goals\n",
        out_.is_stdout() ? "standard output" : clean_text(out_.file()),
        counted(inputs.dataset.items.size(), "prediction"), clean_text(inputs.dataset.file));
  }

  DatasetOptions files_;
  ScoringOptions scoring_;
  ReportOptions output_;
  PredictionOutput out_;
  Baseline baseline_;
  std::string agent_, predictions_;
};

}  // namespace

void add_baseline(CLI::App& app, Io& io) {
  CLI::App* command =
      app.add_subcommand("baseline", "Score a simple agent, and write its predictions");
  auto options = std::make_shared<BaselineCommand>(*command);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
