#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/calls.hpp"
#include "tests/support/device_rollouts.hpp"
#include "warpath/reward_tracker.hpp"

// Lays rollouts and episodes in continuous space out in host memory and on a device, to compare
// what both compute.

namespace warpath::testing {

/// Holds continuous paths in host memory.
struct MadePoints {
  std::vector<float> points;
  std::vector<std::int64_t> offsets{0}, lengths;
  std::uint32_t max_length = 1;

  std::uint32_t count() const { return static_cast<std::uint32_t>(lengths.size()); }
  const float* path(std::uint32_t p) const { return &points[3 * at(p)]; }
  std::size_t at(std::uint32_t p) const { return static_cast<std::size_t>(offsets[p]); }
  void end_path() {
    lengths.push_back(static_cast<std::int64_t>(points.size() / 3) - offsets.back());
    offsets.push_back(offsets.back() + lengths.back());
    max_length = std::max(max_length, static_cast<std::uint32_t>(lengths.back()));
  }
  PathsView view() const { return view(points.data(), offsets.data(), nullptr); }
  PathsView view(const float* at, Integers starts, Integers sizes) const {
    return {at, {.offsets = starts, .lengths = sizes, .pitch = 0, .max_length = max_length}};
  }
};

/// Makes random walks of points: most steps are a metre or less, some stand still, some jump. Some
/// queries begin at their reference's end, some follow it.
class PointScene {
 public:
  PointScene(std::uint64_t seed, std::uint32_t count, int max_reference, int max_query)
      : random_(seed) {
    for (std::uint32_t k = 0; k < count; ++k) {
      const int n = k == 0 ? max_reference : below(max_reference) + 1;
      walk(references, n, {below(9) - 4.0f, 0.0f, below(3) * 0.5f});
      reference.push_back(below(static_cast<int>(k) + 1));
      active.push_back(k % 7 != 3);
      stopped.push_back(k % 3 != 1);
    }
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto r = static_cast<std::uint32_t>(reference[k]);
      const float* path = references.path(r);
      const auto n = static_cast<int>(references.lengths[r]);
      const float* start = path + (k % 5 == 0 ? 3 * (n - 1) : 0);
      const int m = below(max_query) + 1;
      if (k % 4 == 1) {
        for (int t = 0; t < m; ++t) push(queries, path + 3 * std::min(t, n - 1));
        queries.end_path();
      } else {
        walk(queries, m, {start[0], start[1], start[2]});
      }
    }
    for (std::size_t k = 0; 3 * k < queries.points.size(); ++k) {
      goal.push_back(0.25f * static_cast<float>(below(30)));
    }
    active_bytes.assign(active.begin(), active.end());
    stopped_bytes.assign(stopped.begin(), stopped.end());
  }

  Batch batch(bool given_goal) const {
    return {.count = queries.count(),
            .queries = queries.view(),
            .references = references.view(),
            .reference = reference.data(),
            .reference_count = references.count(),
            .active = active_bytes.data(),
            .stopped = stopped_bytes.data(),
            .distance_to_goal = given_goal ? goal.data() : nullptr};
  }

  MadePoints references, queries;
  std::vector<std::int64_t> reference, active, stopped;
  std::vector<std::uint8_t> active_bytes, stopped_bytes;
  std::vector<float> goal;  ///< given distances

 private:
  int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
  static void push(MadePoints& to, const float* point) {
    to.points.insert(to.points.end(), point, point + 3);
  }
  void walk(MadePoints& to, int n, std::array<float, 3> at) {
    for (int t = 0; t < n; ++t) {
      push(to, at.data());
      if (below(6) == 0) continue;
      const float reach = below(8) == 0 ? 0.05f : 0.01f;
      for (float& x : at) x += reach * static_cast<float>(below(101) - 50);
    }
    to.end_path();
  }

  std::mt19937_64 random_;
};

/// Holds paths on a device.
struct PointsOnDevice {
  const MadePoints& made;
  Floats points;
  Numbers offsets;

  PointsOnDevice(cuda::Device& device, const MadePoints& paths, cuda::Stream stream)
      : made(paths),
        points(device, paths.points.size(), stream),
        offsets(device, paths.offsets, 8, stream) {
    points.write(device, paths.points, stream);
    device.wait(stream);
  }
  PathsView view() const { return made.view(points.data(), offsets, nullptr); }
};

/// Holds the rollouts of a scene on a device.
struct PointRolloutsOnDevice {
  PointsOnDevice queries, references;
  Numbers reference, active, stopped;
  Floats goal;

  PointRolloutsOnDevice(cuda::Device& device, const PointScene& scene, cuda::Stream stream)
      : queries(device, scene.queries, stream),
        references(device, scene.references, stream),
        reference(device, scene.reference, 4, stream),
        active(device, scene.active, 1, stream),
        stopped(device, scene.stopped, 1, stream),
        goal(device, scene.goal.size(), stream) {
    goal.write(device, scene.goal, stream);
  }
  Batch batch(bool given_goal) const {
    return {.count = queries.made.count(),
            .queries = queries.view(),
            .references = references.view(),
            .reference = reference,
            .reference_count = references.made.count(),
            .active = active.bytes(),
            .stopped = stopped.bytes(),
            .distance_to_goal = given_goal ? goal.data() : nullptr};
  }
};

/// Runs the episodes of a scene on the CPU and on a device, side by side. Episode e has reference
/// e.
class PointTrackers {
 public:
  PointTrackers(cuda::Device& device, const PointScene& scene, const RewardSettings& settings)
      : device_(device),
        scene_(scene),
        episodes_(scene.queries.count()),
        rewards_(settings),
        cpu_(rewards_, episodes_, {.max_reference_length = scene.references.max_length}),
        tables_({}, {}, {}, settings, {}),
        resident_(device, tables_),
        stream_(device),
        memory_(device, cuda::ResidentTracker::bytes_of_points(episodes_, max_reference())),
        there_(cuda::ResidentTracker::of_points(resident_, episodes_, memory_.data(),
                                                max_reference())),
        workspace_(device, there_.workspace_bytes(candidates)),
        references_(device, scene.references, stream()),
        stopped_(device, scene.stopped, 1, stream()) {
    there_.warm_up(stream());
  }

  /// Begins all episodes at their queries' first points.
  void reset() {
    const std::vector<float> starts = column(0);
    Floats start(device_, starts.size(), stream());
    start.write(device_, starts, stream());
    cpu_.reset(starts_of(episodes_, scene_.references.view(), starts.data()));
    const EpisodeStarts here{
        .count = episodes_, .references = references_.view(), .start = start.data()};
    there_.reset(here, stream());
    EXPECT_EQ(there_.check_reset(here, workspace_.data(), stream()).fault,
              kernels::EpisodeFault::none);
    expect_values("after a reset");
  }

  /// Begins every third episode anew, at its reference's first point.
  void reset_some() {
    MadePoints some;
    std::vector<std::uint32_t> episodes;
    std::vector<float> goals;
    for (std::uint32_t e = 0; e < episodes_; e += 3) {
      const std::uint32_t r = episodes_ - 1 - e;
      const float* path = scene_.references.path(r);
      some.points.insert(some.points.end(), path, path + 3 * scene_.references.lengths[r]);
      some.end_path();
      episodes.push_back(e);
      goals.push_back(0.25f * static_cast<float>(e));
    }
    const PointsOnDevice references(device_, some, stream());
    const Numbers episode(device_, {episodes.begin(), episodes.end()}, 8, stream());
    Floats goal(device_, goals.size(), stream());
    goal.write(device_, goals, stream());
    EpisodeStarts begun =
        starts_of(static_cast<std::uint32_t>(episodes.size()), some.view(), nullptr, goals.data());
    begun.episode = episodes.data();
    cpu_.reset(begun);
    there_.reset({.count = static_cast<std::uint32_t>(episodes.size()),
                  .episode = episode,
                  .references = references.view(),
                  .distance_to_goal = goal.data()},
                 stream());
    expect_values("after a reset of some");
  }

  /// Adds point t to the episodes that have one, with given distances to the goal or without.
  void step(std::uint32_t t, bool given_goal) {
    std::vector<std::int64_t> active;
    std::vector<float> goals;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      active.push_back(t < scene_.queries.lengths[e]);
      goals.push_back(0.5f * static_cast<float>((e + t) % 9));
    }
    const std::vector<std::uint8_t> active_bytes(active.begin(), active.end());
    const std::vector<float> points = column(t);
    Results want(episodes_);
    cpu_.step(points.data(), active_bytes.data(), want.reward.data(),
              given_goal ? goals.data() : nullptr);
    Floats on_device(device_, points.size(), stream()), goal(device_, goals.size(), stream());
    on_device.write(device_, points, stream());
    goal.write(device_, goals, stream());
    const Numbers actives(device_, active, 1, stream());
    DeviceResults got(device_, episodes_, stream());
    EXPECT_EQ(there_
                  .check_step(batch::view_of(PositionsView(on_device.data())), actives.bytes(),
                              workspace_.data(), stream())
                  .fault,
              kernels::EpisodeFault::none);
    there_.step(batch::view_of(PositionsView(on_device.data())), actives.bytes(),
                given_goal ? goal.data() : nullptr, got.reward.data(), stream());
    got.expect(device_, want, "step " + std::to_string(t), stream());
    expect_values("after step " + std::to_string(t));
  }

  void finish() {
    Results want(episodes_);
    cpu_.finish(scene_.stopped_bytes.data(), nullptr, want.reward.data());
    cpu_.finish(nullptr, scene_.stopped_bytes.data(), want.goal.data());
    DeviceResults got(device_, episodes_, stream());
    there_.finish(stopped_.bytes(), nullptr, got.reward.data(), stream());
    there_.finish(nullptr, stopped_.bytes(), got.goal.data(), stream());
    EXPECT_EQ(there_.check_finish(nullptr, workspace_.data(), stream()).fault,
              kernels::EpisodeFault::none);
    got.expect(device_, want, "ends", stream());
  }

  /// Scores continuations of 0 to 3 points.
  void extend() {
    MadePoints paths;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      for (std::uint32_t c = 0; c < candidates; ++c) {
        for (std::uint32_t t = 0; t < (e + c) % 4; ++t) {
          const std::vector<float> points = column(t + c);
          paths.points.insert(paths.points.end(), &points[3 * e], &points[3 * e] + 3);
        }
        paths.end_path();
      }
    }
    Results want(paths.lengths.size());
    cpu_.score_extensions(candidates, paths.view(), want.arrays(true));
    const PointsOnDevice on_device(device_, paths, stream());
    DeviceResults got(device_, paths.lengths.size(), stream());
    const kernels::PathArray view = batch::view_of(on_device.view());
    EXPECT_EQ(there_.check_extensions(candidates, view, workspace_.data(), stream()).fault,
              kernels::EpisodeFault::none);
    there_.score_extensions(candidates, view, got.arrays(true), workspace_.data(), stream());
    got.expect(device_, want, "continuations", stream());
    expect_values("after continuations");
  }

  /// Lets episodes change places, and one become another.
  void fork() {
    std::vector<std::uint32_t> from, to;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      from.push_back(e == 0 ? 0 : episodes_ - e);
      to.push_back(e);
    }
    cpu_.fork(episodes_, from.data(), to.data());
    const Numbers froms(device_, {from.begin(), from.end()}, 4, stream()),
        tos(device_, {to.begin(), to.end()}, 2, stream());
    there_.fork(episodes_, batch::view_of(Integers(froms)), batch::view_of(Integers(tos)),
                workspace_.data(), stream());
    expect_values("after a fork");
  }

 private:
  static constexpr std::uint32_t candidates = 3;

  int max_reference() const { return static_cast<int>(scene_.references.max_length); }
  cuda::Stream stream() const { return stream_.get(); }
  /// Returns point t of each query, or its last one.
  std::vector<float> column(std::uint32_t t) const {
    std::vector<float> points;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      const auto last = static_cast<std::uint32_t>(scene_.queries.lengths[e]) - 1;
      const float* point = scene_.queries.path(e) + 3 * std::min(t, last);
      points.insert(points.end(), point, point + 3);
    }
    return points;
  }
  void expect_values(const std::string& when) {
    Results want(episodes_);
    cpu_.values(want.arrays(true));
    DeviceResults got(device_, episodes_, stream());
    there_.values(got.arrays(true), stream());
    want.reward.assign(episodes_, never_written);
    got.expect(device_, want, when, stream());
  }

  cuda::Device& device_;
  const PointScene& scene_;
  const std::uint32_t episodes_;
  const Rewards rewards_;
  RewardTracker cpu_;
  const rewards::RewardTables tables_;
  const cuda::ResidentRewards resident_;
  const cuda::UniqueStream stream_;
  const cuda::DeviceArray<char> memory_;
  const cuda::ResidentTracker there_;
  const cuda::DeviceArray<char> workspace_;
  const PointsOnDevice references_;
  const Numbers stopped_;
};

}  // namespace warpath::testing
