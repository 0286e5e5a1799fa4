#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>

#include "host/core/base/progress.hpp"
#include "host/core/definitions/setting_text.hpp"
#include "host/files/evaluation/describe_inputs.hpp"
#include "host/files/io/output_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/reward_options.hpp"
#include "host/program/report/reward_report.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

class RewardsCommand {
 public:
  explicit RewardsCommand(Command& command) : files_(command, false), rewards_(command) {
    const char* rollouts = "Rollouts";
    command.add_option("--discount", request_.discount, "of returns, from 0 to 1")
        .put_in(rollouts)
        .show_default()
        .check(number_within(0.0, 1.0));
    command
        .add_option(
            "--timed-out", timed_out_,
            "items whose paths end without a stop, because their time was up, or all; "
            "other paths are taken to end with one, unless a file of positions says otherwise")
        .name_value("ID,...")
        .put_in(rollouts)
        .check(not_empty());
    command
        .add_option("--group-by", group_by_,
                    "item: adds each path's total and its advantage among the paths of its item "
                    "(GRPO), which --duplicates each keeps all")
        .name_value("item")
        .put_in(rollouts)
        .check(not_empty());
    const char* report = "Report";
    command
        .add_option("--by", by_,
                    "rows by scan, by length (viewpoints of the reference) or by language")
        .put_in(report)
        .check(not_empty());
    command.add_option("--strict", request_.strict, "refuse items that are only noted, too")
        .put_in(report);
    command.add_option("--quiet", quiet_, "no table").put_in(report);
    const char* output = "Output files";
    command.add_option("--csv", csv_, "write a row per step; - is standard output")
        .name_value("FILE")
        .put_in(output)
        .check(not_empty());
    command.add_option("--jsonl", jsonl_, "write an object per item; - is standard output")
        .name_value("FILE")
        .put_in(output)
        .check(not_empty());
  }

  void run(Io& io) {
    if (quiet_) base::hide_progress();
    report::RewardReport report = begin();
    const EvalFiles files = files_.files();
    evaluation::require_one_reference(files);
    check_outputs({{"--csv", csv_}, {"--jsonl", jsonl_}}, files);
    // Holds the scans whose viewpoints the report names.
    evaluation::Inputs inputs(files, {}, evaluation::EpisodeUse::with_distances);
    report.agents = evaluation::reward_agents(inputs, report.request);
    static_cast<InputDescription&>(report) = evaluation::describe_inputs(inputs);
    for (std::size_t a = 0; inputs.dataset.episodes && a < report.agents.size(); ++a) {
      const AgentResult& agent = report.agents[a].agent;
      report.warnings.push_back(
          agent.name + ": " +
          (inputs.grids ? inputs.grids->description(a) : agent.format_description));
    }
    report.have_stops = inputs.dataset.episodes && !inputs.dataset.is_pairs &&
                        report.request.settings.convention.stop == Stop::required;
    write(report, io);
  }

 private:
  // Returns what the options ask for, before any file is read.
  report::RewardReport begin() const {
    report::RewardReport report;
    report.request = request_;
    report.request.settings = rewards_.settings();
    report.request.group_by_item = groups_by_item();
    report.request.all_timed_out = timed_out_ == "all";
    if (timed_out_ != "all") report.request.timed_out = split_list(timed_out_);
    report.by = find_group_by(by_);
    return report;
  }

  bool groups_by_item() const {
    if (group_by_.empty()) return false;
    constexpr std::string_view words[] = {"item"};
    try {
      return definitions::find_word(group_by_, words) == 0;
    } catch (const UsageError& e) {
      throw UsageError(fmt::format("--group-by: {}", e.what()));
    }
  }

  // A failure, of standard output too, leaves no file.
  void write(const report::RewardReport& report, Io& io) const {
    io::OutputFiles written;
    std::string to_stdout;
    const auto add = [&](const std::string& file, std::string text) {
      if (file == "-")
        to_stdout += text;
      else
        written.add(file, std::move(text));
    };
    if (!csv_.empty()) {
      add(csv_, report::reward_csv(report, {csv_ == "-" && io.terminal.is_terminal}));
    }
    if (!jsonl_.empty()) add(jsonl_, report::reward_jsonl(report));
    try {
      std::ostream& tables = to_stdout.empty() ? io.out : io.err;
      if (!quiet_) tables << report::reward_summary(report, {io.terminal.width, false});
      io.out << to_stdout << std::flush;
    } catch (const io::ReaderGone&) {
      written.commit();
      throw;
    }
    if (io.out) written.commit();
  }

  FileOptions files_;
  RewardSettingOptions rewards_;
  evaluation::RewardRequest request_;
  std::string timed_out_, group_by_, by_ = "none", csv_, jsonl_;
  bool quiet_ = false;
};

}  // namespace

void add_rewards(Command& program, Io& io) {
  Command& command = program.add_command(
      "rewards", "Reward predictions as rollouts of reinforcement learning, step by step");
  auto options = std::make_shared<RewardsCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
