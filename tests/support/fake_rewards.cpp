#include <gtest/gtest.h>

#include <string>
#include <type_traits>

#include "kernels/bodies/check_episodes.hpp"
#include "kernels/bodies/reward_episodes.hpp"
#include "kernels/bodies/reward_groups.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/rewards/group_advantages.hpp"
#include "kernels/rewards/returns.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/fake_kernels.hpp"
#include "tests/support/fiber_lanes.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {

using namespace kernels;

namespace {

// Runs the body of a kernel for element i of a view.
template <int K, unsigned Quantities, bool Strips>
void run(const RolloutsView& view, std::uint32_t i) {
  reward_one_rollout<ScalarLanes, K, Quantities, Strips>(view, i);
}
template <int K, unsigned Quantities, bool Strips>
void run(const ResetView& view, std::uint32_t i) {
  reset_episode<ScalarLanes, K, Quantities, Strips>(view, i);
}
template <int K, unsigned Quantities, bool Strips>
void run(const StepView& view, std::uint32_t i) {
  step_one_episode<ScalarLanes, K, Quantities, Strips>(view, i);
}
template <int K, unsigned Quantities, bool Strips>
void run(const FinishView& view, std::uint32_t i) {
  finish_episode<ScalarLanes, K, Quantities, Strips>(view, i);
}
template <int K, unsigned Quantities, bool Strips>
void run(const ExtensionsView& view, std::uint32_t i) {
  score_extension<ScalarLanes, K, Quantities, Strips>(view, i);
}

// Runs the body of the kernel whose groups of lanes have a rollout each, a warp of them at a time.
template <int K, unsigned Quantities>
void run_groups(const RolloutsView& view) {
  using Lanes = FiberLanes<reward_lanes, Fault::none, true>;
  FiberWarp warp(run_seed());
  for (std::uint32_t first = 0; first < view.count; first += FiberWarp::max_lanes / reward_lanes) {
    const std::string fault = warp.run(FiberWarp::max_lanes, [&](int lane) {
      const auto group = static_cast<std::uint32_t>(lane / reward_lanes);
      reward_rollout_of_group<Lanes, K, Quantities>(view, first + group);
    });
    EXPECT_EQ(fault, "");
  }
}

// Candidates are of each episode; a count is one of rollouts, or of episodes to begin.
std::uint32_t count_of(const auto& view) {
  if constexpr (requires { view.candidates; })
    return view.episodes.count * view.candidates;
  else if constexpr (requires { view.count; })
    return view.count;
  else
    return view.episodes.count;
}

template <int K, unsigned Quantities, bool Strips, class View>
void run_all(const View& view) {
  if constexpr (std::is_same_v<View, RolloutsView> && !Strips && !is_of_points<Quantities>)
    run_groups<K, Quantities>(view);
  else
    for (std::uint32_t i = 0; i < count_of(view); ++i) run<K, Quantities, Strips>(view, i);
}

template <unsigned Quantities, class View, int... K>
void run_shape(const View& view, const RewardShape& shape, RowList<K...>) {
  if (shape.in_strips) {
    EXPECT_EQ(shape.rows, reward_strip_rows) << "no kernel of those rows";
    return run_all<reward_strip_rows, Quantities, true>(view);
  }
  EXPECT_TRUE(RowList<K...>::has(shape.rows)) << "no kernel of those rows";
  ((shape.rows == K ? run_all<K, Quantities, false>(view) : void()), ...);
}

template <class View>
void run_set(const View& view, const RewardShape& shape) {
  if (shape.set == RewardSet::points) {  // there are kernels of one number of rows
    return run_shape<quantities_of(RewardSet::points)>(view, shape, RowList<reward_strip_rows>{});
  }
  if (shape.set == RewardSet::all) {
    return run_shape<quantities_of(RewardSet::all)>(view, shape, RewardRows{});
  }
  if (shape.set == RewardSet::ends) {  // episodes have no kernels of their own for it
    constexpr auto set = std::is_same_v<View, RolloutsView> ? RewardSet::ends : RewardSet::all;
    return run_shape<quantities_of(set)>(view, shape, RewardRows{});
  }
  if constexpr (std::is_same_v<View, RolloutsView>) {
    if (shape.set == RewardSet::ndtw_gain) {
      return run_shape<quantities_of(RewardSet::ndtw_gain)>(view, shape, RewardRows{});
    }
  }
  run_shape<quantities_of(RewardSet::dtw)>(view, shape, RewardRows{});
}

}  // namespace

void run_rewards_plainly(const RolloutsView& view, const RewardShape& shape) {
  run_set(view, shape);
}
void run_rewards_plainly(const ResetView& view, const RewardShape& shape) {
  run_set(view, shape);
}
void run_rewards_plainly(const StepView& view, const RewardShape& shape) {
  run_set(view, shape);
}
void run_rewards_plainly(const FinishView& view, const RewardShape& shape) {
  run_set(view, shape);
}
void run_rewards_plainly(const ExtensionsView& view, const RewardShape& shape) {
  run_set(view, shape);
}

void run_rewards_plainly(const CheckEpisodesView& view) {
  if (view.count == 0) return;
  *view.first_bad = ~0u;
  for (std::uint32_t k = 0; k < view.count && view.owner != nullptr; ++k) claim_episode(view, k);
  for (std::uint32_t k = 0; k < view.count; ++k) check_entry(view, k);
  describe_entry(view);
}
void run_rewards_plainly(const EpisodeValuesView& view) {
  for (std::uint32_t e = 0; e < view.episodes.count; ++e) write_values<ScalarLanes>(view, e);
}
void run_rewards_plainly(const CopyEpisodesView& view) {
  for (std::uint32_t k = 0; k < view.count; ++k) copy_episode(view, k);
}

void run_rewards_plainly(const ReturnsView& view) {
  for (std::uint32_t k = 0; k < view.count; ++k) add_up_rewards(view, k);
}
void run_rewards_plainly(const GroupsView& view) {
  for (std::uint32_t g = 0; g < view.group_count; ++g) compare_group(view, g);
}

std::string kernel_of(const cuda::RewardRollouts& rewards) {
  constexpr const char* sets[] = {"ndtw_gain", "dtw", "all", "ends", "points"};
  return std::string("rewards, ") + sets[static_cast<int>(rewards.shape.set)] + ", " +
         std::to_string(rewards.shape.rows) + (rewards.shape.in_strips ? ", strips" : "");
}

}  // namespace warpath::testing
