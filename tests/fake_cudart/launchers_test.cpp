// Tests the launchers, unchanged, on a runtime that records what is started: which kernel, how many
// blocks and threads, on which stream; and the code of every failing call.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <functional>

#include "kernels/launch/pack_pairs_launch.hpp"
#include "kernels/launch/rewards_launch.hpp"
#include "kernels/launch/statistics_launch.hpp"
#include "kernels/launch/walks_launch.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

constexpr int out_of_resources = 701;  // cudaErrorLaunchOutOfResources

// Returns a stream that is not used but is not the default one.
Stream some_stream() {
  static char stream;
  return reinterpret_cast<Stream>(&stream);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Launchers : public ::testing::Test {
 protected:
  void SetUp() override {
    cudart().begin();
    cudart().executes_kernels = false;
    cudart().multiprocessors = 132;
    cudart().registers = 64;
  }
  void TearDown() override {
    current_device() = 0;
    cudart().executes_kernels = true;
    cudart().multiprocessors = 1;
    cudart().registers = 128;
  }

  /// Returns the one kernel that a call starts, on a new device or on the same as before.
  KernelLaunch started(const std::function<int()>& launch, bool is_new = true) {
    cudart().begin();
    current_device() += is_new;
    EXPECT_EQ(launch(), 0);
    EXPECT_EQ(cudart().on_default_stream, 0);
    EXPECT_EQ(cudart().launches.size(), 1u);
    return cudart().launches.empty() ? KernelLaunch{} : cudart().launches[0];
  }

  /// Lets each runtime call in turn fail: the launcher returns its code and starts nothing.
  void expect_codes(const std::function<int()>& launch) {
    started(launch);
    const auto calls = static_cast<int>(cudart().calls.size());
    for (int k = 0; k < calls; ++k) {
      cudart().begin(k, out_of_resources);
      ++current_device();
      EXPECT_EQ(launch(), out_of_resources) << "call " << k << ": " << cudart().calls.back();
      EXPECT_TRUE(cudart().launches.empty());
    }
  }
};

std::string arguments(int K, unsigned want) {
  return "ILi" + std::to_string(K) + "ELj" + std::to_string(want) + "E";
}
std::string arguments(int K, unsigned want, bool edges) {
  return arguments(K, want) + "Lb" + (edges ? "1" : "0");
}

TEST_F(Launchers, StartTheTileKernelOfTheRowsAndQuantities) {
  const std::pair<QuantitySet, unsigned> masks[] = {
      {QuantitySet::dtw, quantities_of(QuantitySet::dtw)},
      {QuantitySet::alignment, quantities_of(QuantitySet::alignment)},
      {QuantitySet::all_edges, quantity_all},
      {QuantitySet::all_viewpoints, quantity_all}};
  const std::pair<TileKernel, const char*> kernels[] = {
      {TileKernel::shared_table, "score_in_shared_table"},
      {TileKernel::plain_table, "score_in_plain_table"},
      {TileKernel::shared_reference, "score_shared_reference"},
      {TileKernel::replicated_reference, "score_replicated_reference"}};
  TileView view{};
  view.max_slices = 1000;
  view.max_scan = 150;
  for (const auto& [kernel, name] : kernels) {
    for (const auto& [parts, want] : masks) {
      for (int n = 1; n <= 32; ++n) {
        const int rows = tile_rows(kernel, parts, n);
        if (rows == 0) continue;
        const KernelLaunch launch =
            started([&] { return score_tiles(view, kernel, parts, rows, some_stream()); });
        EXPECT_TRUE(
            has(launch.kernel, name + arguments(rows, want, parts != QuantitySet::all_viewpoints)))
            << launch.kernel;
        EXPECT_EQ(launch.shared_bytes,
                  4 * shared_floats(kernel, rows, 150, parts != QuantitySet::dtw));
        EXPECT_EQ(launch.threads % 32, 0u);
        EXPECT_LE(launch.threads, 512u);
        // As many blocks as fit at once; a table of 150 viewpoints leaves room for two blocks.
        EXPECT_LE(launch.blocks * launch.threads, 132u * 1024);
        EXPECT_GE(launch.blocks * launch.threads, 132u * 768);
      }
    }
  }
  view.max_slices = 3;
  EXPECT_EQ(started([&] {
              return score_tiles(view, TileKernel::plain_table, QuantitySet::goal, 1,
                                 some_stream());
            }).blocks,
            3u);
}

TEST_F(Launchers, StartTheWalkKernelOfTheRowsAndQuantities) {
  WalkView view{};
  view.end_slice = 1000;
  view.block_bytes = 60'000;
  for (const auto& [set, want] :
       {std::pair{QuantitySet::alignment, quantities_of(QuantitySet::alignment)},
        {QuantitySet::all_edges, unsigned{quantity_all}},
        {QuantitySet::all_viewpoints, unsigned{quantity_all}}}) {
    const bool edges = set != QuantitySet::all_viewpoints;
    for (const bool replicated : {true, false}) {
      const std::string name =
          replicated ? "score_walks_in_replicated_rows" : "score_walks_in_plain_rows";
      for (const int rows : {8, 12, 16, 20}) {
        const KernelLaunch launch =
            started([&] { return score_walks(view, replicated, set, rows, some_stream()); });
        EXPECT_TRUE(has(launch.kernel, name + arguments(rows, want, edges))) << launch.kernel;
        EXPECT_EQ(launch.shared_bytes, 60'000u);
        EXPECT_EQ(launch.threads % 32, 0u);
        EXPECT_LE(launch.threads, 512u);
        EXPECT_GE(launch.blocks * launch.threads, 132u * 384);
      }
    }
    const KernelLaunch repeat =
        started([&] { return repeat_noted_walks(view, set, some_stream()); });
    EXPECT_TRUE(has(repeat.kernel, "repeat_walks" + arguments(20, want, edges))) << repeat.kernel;
  }
  view.end_slice = 3;
  EXPECT_EQ(started([&] {
              return score_walks(view, true, QuantitySet::alignment, 12, some_stream());
            }).blocks,
            3u);
  EXPECT_NE(score_walks(view, true, QuantitySet::goal, 12, some_stream()), 0);
  EXPECT_NE(score_walks(view, true, QuantitySet::alignment, 10, some_stream()), 0);
}

// A view without elements starts one block, which loads the kernel.
TEST_F(Launchers, StartTheRewardKernelOfTheShape) {
  const std::pair<RewardSet, unsigned> sets[] = {{RewardSet::ndtw_gain, 1},
                                                 {RewardSet::dtw, 9},
                                                 {RewardSet::all, 27},
                                                 {RewardSet::ends, 512 + 27}};
  for (const auto& [set, want] : sets) {
    for (const int rows : {8, 12, 16}) {
      for (const bool strips : {false, true}) {
        if (strips && rows != 16) continue;
        const RewardShape shape{rows, strips, set};
        RolloutsView view{};
        for (const std::uint32_t count : {0u, 33u, 4096u}) {
          view.count = count;
          const KernelLaunch launch =
              started([&] { return reward_rollouts(view, shape, some_stream()); });
          const std::string kernel =
              strips ? "reward_rollouts_of_threads" + arguments(rows, want, true)
                     : "reward_rollouts_of_groups" + arguments(rows, want);
          EXPECT_TRUE(has(launch.kernel, kernel)) << launch.kernel;
          EXPECT_EQ(launch.threads, 32u);
          const unsigned at_once = strips ? 32 : 32 / reward_lanes;
          EXPECT_EQ(launch.blocks, count == 0 ? 1 : (count + at_once - 1) / at_once);
        }
        StepView step{};
        const unsigned general = set == RewardSet::all || set == RewardSet::ends ? 27 : 9;
        EXPECT_TRUE(has(started([&] { return step_episodes(step, shape, some_stream()); }).kernel,
                        "step_episodes_of_threads" + arguments(rows, general, strips)));
      }
    }
  }
  EXPECT_NE(reward_rollouts(RolloutsView{}, {10, false, RewardSet::dtw}, some_stream()), 0);
  EXPECT_NE(reward_rollouts(RolloutsView{}, {8, true, RewardSet::dtw}, some_stream()), 0);
}

TEST_F(Launchers, StartTheRewardKernelOfPoints) {
  for (const int longest : {1, 16, 17, 1000}) {
    const RewardShape shape = point_reward_shape(longest);
    const std::string want = arguments(16, 256 + 27, longest > 16);
    const auto expect_kernel = [&](const char* name, const std::function<int()>& launch) {
      const KernelLaunch launched = started(launch);
      EXPECT_TRUE(has(launched.kernel, name + want)) << launched.kernel;
      EXPECT_EQ(launched.threads, 32u);
    };
    expect_kernel("reward_rollouts_of_threads",
                  [&] { return reward_rollouts(RolloutsView{}, shape, some_stream()); });
    expect_kernel("reset_episodes_of_threads",
                  [&] { return reset_episodes(ResetView{}, shape, some_stream()); });
    expect_kernel("step_episodes_of_threads",
                  [&] { return step_episodes(StepView{}, shape, some_stream()); });
    expect_kernel("finish_episodes_of_threads",
                  [&] { return finish_episodes({}, shape, some_stream()); });
    expect_kernel("extend_episodes_of_threads",
                  [&] { return score_extensions(ExtensionsView{}, shape, some_stream()); });
  }
  const RewardShape other{12, false, RewardSet::points};
  EXPECT_NE(reward_rollouts(RolloutsView{}, other, some_stream()), 0);
  EXPECT_NE(step_episodes(StepView{}, other, some_stream()), 0);
}

// Clears what a check finds, then claims, checks and describes.
TEST_F(Launchers, CheckEpisodes) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, sizeof(std::uint32_t)), cudaSuccess);
  CheckEpisodesView view{};
  view.count = 33;
  view.first_bad = view.owner = static_cast<std::uint32_t*>(memory);
  cudart().begin();
  EXPECT_EQ(check_episodes(view, stream), 0);
  ASSERT_EQ(cudart().launches.size(), 3u);
  EXPECT_TRUE(has(cudart().launches[0].kernel, "claim_episodes")) << cudart().launches[0].kernel;
  EXPECT_TRUE(has(cudart().launches[1].kernel, "check_entries")) << cudart().launches[1].kernel;
  EXPECT_EQ(cudart().launches[1].blocks, 2u);
  EXPECT_EQ(cudart().launches[2].blocks, 1u);
  for (int k = 0; k < 4; ++k) {
    cudart().begin(k, out_of_resources);
    EXPECT_EQ(check_episodes(view, stream), out_of_resources) << "call " << k;
  }
  cudart().begin();
  view.count = 0;
  EXPECT_EQ(check_episodes(view, stream), 0);
  EXPECT_TRUE(cudart().calls.empty());
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST_F(Launchers, StartNoMoreGroupsThanBorders) {
  for (const int n : {10, 100, 1000, 5000}) {
    const GroupShape shape = group_shape(n, false);
    const auto lanes = static_cast<unsigned>(group_lanes(shape));
    for (const std::uint32_t borders : {256u, 300u, 8192u}) {
      for (const std::uint32_t count : {1u, 50u, 100'000u}) {
        GroupView view{};
        view.count = count;
        view.border_groups = has_border(shape) ? borders : 0;
        const KernelLaunch launch =
            started([&] { return score_groups(view, shape, QuantitySet::dtw, some_stream()); });
        const unsigned groups = launch.blocks * launch.threads / lanes;
        EXPECT_TRUE(!has_border(shape) || groups <= borders) << groups;
        EXPECT_LE(launch.threads, group_threads);
        EXPECT_GE(launch.blocks, 1u);
        if (shape == GroupShape::chain) {
          EXPECT_TRUE(has(launch.kernel, "score_long_pairs")) << launch.kernel;
          EXPECT_EQ(launch.threads, group_threads);
          EXPECT_LE(launch.blocks, count);
        }
      }
    }
  }
}

TEST_F(Launchers, StartNoMoreGroupsOfSlicesThanBorders) {
  for (const GroupShape shape : {GroupShape::lanes_8, GroupShape::lanes_32}) {
    const auto lanes = static_cast<unsigned>(group_lanes(shape));
    const unsigned least = shared_group_threads(group_lanes(shape)) / lanes;
    for (const std::uint32_t borders : {least, 300u, 8192u}) {
      for (const std::uint32_t count : {1u, 11u, 1000u}) {
        GroupSliceView view{};
        view.max_slices = count;
        view.max_scan = 150;
        view.groups.border_groups = borders;
        const KernelLaunch launch = started(
            [&] { return score_group_slices(view, shape, QuantitySet::all_edges, some_stream()); });
        EXPECT_TRUE(has(launch.kernel, "score_pairs_in_shared_tableILi" + std::to_string(lanes)))
            << launch.kernel;
        EXPECT_LE(launch.blocks * launch.threads / lanes, borders);
        EXPECT_LE(launch.threads, shared_group_threads(group_lanes(shape)));
        EXPECT_GE(launch.blocks, 1u);
        EXPECT_LE(launch.blocks, count);
        EXPECT_EQ(launch.shared_bytes, 4 * shared_floats(TileKernel::shared_table, 0, 150));
      }
    }
  }
}

TEST_F(Launchers, StartThePointKernelOfTheShapeAndQuantities) {
  PointView view{};
  view.count = 100;
  view.border_groups = 1024;
  const auto kernel = [&](GroupShape shape, QuantitySet parts) {
    return started([&] { return score_points(view, shape, parts, some_stream()); }).kernel;
  };
  EXPECT_TRUE(
      has(kernel(GroupShape::lanes_8, QuantitySet::dtw), "score_pairs_of_pointsILi8ELi8ELi1E"));
  EXPECT_TRUE(has(kernel(GroupShape::lanes_32, QuantitySet::alignment), "ILi32ELi16ELi2ELj7E"));
  EXPECT_TRUE(has(kernel(GroupShape::lanes_32, QuantitySet::all_viewpoints), "ELj39ELb0E"));
  EXPECT_TRUE(has(kernel(GroupShape::chain, QuantitySet::all_edges), "score_long_pairs_of_points"));
  view.border_groups = 0;
  EXPECT_TRUE(has(kernel(GroupShape::lanes_8, QuantitySet::goal), "ILi1ELi1ELi1ELj0E"));
  EXPECT_NE(score_points(view, GroupShape::lanes_8, QuantitySet::dtw, some_stream()), 0);
}

TEST_F(Launchers, ReturnTheCodeOfEveryFailureAndStartNothing) {
  TileView tiles{};
  tiles.max_slices = 10;
  tiles.max_scan = 100;
  expect_codes([&] {
    return score_tiles(tiles, TileKernel::shared_table, QuantitySet::alignment, 12, some_stream());
  });
  GroupView groups{};
  groups.count = groups.border_groups = 1000;
  for (const GroupShape shape : {GroupShape::lanes_8, GroupShape::chain}) {
    expect_codes([&] { return score_groups(groups, shape, QuantitySet::dtw, some_stream()); });
  }
  GroupSliceView slices{};
  slices.max_slices = slices.groups.border_groups = 1000;
  expect_codes([&] {
    return score_group_slices(slices, GroupShape::lanes_8, QuantitySet::dtw, some_stream());
  });
  PointView points{};
  points.count = points.border_groups = 1000;
  expect_codes(
      [&] { return score_points(points, GroupShape::lanes_32, QuantitySet::dtw, some_stream()); });
  WalkView walks{};
  walks.end_slice = 10;
  expect_codes([&] { return score_walks(walks, true, QuantitySet::alignment, 12, some_stream()); });
  expect_codes([&] { return repeat_noted_walks(walks, QuantitySet::alignment, some_stream()); });
  const RewardShape shape{12, false, RewardSet::all};
  expect_codes([&] { return reward_rollouts(RolloutsView{}, shape, some_stream()); });
  expect_codes([&] { return reset_episodes(ResetView{}, shape, some_stream()); });
  expect_codes([&] { return step_episodes(StepView{}, shape, some_stream()); });
  expect_codes([&] { return finish_episodes({}, shape, some_stream()); });
  expect_codes([&] { return score_extensions(ExtensionsView{}, shape, some_stream()); });
  const RewardShape in_space = point_reward_shape(20);
  expect_codes([&] { return reward_rollouts(RolloutsView{}, in_space, some_stream()); });
  expect_codes([&] { return reset_episodes(ResetView{}, in_space, some_stream()); });
  expect_codes([&] { return step_episodes(StepView{}, in_space, some_stream()); });
  expect_codes([&] { return finish_episodes({}, in_space, some_stream()); });
  expect_codes([&] { return score_extensions(ExtensionsView{}, in_space, some_stream()); });
  expect_codes([&] { return read_episode_values({}, some_stream()); });
  expect_codes([&] { return copy_episodes({}, some_stream()); });
  expect_codes([&] { return add_up_rewards({}, some_stream()); });
  expect_codes([&] { return compare_groups({}, some_stream()); });
  AggregateView results{};
  results.count = 1000;
  expect_codes([&] { return aggregate(results, some_stream()); });
}

TEST_F(Launchers, AskTheRuntimeForAGridOnce) {
  TileView view{};
  view.max_slices = 1000;
  for (const unsigned viewpoints : {150, 60}) {
    view.max_scan = viewpoints;
    const auto launch = [&] {
      return score_tiles(view, TileKernel::shared_table, QuantitySet::alignment, 12, some_stream());
    };
    const KernelLaunch first = started(launch), second = started(launch, false);
    EXPECT_EQ(cudart().calls, (std::vector<std::string>{"cudaGetDevice", "cudaLaunchKernel"}));
    EXPECT_EQ(second.blocks, first.blocks);
    EXPECT_EQ(second.threads, first.threads);
    EXPECT_EQ(second.shared_bytes, 4 * shared_floats(TileKernel::shared_table, 12, viewpoints));
  }
}

// Checks launches by Thrust.
TEST_F(Launchers, PackOnTheGivenStream) {
  KeyView keys{};
  PlaceView places{};
  TermsView terms{};
  PackView paths{};
  keys.pairs.count = places.pairs.count = terms.count = 1000;
  paths.tiles = 1000 / tile_pairs;
  for (const std::function<int()>& launch : std::initializer_list<std::function<int()>>{
           [&] { return make_all_keys(keys, some_stream()); },
           [&] { return place_all_pairs(places, some_stream()); },
           [&] { return make_all_terms(terms, some_stream()); },
           [&] { return pack_tiles(paths, some_stream()); }}) {
    const KernelLaunch started_one = started(launch, false);
    EXPECT_GE(started_one.blocks * started_one.threads, 1000u / 4) << started_one.kernel;
    EXPECT_EQ(cudart().launches.size(), 1u);
    for (const std::string& call : cudart().calls) {
      EXPECT_FALSE(has(call, "Malloc") || has(call, "Synchronize")) << call;
    }
  }
}

TEST_F(Launchers, SortAndSumInTheGivenMemory) {
  std::size_t bytes = 0;
  ASSERT_EQ(scratch_bytes(100'000, bytes), 0);
  std::vector<char> memory(bytes);
  std::vector<std::uint32_t> counts(100'001), sums(100'001);
  cudart().begin();
  const LengthSumView lengths{integers(counts.data()), sums.data(), 100'000};
  EXPECT_EQ(exclusive_sum(lengths, {memory.data(), bytes}, some_stream()), 0);
  EXPECT_GE(cudart().launches.size(), 1u);
  EXPECT_EQ(cudart().on_default_stream, 0);
  for (const std::string& call : cudart().calls) EXPECT_FALSE(has(call, "Malloc")) << call;
}

}  // namespace
}  // namespace warpath::testing
