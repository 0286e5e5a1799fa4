#include "host/checks/selftest/reward_checks.hpp"

#include <string_view>

#include "host/checks/pairs.hpp"
#include "host/checks/reward_runs.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

constexpr std::uint32_t max_query = 12;

// Rewards rollouts and runs episodes under settings that need every set of quantities.
void check_under_presets(cuda::Device& device, const Rollouts& rollouts, Mismatches& found) {
  Rollouts without_first = rollouts;
  leave_out_first(without_first);
  for (const char* preset : {"ndtw-gain", "hamt", "cls-gain", "babywalk-mix", "etp-r1-rxr"}) {
    const bool leaves_out = std::string_view(preset) == "etp-r1-rxr";
    RewardRuns runs(device, leaves_out ? without_first : rollouts,
                    find_reward_preset(preset).settings, {}, {2, 4, true});
    runs.compute(false, false);
    runs.compute(true, false);
    runs.add_up();
    runs.compare_groups();
    runs.reset();
    runs.step(1, false);
    runs.fork();
    runs.step(2, false);
    runs.extend();
    runs.finish();
    runs.find_bad_element();
    found.add(runs.found());
  }
}

}  // namespace

Check check_rewards(cuda::Device& device, std::size_t rollouts, std::uint64_t seed) {
  Random random(seed);
  Mismatches found;
  for (const std::size_t longest : {8, 12, 16, 40}) {
    const SyntheticBatch made =
        uniform_pairs(random, {"", {1, longest}, {1, max_query}, 60, 1}, rollouts);
    check_under_presets(device, rollouts_of(made.batch, true), found);
  }
  return counted("same bits: rewards, every kernel", found);
}

Check check_point_rewards(cuda::Device& device, std::size_t rollouts, std::uint64_t seed) {
  Random random(seed);
  Mismatches found;
  const auto count = static_cast<std::uint32_t>(rollouts);
  for (const std::uint32_t longest : {16u, 40u}) {
    check_under_presets(device, random_point_rollouts(random, count, longest, max_query), found);
  }
  return counted("same bits: rewards of points, every kernel", found);
}

}  // namespace warpath::selftest
