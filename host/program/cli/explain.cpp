#include "host/program/report/explain.hpp"

#include <fmt/format.h>

#include <memory>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/reward_options.hpp"
#include "host/program/report/explain_rewards.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

struct ExplainCommand {
  explicit ExplainCommand(Command& command) : files(command), conventions(command) {
    command.add_option("--item", item, "the instr_id to explain").require();
    command
        .add_option("--rewards", reward,
                    "explain rewards instead, term by term: a reward of warpath presets --rewards, "
                    "with settings if they are to differ, e.g. hamt,tie=zero")
        .check(not_empty());
    command.add_option("--timed-out", is_timed_out,
                       "with --rewards: the path ends because its time was up, not with a stop");
  }

  void run(Io& io) {
    if (reward.empty() && is_timed_out) {
      throw UsageError("--timed-out changes rewards: name one by --rewards");
    }
    if (!reward.empty()) return explain_rewards_of_item(io);
    const Convention convention = conventions.convention();
    evaluation::Inputs inputs(files.files(), {.instructions = true}, evaluation::EpisodeUse::taken);
    evaluation::refuse_test_split(inputs.dataset);
    io.out << report::explain(inputs, item, convention, io.terminal.width);
  }

  void explain_rewards_of_item(Io& io) {
    RewardSettings settings = parse_reward(reward);
    settings.convention = conventions.convention_from(settings.convention);
    evaluation::Inputs inputs(files.files(), {.instructions = true},
                              evaluation::EpisodeUse::with_distances);
    evaluation::refuse_test_split(inputs.dataset);
    const auto explain =
        inputs.dataset.has_positions() ? report::explain_episode_rewards : report::explain_rewards;
    io.out << explain(inputs, item, settings, !is_timed_out, io.terminal.width);
  }

  FileOptions files;
  ConventionOptions conventions;
  std::string item, reward;
  bool is_timed_out = false;
};

}  // namespace

void add_explain(Command& program, Io& io) {
  Command& command = program.add_command(
      "explain", "Explain the scores of one item, or its rewards: alignment, every term");
  auto options = std::make_shared<ExplainCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
