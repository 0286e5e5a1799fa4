#include <limits>
#include <span>
#include <vector>

#include "host/checks/selftest/floats_on_device.hpp"
#include "host/checks/selftest/resident_arrays.hpp"
#include "host/checks/selftest/reward_checks.hpp"
#include "host/checks/synthetic/random.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::selftest {
namespace {

using synthetic::Random;

/// Holds random continuous paths in rows, which have points behind the paths' ends, too.
struct PointRows {
  std::uint32_t pitch;
  std::vector<float> points;  // [row][pitch][3]
  std::vector<std::int64_t> lengths;

  PointRows(Random& random, std::size_t rows, std::uint32_t longest) : pitch(longest) {
    for (std::size_t k = 0; k < rows; ++k) {
      lengths.push_back(static_cast<std::int64_t>(random.below(longest)) + 1);
      double at[] = {random.between(-3, 3), random.between(-3, 3), random.between(0, 2)};
      for (std::uint32_t t = 0; t < longest; ++t) {
        for (double& x : at) {
          x += random.between(-1, 1) * static_cast<double>(random.below(3));
          points.push_back(static_cast<float>(x));
        }
      }
    }
  }
  std::vector<float> column(std::uint32_t t) const {
    std::vector<float> column;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const float* point = &points[3 * (k * pitch + t)];
      column.insert(column.end(), point, point + 3);
    }
    return column;
  }
  PathsView view(const float* at, Integers sizes) const {
    return {at, {.lengths = sizes, .pitch = pitch, .max_length = pitch}};
  }
  PathsView view() const { return view(points.data(), lengths.data()); }
};

/// Holds them on a device.
struct PointRowsOnDevice {
  const PointRows& rows;
  FloatsOnDevice points;
  IntegersOnDevice lengths;

  PointRowsOnDevice(cuda::Device& device, const PointRows& here)
      : rows(here), points(device, here.points), lengths(device, here.lengths, 4) {}
  PathsView view() const { return rows.view(points.data(), lengths.view()); }
};

/// Rewards one batch under one preset on the CPU and on a device.
class PointRewardCheck {
 public:
  PointRewardCheck(cuda::Device& device, const PointRows& references, const PointRows& queries,
                   const RewardSettings& settings, Mismatches& found)
      : device_(device),
        references_(references),
        queries_(queries),
        count_(static_cast<std::uint32_t>(queries.lengths.size())),
        found_(found),
        on_cpu_(settings),
        tables_({}, {}, {}, settings, {}),
        on_device_(device, tables_),
        references_there_(device, references),
        queries_there_(device, queries),
        stream_(device) {}

  void check_rollouts() {
    const std::size_t size = count_ * std::size_t{queries_.pitch};
    std::vector<float> reward(size), goal(size), ndtw(size), cls(size);
    FloatsOnDevice there(device_, size), there_goal(device_, size), there_ndtw(device_, size),
        there_cls(device_, size);
    Batch batch;
    batch.count = count_;
    batch.queries = queries_.view();
    batch.references = references_.view();
    on_cpu_.compute(batch, {.reward = reward.data(),
                            .distance_to_goal = goal.data(),
                            .ndtw = ndtw.data(),
                            .cls = cls.data()});
    batch.queries = queries_there_.view();
    batch.references = references_there_.view();
    const cuda::DeviceArray<char> workspace(device_, on_device_.workspace_bytes(batch));
    on_device_.compute(batch,
                       {.reward = there.data(),
                        .distance_to_goal = there_goal.data(),
                        .ndtw = there_ndtw.data(),
                        .cls = there_cls.data()},
                       workspace.data(), stream_.get());
    device_.wait(stream_.get());
    there.compare(reward, found_);
    there_goal.compare(goal, found_);
    there_ndtw.compare(ndtw, found_);
    there_cls.compare(cls, found_);
  }

  void check_episodes() {
    const auto max_reference = static_cast<int>(references_.pitch);
    const cuda::DeviceArray<char> memory(
        device_, cuda::ResidentTracker::bytes_of_points(count_, max_reference));
    // So that a kernel that resets nothing is found, and not what others read then.
    device_.fill(memory.data(), 0, memory.size(), stream_.get());
    const auto there =
        cuda::ResidentTracker::of_points(on_device_, count_, memory.data(), max_reference);
    const cuda::DeviceArray<char> workspace(device_, there.workspace_bytes(1));
    RewardTracker here(on_cpu_, count_, {.max_reference_length = references_.pitch});
    here.reset({.count = count_, .references = references_.view()});
    there.reset({.count = count_, .references = references_there_.view()}, stream_.get());
    for (std::uint32_t t = 0; t < 3; ++t) step(here, there, t);
    extend(here, there, workspace.data());
    std::vector<float> ends(count_);
    FloatsOnDevice there_ends(device_, count_);
    here.finish(nullptr, nullptr, ends.data());
    there.finish(nullptr, nullptr, there_ends.data(), stream_.get());
    device_.wait(stream_.get());
    there_ends.compare(ends, found_);
    check_bad_point(there, workspace);
  }

 private:
  void step(RewardTracker& here, const cuda::ResidentTracker& there, std::uint32_t t) {
    const std::vector<float> column = queries_.column(t);
    const FloatsOnDevice points(device_, column);
    std::vector<float> moves(count_);
    FloatsOnDevice there_moves(device_, count_);
    here.step(column.data(), nullptr, moves.data());
    there.step(batch::view_of(PositionsView(points.data())), nullptr, nullptr, there_moves.data(),
               stream_.get());
    device_.wait(stream_.get());
    there_moves.compare(moves, found_);
  }

  void extend(const RewardTracker& here, const cuda::ResidentTracker& there, void* workspace) {
    std::vector<float> sums(count_);
    FloatsOnDevice there_sums(device_, count_);
    here.score_extensions(1, queries_.view(), {.reward = sums.data()});
    there.score_extensions(1, batch::view_of(queries_there_.view()), {.reward = there_sums.data()},
                           workspace, stream_.get());
    device_.wait(stream_.get());
    there_sums.compare(sums, found_);
  }

  // A point that is none is found in the last episode, and nothing where there is none.
  void check_bad_point(const cuda::ResidentTracker& there,
                       const cuda::DeviceArray<char>& workspace) {
    std::vector<float> column = queries_.column(0);
    for (const bool is_bad : {false, true}) {
      if (is_bad) column.back() = std::numeric_limits<float>::quiet_NaN();
      const FloatsOnDevice points(device_, column);
      device_.fill(workspace.data(), 0, workspace.size(), stream_.get());
      const auto problem = there.check_step(batch::view_of(PositionsView(points.data())), nullptr,
                                            workspace.data(), stream_.get());
      found_.add(is_bad ? problem.fault == kernels::EpisodeFault::coordinate &&
                              problem.episode == std::int64_t{count_} - 1
                        : problem.fault == kernels::EpisodeFault::none);
    }
  }

  cuda::Device& device_;
  const PointRows &references_, &queries_;
  const std::uint32_t count_;
  Mismatches& found_;
  const Rewards on_cpu_;
  const rewards::RewardTables tables_;
  const cuda::ResidentRewards on_device_;
  const PointRowsOnDevice references_there_, queries_there_;
  const cuda::UniqueStream stream_;
};

}  // namespace

Check check_point_rewards(cuda::Device& device, std::size_t rollouts, std::uint64_t seed) {
  Random random(seed);
  Mismatches found;
  for (const std::uint32_t longest : {16u, 40u}) {
    const PointRows references(random, rollouts, longest), queries(random, rollouts, 12);
    for (const char* preset : {"ndtw-gain", "hamt", "cls-gain", "babywalk-mix"}) {
      PointRewardCheck check(device, references, queries, find_reward_preset(preset).settings,
                             found);
      check.check_rollouts();
      check.check_episodes();
    }
  }
  return counted("same bits: rewards of points, every kernel", found);
}

}  // namespace warpath::selftest
