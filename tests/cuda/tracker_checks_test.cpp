// Tests that the checks of a tracker on a device name the first episode that cannot be right.

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/core/batch/check_views.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_runs.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint32_t episodes = 4;

/// Holds a tracker whose memory is 0, and makes arrays on its device.
class Checked {
 public:
  cuda::Device& device;
  const cuda::UniqueStream stream_owner;
  const rewards::RewardTables tables;
  const cuda::ResidentRewards rewards;
  const cuda::DeviceArray<char> memory;
  const cuda::ResidentTracker tracker;
  const cuda::DeviceArray<char> workspace;

  /// Makes one of viewpoints.
  Checked(cuda::Device& on, const PairBatch& batch)
      : device(on),
        stream_owner(on),
        tables(batch.scans, batch.references, checks::scans_of(batch), settings(), {}),
        rewards(on, tables),
        memory(on, cuda::ResidentTracker::bytes(rewards, episodes)),
        tracker(rewards, episodes, memory.data(), RewardArrays{}),
        workspace(on, tracker.workspace_bytes(0)) {
    clear();
  }
  /// Makes one of points, whose references have up to 3.
  explicit Checked(cuda::Device& on)
      : device(on),
        stream_owner(on),
        tables({}, {}, {}, settings(), {}),
        rewards(on, tables),
        memory(on, cuda::ResidentTracker::bytes_of_points(episodes, 3)),
        tracker(cuda::ResidentTracker::of_points(rewards, episodes, memory.data(), 3)),
        workspace(on, tracker.workspace_bytes(0)) {
    clear();
  }

  cuda::Stream stream() const { return stream_owner.get(); }
  IntegersOnDevice numbers(const std::vector<std::int64_t>& values, std::uint8_t width = 4) const {
    return {device, values, width};
  }
  FloatsOnDevice floats(const std::vector<float>& values) const { return {device, values}; }

 private:
  static RewardSettings settings() { return find_reward_preset("ndtw-gain").settings; }
  void clear() {
    device.fill(memory.data(), 0, memory.size(), stream());
    device.wait(stream());
  }
};

/// Expects a check to find a problem whose text has the parts.
void expect_problem(const kernels::EpisodeProblem& problem, const std::vector<std::string>& parts) {
  try {
    batch::report(problem);
    FAIL() << "is not refused: " << parts.front();
  } catch (const InputError& error) {
    for (const std::string& part : parts) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
}
void expect_no_problem(const kernels::EpisodeProblem& problem) {
  EXPECT_EQ(problem.fault, kernels::EpisodeFault::none);
}

class CudaTrackerChecks : public OnEachDevice {
 protected:
  CudaTrackerChecks() { made_.add_pairs(20, 6, 5); }
  const PairBatch& batch() const { return made_.batch(); }

  RandomBatch made_{run_seed() + 520, 1};
};
WARPATH_ON_EACH_DEVICE(CudaTrackerChecks);

TEST_P(CudaTrackerChecks, OfResets) {
  const Checked on(device(run_seed()), batch());
  const auto check = [&](const std::vector<std::int64_t>& episode,
                         const std::vector<std::int64_t>& reference,
                         const std::vector<std::int64_t>& start) {
    const IntegersOnDevice named = on.numbers(episode), paths = on.numbers(reference),
                           first = on.numbers(start, 8);
    return on.tracker.check_reset({.count = static_cast<std::uint32_t>(episode.size()),
                                   .episode = named,
                                   .reference = paths,
                                   .start = first},
                                  on.workspace.data(), on.stream());
  };
  expect_no_problem(check({2, 0}, {1, 1}, {0, 0}));
  expect_problem(check({2, 4}, {1, 1}, {0, 0}), {"episode 4", "does not exist: there are 4"});
  expect_problem(check({2, -1}, {1, 1}, {0, 0}), {"episode -1", "does not exist"});
  expect_problem(check({2, 0, 2}, {1, 1, 1}, {0, 0, 0}), {"episode 2", "is named twice"});
  const auto references = static_cast<std::int64_t>(batch().references.size());
  expect_problem(check({2, 0}, {1, references}, {0, 0}),
                 {"episode 0", "names reference " + std::to_string(references)});
  expect_problem(check({3, 0}, {1, 1}, {50'000, 0}), {"episode 3", "names viewpoint 50000 of"});
  expect_problem(check({3, 0}, {1, 1}, {-1, 0}), {"episode 3", "names viewpoint -1 of"});
  // The reference's first viewpoint exists.
  const IntegersOnDevice reference = on.numbers({0, 1, 2, 3});
  expect_no_problem(on.tracker.check_reset({.count = 4, .reference = reference},
                                           on.workspace.data(), on.stream()));
}

TEST_P(CudaTrackerChecks, OfStepsEndsAndContinuations) {
  const Checked on(device(run_seed()), batch());
  const auto step = [&](const std::vector<std::int64_t>& nodes,
                        const std::vector<std::int64_t>& active) {
    const IntegersOnDevice there = on.numbers(nodes, 8), actives = on.numbers(active, 1);
    return on.tracker.check_step(batch::view_of(PositionsView(Integers(there))), actives.bytes(),
                                 on.workspace.data(), on.stream());
  };
  const auto finish = [&](const std::vector<std::int64_t>& mask) {
    const IntegersOnDevice ends = on.numbers(mask, 1);
    return on.tracker.check_finish(ends.bytes(), on.workspace.data(), on.stream());
  };
  const auto extend = [&](const std::vector<std::int64_t>& sizes, std::int64_t node) {
    const IntegersOnDevice lengths = on.numbers(sizes),
                           nodes = on.numbers({0, 0, 0, 0, 0, node, 0, 0}, 8);
    const PathsView paths{nodes, {.lengths = lengths, .pitch = 1, .max_length = 1}};
    return on.tracker.check_extensions(2, batch::view_of(paths), on.workspace.data(), on.stream());
  };
  expect_problem(step({0, 0, 0, 0}, {0, 0, 1, 1}), {"episode 2", "was not reset"});
  expect_problem(finish({0, 1, 1, 1}), {"episode 1", "was not reset"});
  expect_problem(extend({0, 0, 0, 0, 0, 0, 1, 0}, 0), {"episode 3", "was not reset"});
  expect_no_problem(extend({0, 0, 0, 0, 0, 0, 0, 0}, 0));
  const IntegersOnDevice three = on.numbers({0, 1, 2}), reference = on.numbers({0, 1, 2});
  on.tracker.reset({.count = 3, .episode = three, .reference = reference}, on.stream());
  on.device.wait(on.stream());
  expect_no_problem(step({0, 0, 0, 9'999}, {1, 1, 1, 0}));
  expect_no_problem(finish({1, 1, 1, 0}));
  expect_no_problem(extend({1, 1, 1, 1, 1, 1, 0, 0}, 0));
  expect_problem(step({0, 0, 0, 0}, {1, 1, 1, 1}), {"episode 3", "was not reset"});
  expect_problem(step({0, 9'999, 0, 0}, {1, 1, 1, 0}), {"episode 1", "names viewpoint 9999 of"});
  expect_problem(extend({1, 1, 1, 1, 1, 1, 0, 0}, -4), {"episode 2", "names viewpoint -4 of"});
  expect_problem(extend({1, 1, 2, 1, 1, 1, 0, 0}, 0), {"episode 1", "continuation of length 2"});
  expect_problem(extend({1, -1, 1, 1, 1, 1, 0, 0}, 0), {"episode 0", "continuation of length -1"});
}

TEST_P(CudaTrackerChecks, OfForks) {
  const Checked on(device(run_seed()), batch());
  const auto check = [&](const std::vector<std::int64_t>& named, bool once) {
    const IntegersOnDevice there = on.numbers(named, 2);
    return on.tracker.check_fork(static_cast<std::uint32_t>(named.size()),
                                 batch::view_of(Integers(there)), once, on.workspace.data(),
                                 on.stream());
  };
  expect_no_problem(check({1, 1, 3}, false));
  expect_no_problem(check({2, 1, 3}, true));
  expect_problem(check({1, 2, 1}, true), {"episode 1", "is named twice"});
  expect_problem(check({1, 7}, false), {"episode 7", "does not exist"});
}

TEST_P(CudaTrackerChecks, OfPoints) {
  const Checked on(device(run_seed()));
  const auto reset = [&](const std::vector<std::int64_t>& offsets, std::vector<float> points,
                         const std::vector<std::int64_t>& episode,
                         const std::vector<float>& starts) {
    const IntegersOnDevice there = on.numbers(offsets, 8), named = on.numbers(episode);
    const FloatsOnDevice at = on.floats(points), first = on.floats(starts);
    return on.tracker.check_reset({.count = static_cast<std::uint32_t>(episode.size()),
                                   .episode = named,
                                   .references = {at.data(), {.offsets = there, .max_length = 3}},
                                   .start = starts.empty() ? nullptr : first.data()},
                                  on.workspace.data(), on.stream());
  };
  const std::vector<float> points{0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
  expect_no_problem(reset({0, 1, 4}, points, {3, 1}, {0, 0, 0, 1, 1, 1}));
  expect_no_problem(reset({0, 1, 4}, points, {3, 1}, {}));
  expect_problem(reset({0, 1, 4}, points, {3, 3}, {}), {"episode 3", "is named twice"});
  expect_problem(reset({0, 1, 1}, points, {3, 1}, {}), {"episode 1", "a reference of 0 points"});
  expect_problem(reset({0, 4, 4}, points, {3, 1}, {}), {"episode 3", "a reference of 4 points"});
  expect_problem(reset({0, 1, 4}, points, {3, 1}, {0, 0, 0, 1, nan, 1}),
                 {"episode 1", "has the coordinate nan"});
  expect_problem(reset({0, 1, 4}, {0, 0, 0, 1, 0, 0, 2, -2e12f, 0, 3, 0, 0}, {3, 1}, {}),
                 {"episode 1", "has the coordinate -2", "point 1"});

  const auto step = [&](const std::vector<float>& at, const std::vector<std::int64_t>& active) {
    const FloatsOnDevice there = on.floats(at);
    const IntegersOnDevice actives = on.numbers(active, 1);
    return on.tracker.check_step(batch::view_of(PositionsView(there.data())), actives.bytes(),
                                 on.workspace.data(), on.stream());
  };
  expect_problem(step(points, {0, 1, 1, 0}), {"episode 1", "was not reset"});
  const IntegersOnDevice offsets = on.numbers({0, 1, 4}, 8), two = on.numbers({0, 1});
  const FloatsOnDevice at = on.floats(points);
  on.tracker.reset({.count = 2,
                    .episode = two,
                    .references = {at.data(), {.offsets = offsets, .max_length = 3}}},
                   on.stream());
  on.device.wait(on.stream());
  expect_no_problem(step(points, {1, 1, 0, 0}));
  expect_problem(step(points, {1, 1, 1, 0}), {"episode 2", "was not reset"});
  expect_problem(step({0, 0, 0, 0, 0, nan, 0, 0, 0, 0, 0, 0}, {1, 1, 0, 0}),
                 {"episode 1", "has the coordinate nan"});
  const IntegersOnDevice sizes = on.numbers({2, 2, 0, 0});
  const FloatsOnDevice paths = on.floats({0, 0, 0, 1, 1, 1, 0, 0, 0, nan, 1, 1});
  expect_problem(
      on.tracker.check_extensions(
          1,
          batch::view_of(PathsView{paths.data(), {.lengths = sizes, .pitch = 2, .max_length = 2}}),
          on.workspace.data(), on.stream()),
      {"episode 1", "has the coordinate nan at point 1"});
}

}  // namespace
}  // namespace warpath::testing
