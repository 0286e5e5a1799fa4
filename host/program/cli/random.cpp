#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "host/core/base/progress.hpp"
#include "host/files/io/interrupt.hpp"
#include "host/files/io/whole_number.hpp"
#include "host/program/cli/cli.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/dataset_options.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/report_options.hpp"
#include "host/program/report/make_report.hpp"
#include "host/program/report/walk_report.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

class RandomCommand {
 public:
  explicit RandomCommand(Command& command) : files_(command) {
    add_walks(command);
    // Walks begin at their start, stay on edges, and are there; every instruction counts its steps.
    conventions_.emplace(
        command, std::initializer_list<std::string_view>{"start", "adjacency", "instructions",
                                                         "missing", "duplicates"});
    command.add_option("--metrics", metrics_, "comma-separated names, or all")
        .put_in("Report")
        .check(not_empty());
    add_backend_option(command, backend_).put_in("Report");
    output_.add_to(command, "a row per metric");
  }

  void run(Io& io) {
    report::WalkReport report;
    report.convention = conventions_->convention();
    report.metrics = metrics_.empty() ? all_metrics() : parse_metrics(metrics_);
    report.printed = metrics_.empty() ? report::headline_metrics() : report.metrics;
    const Backend backend = find_backend(backend_);
    read_recipe(report);
    output_.begin();
    check_files();

    const RandomBaseline baseline(chosen_files(io), seed_, report.sample);
    io::OutputFiles written;
    if (!save_.empty() && io.is_writer()) save_pairs(baseline, written);
    if (!score(baseline, backend, report, io) || !io.is_writer()) return;
    report::describe_walks(baseline, report);
    output_.write(ReportTexts(report), written, io);
  }

 private:
  void add_walks(Command& command) {
    const char* group = "Walks";
    command.add_option("--walks", walks_, "how many")
        .put_in(group)
        .require()
        .check(whole_number(1));
    command.add_option("--seed", seed_, "number that the walks are drawn from")
        .put_in(group)
        .show_default()
        .check(whole_number());
    command
        .add_option("--steps-from", steps_from_,
                    "dataset whose references' edges say how often a walk takes how many "
                    "steps (default: --dataset)")
        .put_in(group)
        .check(not_empty());
    command.add_option("--steps", steps_, "steps of every walk, instead")
        .put_in(group)
        .check(whole_number(0, max_walk_steps))
        .exclude("--steps-from");
    command
        .add_option("--sample", sample_,
                    "the reference of walk k: number k modulo their number, or a random one")
        .name_value(names_of({WalkSample::cycle, WalkSample::uniform}))
        .put_in(group)
        .show_default()
        .check(not_empty());
    command
        .add_option("--shard", shard_,
                    "the k-th of n parts of the run, such as 1/4; warpath merge joins their JSON "
                    "files")
        .name_value("K/N")
        .put_in(group)
        .check(not_empty());
    command
        .add_option("--save", save_,
                    "write the first walks of the whole run, in any shard of it, as a pairs file, "
                    "for warpath eval --pairs")
        .name_value("NUMBER FILE")
        .expect_values(2)
        .put_in(group)
        .check(not_empty());
    command.add_option("--force", force_, "let --save replace a file that is there").put_in(group);
  }

  static std::vector<Metric> all_metrics() { return parse_metrics("all"); }

  void read_recipe(report::WalkReport& report) {
    report.walks = walks_;
    report.seed = seed_;
    report.sample = find_walk_sample(sample_);
    if (!shard_.empty()) report.shard = report::parse_shard(shard_);
    if (report.count() == 0) {
      throw UsageError(
          fmt::format("--shard {} has none of {} walks: make fewer shards", shard_, walks_));
    }
    if (report.shard && output_.has_flat_names()) {
      throw UsageError(
          "--flat-names leaves out the sums by which shards are merged: say it at "
          "warpath merge");
    }
    if (!save_.empty()) read_save();
  }

  void read_save() {
    const auto number = io::parse_count(save_[0]);
    if (!number || *number < 1 || *number > walks_) {
      throw UsageError(fmt::format(
          "--save: '{}' is no whole number from 1 to {}, the number of walks", save_[0], walks_));
    }
    saved_walks_ = *number;
    if (save_[1] == "-" || save_[1].ends_with(".gz")) {
      throw UsageError(
          fmt::format("--save writes plain JSON Lines to a file: '{}' is no name for "
                      "one, walks.jsonl is",
                      save_[1]));
    }
  }

  void check_files() const {
    const OutputOption save{"--save", save_.empty() ? "" : save_[1]};
    std::vector<OutputOption> outputs = output_.outputs();
    outputs.push_back(save);
    EvalFiles inputs = files_.files();
    if (!steps_from_.empty()) inputs.predictions.push_back(steps_from_);
    check_outputs(outputs, inputs);
    check_new(save, force_);
  }

  RandomBaselineFiles chosen_files(const Io& io) const {
    const EvalFiles dataset = files_.files();
    RandomBaselineFiles files;
    files.graphs = dataset.graphs;
    files.dataset = dataset.dataset;
    files.steps_from = steps_from_;
    files.steps = steps_;
    files.dataset_format = dataset.dataset_format;
    files.ndh_reference = dataset.ndh_reference;
    files.max_input_bytes = dataset.max_input_bytes;
    files.shared = io.shared;
    return files;
  }

  void save_pairs(const RandomBaseline& baseline, io::OutputFiles& written) const {
    constexpr std::uint64_t part_walks = 4096;
    base::Progress progress("saving", saved_walks_, "walks");
    std::uint64_t saved = 0;
    const io::OutputFiles::NextPart next = [&](std::string& part) {
      const std::uint64_t count = std::min(part_walks, saved_walks_ - saved);
      baseline.append_pairs(saved, count, part);
      saved += count;
      progress.add(count);
      return count > 0;
    };
    written.add(save_[1], next,
                force_ ? io::OutputFiles::Old::replaced : io::OutputFiles::Old::kept);
  }

  // Scores the walks. Returns false if a signal came before the first of them were done.
  bool score(const RandomBaseline& baseline, Backend backend, report::WalkReport& report,
             Io& io) const {
    RandomBaselineOptions options;
    options.first = report.first();
    options.walks = report.count();
    options.backend = backend;
    options.metrics = {};
    for (const Metric m : report.metrics) options.metrics.insert(m);
    std::optional<io::StopOnSignal> stop;
    if (io.shared == nullptr) stop.emplace();  // else a signal ends all processes
    options.is_stopped = [&] { return stop && stop->signal() != 0; };
    RandomBaselineResult result = baseline.statistics(report.convention, options);
    const int signal = stop ? stop->end() : 0;
    if (signal != 0) io.exit_code = code_of_signal(signal);
    if (result.walks == 0) {
      io.err << "warpath: interrupted before any walk was done\n";
      return false;
    }
    report.statistics = std::move(result.statistics);
    report.run_info = report::run_info_now(io.command_line, result.backend);
    return true;
  }

  DatasetOptions files_;
  std::string steps_from_;
  std::optional<std::uint32_t> steps_;
  std::optional<ConventionOptions> conventions_;
  ReportOptions output_;
  std::uint64_t walks_ = 0, seed_ = 1, saved_walks_ = 0;
  std::string sample_ = "cycle", shard_, metrics_, backend_ = "auto";
  std::vector<std::string> save_;  // number and file; empty: not given
  bool force_ = false;
};

}  // namespace

void add_random(Command& program, Io& io) {
  Command& command = program.add_command(
      "random", "Score random walks against a dataset's references, the papers' random agent");
  auto options = std::make_shared<RandomCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
