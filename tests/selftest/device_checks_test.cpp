// Tests that the self-test of the CUDA back end starts every kernel that is compiled, and that it
// sees a wrong result.

#include "host/checks/selftest/device_checks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "host/checks/selftest/resident_checks.hpp"
#include "host/checks/selftest/reward_checks.hpp"
#include "tests/support/fake_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;
using selftest::Check;
using selftest::check_device;
using selftest::check_resident;

constexpr QuantitySet sets[] = {QuantitySet::goal, QuantitySet::dtw, QuantitySet::alignment,
                                QuantitySet::all_edges, QuantitySet::all_viewpoints};
constexpr GroupShape shapes[] = {GroupShape::lanes_4, GroupShape::lanes_8, GroupShape::lanes_32,
                                 GroupShape::chain};

// Names all kernels that score, by the functions that choose them; see launch_test.cpp.
std::vector<std::string> compiled_kernels() {
  std::vector<std::string> names;
  for (const QuantitySet set : sets) {
    for (const TileKernel kernel :
         {TileKernel::shared_table, TileKernel::plain_table, TileKernel::shared_reference,
          TileKernel::replicated_reference}) {
      for (int n = 1; n <= 32; ++n) {
        const int rows = tile_rows(kernel, set, n);
        if (rows > 0) {
          names.push_back(
              kernel_of(cuda::ScoreTiles{.view = {}, .kernel = kernel, .set = set, .rows = rows}));
        }
      }
    }
    for (int index = 0; index < CoarseRows::size && set == walk_set(set); ++index) {
      const int rows = CoarseRows::at(static_cast<std::uint32_t>(index));
      names.push_back(kernel_of(cuda::ScoreWalks{{}, true, set, rows}));
      names.push_back(kernel_of(cuda::ScoreWalks{{}, false, set, rows}));
    }
    for (const GroupShape shape : shapes) {
      names.push_back(kernel_of(cuda::ScoreGroups{.view = {}, .shape = shape, .set = set}));
      if (has_shared_table_kernel(shape)) {
        names.push_back(kernel_of(cuda::ScoreGroupSlices{.view = {}, .shape = shape, .set = set}));
      }
      if (shape == GroupShape::lanes_4) continue;
      names.push_back(kernel_of(cuda::ScorePoints{.view = {}, .shape = shape, .set = set}));
    }
  }
  return names;
}

std::string with_bytes(const char* kernel, const IntegerArray& ids) {
  return std::string(kernel) + ", ids of " + std::to_string(ids.width) + " bytes";
}

// Names what a launch of a kernel for batches on the device shows that is tested.
std::vector<std::string> families_of(const cuda::Work& work) {
  std::vector<std::string> names;
  const auto add = [&](bool is_so, const std::string& name) {
    if (is_so) names.push_back(name);
  };
  if (const auto* stored = std::get_if<StoreView>(&work)) {
    names.push_back(with_bytes("store_references", stored->from.nodes));
    add(stored->first > 0, "store_references, behind others");
  } else if (const auto* check = std::get_if<cuda::CheckPairs>(&work)) {
    names.push_back(with_bytes("check_pairs", check->view.pairs.queries.nodes));
  } else if (const auto* points = std::get_if<PreparePointsView>(&work)) {
    const bool in_rows = points->queries.layout.lengths.exist();
    names.push_back(std::string("prepare_all_points, ") + (in_rows ? "rows" : "in turn"));
    add(points->active != nullptr, "prepare_all_points, some left out");
  } else if (const auto* groups = std::get_if<cuda::ScoreGroups>(&work)) {
    const PairsView& pairs = groups->view.pairs;
    if (groups->view.slots != nullptr || !pairs.queries.nodes.exist()) return {};
    names.push_back("as they lie: " + kernel_of(*groups));
    names.push_back(with_bytes("as they lie", pairs.queries.nodes));
    add(pairs.active != nullptr, "as they lie, some left out");
  } else if (const auto* keys = std::get_if<KeyView>(&work)) {
    add(keys->pairs.active != nullptr, with_bytes("packed", keys->pairs.queries.nodes));
  } else if (const auto* totals = std::get_if<AggregateView>(&work)) {
    add(totals->active != nullptr, "totals, some left out");
    add(totals->device_count != nullptr, "totals, counted on the device");
  }
  return names;
}

// Names all families of kernels that only batches on the device need.
std::vector<std::string> resident_families() {
  std::vector<std::string> names{
      "store_references, ids of 2 bytes", "store_references, ids of 8 bytes",
      "store_references, behind others",  "prepare_all_points, rows",
      "prepare_all_points, in turn",      "prepare_all_points, some left out",
      "as they lie, some left out",       "packed, ids of 2 bytes",
      "packed, ids of 8 bytes",           "totals, some left out",
      "totals, counted on the device"};
  for (const char* kernel : {"check_pairs", "as they lie"}) {
    for (const char* bytes : {"2", "4", "8"}) {
      names.push_back(std::string(kernel) + ", ids of " + bytes + " bytes");
    }
  }
  for (const GroupShape shape : shapes) {
    for (const QuantitySet set : sets) {
      names.push_back("as they lie: " +
                      kernel_of(cuda::ScoreGroups{.view = {}, .shape = shape, .set = set}));
    }
  }
  return names;
}

/// Notes what is started, and may change it or leave it out.
class WatchedDevice : public FakeDevice {
 public:
  WatchedDevice() : FakeDevice(run_seed()) {}

  /// Changes work before it starts. Returns false to leave it out.
  std::function<bool(cuda::Work&)> change;
  std::set<std::size_t> kinds;     ///< indices in cuda::Work
  std::set<std::string> families;  ///< see families_of

  void launch(const cuda::Work& work, cuda::Stream stream) override {
    cuda::Work changed = work;
    if (change && !change(changed)) return;
    kinds.insert(changed.index());
    for (const std::string& name : families_of(changed)) families.insert(name);
    FakeDevice::launch(changed, stream);
  }
};

void expect_passed(const std::vector<Check>& checks) {
  for (const Check& check : checks) {
    EXPECT_TRUE(check.ok) << check.name << ": " << check.worst << " of " << check.cases;
  }
}

TEST(DeviceChecks, StartEveryKernelInTheDefaultSize) {
#if defined(WARPATH_SANITIZED)
  GTEST_SKIP() << "takes as long as all other checks of the sanitizers' build; g++'s runs it";
#endif
  WatchedDevice device;
  expect_passed(check_device(device, selftest::SelftestOptions().pairs, run_seed()));
  EXPECT_GT(compiled_kernels().size(), 50u);
  for (const std::string& kernel : compiled_kernels()) {
    EXPECT_GT(device.kernels[kernel], 0) << kernel;
  }
  for (const char* kind : {"aggregate", "bytes"}) EXPECT_GT(device.started[kind], 0) << kind;
  for (std::size_t kind = 0; kind < std::variant_size_v<cuda::Work>; ++kind) {
    EXPECT_TRUE(device.kinds.contains(kind)) << "number " << kind << " of cuda::Work";
  }
}

TEST(DeviceChecks, StartEveryFamilyForBatchesOnTheDeviceInEverySize) {
  for (const std::size_t pairs : {std::size_t{1}, selftest::SelftestOptions().pairs}) {
    WatchedDevice device;
    expect_passed(check_resident(device, pairs, run_seed()));
    for (const std::string& family : resident_families()) {
      EXPECT_TRUE(device.families.contains(family)) << family << ", " << pairs << " pairs";
    }
    for (const char* tiles : {"shared_table", "replicated_reference"}) {
      EXPECT_GT(device.started[tiles], 0) << tiles << ", " << pairs << " pairs";
    }
  }
}

using Checker = std::vector<Check>(cuda::Device&, std::size_t, std::uint64_t);

// Returns the checks that fail if the device changes its work.
std::vector<std::string> failed_on(Checker& check, const std::function<bool(cuda::Work&)>& change) {
  WatchedDevice device;
  device.change = change;
  std::vector<std::string> names;
  for (const Check& line : check(device, 100, run_seed())) {
    if (!line.ok) names.push_back(line.name);
  }
  return names;
}

// Leaves out one kind of work.
template <class Left>
bool unless(const cuda::Work& work) {
  return !std::holds_alternative<Left>(work);
}

// Leaves out one kind of work for rewards, of viewpoints or of points.
template <class Left, bool OfPoints>
bool unless_of(const cuda::Work& work) {
  const auto* left = std::get_if<Left>(&work);
  return left == nullptr || (left->shape.set == RewardSet::points) != OfPoints;
}

void expect_contained(const std::vector<std::string>& names,
                      std::initializer_list<std::string> wanted) {
  for (const std::string& name : wanted) EXPECT_EQ(std::ranges::count(names, name), 1) << name;
}

using Names = std::vector<std::string>;

TEST(DeviceChecks, FailWhereAKernelDoesNothing) {
  EXPECT_EQ(failed_on(check_device, unless<cuda::ScorePoints>),
            (Names{"same bits: points, every kernel", "same bits: resident, points",
                   "same bits: resident, totals"}));
  EXPECT_EQ(failed_on(check_device, unless<AggregateView>),
            (Names{"same bits: totals, every kernel", "same bits: random walks, every kernel",
                   "same bits: resident, totals"}));
  expect_contained(failed_on(check_device, unless<cuda::ScoreTiles>),
                   {"same bits: a thread to a pair", "same bits: a thread to a pair, one scan",
                    "same bits: a large scan", "same bits: shared references",
                    "same bits: order of pairs, every kernel", "same bits: resident, packed",
                    "same bits: resident, packed, shared references"});
  expect_contained(
      failed_on(check_resident, unless<cuda::ScoreGroups>),
      {"same bits: resident, 4 threads to a pair", "same bits: resident, 8 threads to a pair",
       "same bits: resident, 32 threads to a pair", "same bits: resident, a block to a pair",
       "same bits: resident, every difficulty"});
  expect_contained(failed_on(check_resident, unless<StoreView>),
                   {"same bits: resident, 4 threads to a pair", "same bits: resident, packed",
                    "resident, bad pairs are found"});
}

// The checks of rewards alone: all others take much longer.
std::vector<Check> check_only_rewards(cuda::Device& device, std::size_t rollouts,
                                      std::uint64_t seed) {
  return {selftest::check_rewards(device, rollouts / 5, seed),
          selftest::check_point_rewards(device, rollouts / 5, seed)};
}

TEST(DeviceChecks, FailWhereAKernelOfRewardsDoesNothing) {
  const Names rewards{"same bits: rewards, every kernel"},
      points{"same bits: rewards of points, every kernel"}, both{rewards[0], points[0]};
  EXPECT_EQ(failed_on(check_only_rewards, [](const cuda::Work&) { return true; }), Names{});
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::RewardRollouts, false>), rewards);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::ResetEpisodes, false>), rewards);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::StepEpisodes, false>), rewards);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::FinishEpisodes, false>), rewards);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::ScoreExtensions, false>), rewards);
  EXPECT_EQ(failed_on(check_only_rewards, unless<EpisodeValuesView>), both);
  EXPECT_EQ(failed_on(check_only_rewards, unless<CopyEpisodesView>), both);
  EXPECT_EQ(failed_on(check_only_rewards, unless<ReturnsView>), both);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::RewardRollouts, true>), points);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::ResetEpisodes, true>), points);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::StepEpisodes, true>), points);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::ScoreExtensions, true>), points);
  EXPECT_EQ(failed_on(check_only_rewards, unless_of<cuda::FinishEpisodes, true>), points);
  EXPECT_EQ(failed_on(check_only_rewards, unless<CheckEpisodesView>), both);
}

TEST(DeviceChecks, FailWhereAKernelDoesSomethingElse) {
  const auto checks_no_pair = [](cuda::Work& work) {
    if (auto* check = std::get_if<cuda::CheckPairs>(&work)) check->view.pairs.count = 0;
    return true;
  };
  EXPECT_EQ(failed_on(check_resident, checks_no_pair), Names{"resident, bad pairs are found"});
  const auto leaves_no_pair_out = [](cuda::Work& work) {
    auto* groups = std::get_if<cuda::ScoreGroups>(&work);
    // Pairs that only warm up have no references.
    if (groups != nullptr && groups->view.pairs.reference_of.exist()) {
      groups->view.pairs.active = nullptr;
    }
    return true;
  };
  EXPECT_EQ(failed_on(check_resident, leaves_no_pair_out),
            Names{"resident, pairs left out stay as they were"});
  const auto walks_elsewhere = [](cuda::Work& work) {
    if (auto* walks = std::get_if<cuda::ScoreWalks>(&work)) walks->view.keys.low[0] ^= 1;
    return true;
  };
  EXPECT_EQ(failed_on(check_device, walks_elsewhere),
            Names{"same bits: random walks, every kernel"});
  const auto repeats_elsewhere = [](cuda::Work& work) {
    if (auto* walks = std::get_if<cuda::RepeatWalks>(&work)) walks->view.seed.low ^= 1;
    return true;
  };
  EXPECT_EQ(failed_on(check_device, repeats_elsewhere),
            Names{"same bits: random walks, every kernel"});
  const auto ignores_heights = [](cuda::Work& work) {
    if (auto* points = std::get_if<PreparePointsView>(&work)) points->flat = true;
    return true;
  };
  EXPECT_EQ(failed_on(check_resident, ignores_heights),
            (Names{"same bits: resident, points", "same bits: resident, totals"}));
}

TEST(ReferenceScorerChecks, SayWhyThereIsNoDevice) {
  if (cuda::find_device().device != nullptr) GTEST_SKIP() << "there is a device";
  EXPECT_THROW(selftest::check_reference_scorer(10, run_seed()), InputError);
}

TEST(CudaReferenceScorerChecks, Pass) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device == nullptr) GTEST_SKIP() << found.reason;
  expect_passed(selftest::check_reference_scorer(40, run_seed()));
}

// The same checks of compiled kernels are those of the test Ptx.Selftest.
TEST(DeviceChecks, PassWithFewPairs) {
  FakeDevice device(run_seed());
  expect_passed(check_device(device, 40, run_seed()));
}

}  // namespace
}  // namespace warpath::testing
