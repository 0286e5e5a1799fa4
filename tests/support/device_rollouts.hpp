#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/resident_batch.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

// Lays rollouts and episodes out in host memory and on a device, to compare what both compute.

namespace warpath::testing {

inline constexpr float never_written = -7.0f;

/// Holds the queries of a batch as rollouts in host memory.
struct Rollouts {
  std::vector<std::int64_t> nodes, offsets{0}, lengths, reference, active, stopped;
  std::vector<std::uint8_t> active_bytes, stopped_bytes;
  std::vector<float> goal;  // given distances
  bool in_rows;
  std::uint32_t max_length = 1;

  Rollouts(const PairBatch& batch, bool rows) : in_rows(rows) {
    for (const Pair& pair : batch.pairs) {
      max_length =
          std::max(max_length, static_cast<std::uint32_t>(batch.queries.size_of(pair.query)));
    }
    for (const Pair& pair : batch.pairs) {
      const auto query = batch.queries[pair.query];
      nodes.insert(nodes.end(), query.begin(), query.end());
      if (in_rows) nodes.resize((lengths.size() + 1) * max_length, -1);
      offsets.push_back(static_cast<std::int64_t>(nodes.size()));
      lengths.push_back(static_cast<std::int64_t>(query.size()));
      reference.push_back(pair.reference);
      active.push_back(lengths.size() % 7 != 0);
      stopped.push_back(lengths.size() % 3 != 0);
    }
    active_bytes.assign(active.begin(), active.end());
    stopped_bytes.assign(stopped.begin(), stopped.end());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      goal.push_back(static_cast<float>((k * 37) % 11) * 0.75f);
    }
  }

  std::uint32_t count() const { return static_cast<std::uint32_t>(lengths.size()); }
  Layout layout(Integers starts, Integers sizes) const {
    if (in_rows) {
      return {.offsets = nullptr, .lengths = sizes, .pitch = max_length, .max_length = max_length};
    }
    return {.offsets = starts, .lengths = nullptr, .pitch = 0, .max_length = max_length};
  }
  Batch view(bool given_goal) const {
    return {.count = count(),
            .queries = {nodes.data(), layout(offsets.data(), lengths.data())},
            .reference = reference.data(),
            .active = active_bytes.data(),
            .stopped = stopped_bytes.data(),
            .distance_to_goal = given_goal ? goal.data() : nullptr};
  }
};

/// Holds floats on a device, at first never_written.
struct Floats {
  cuda::HostDeviceArray<float> memory;

  Floats(cuda::Device& device, std::size_t size, cuda::Stream stream) : memory(device, size) {
    write(device, std::vector<float>(size, never_written), stream);
  }
  void write(cuda::Device& device, const std::vector<float>& values, cuda::Stream stream) {
    std::ranges::copy(values, memory.host.data());
    memory.upload(device, values.size(), stream);
    device.wait(stream);
  }
  float* data() const { return memory.device.data(); }
  std::vector<float> read(cuda::Device& device, cuda::Stream stream) {
    memory.download(device, memory.host.size(), stream);
    device.wait(stream);
    return {memory.host.data(), memory.host.data() + memory.host.size()};
  }
};

inline void expect_bits(const std::vector<float>& got, const std::vector<float>& want,
                        const std::string& how) {
  ASSERT_EQ(got.size(), want.size()) << how;
  for (std::size_t k = 0; k < want.size(); ++k) {
    ASSERT_TRUE(same_bits(got[k], want[k]))
        << how << ": " << got[k] << " != " << want[k] << ", entry " << k << ", seed " << run_seed();
  }
}

/// Holds the four arrays of results in host memory.
struct Results {
  std::vector<float> reward, goal, ndtw, cls;

  explicit Results(std::size_t size)
      : reward(size, never_written), goal(reward), ndtw(reward), cls(reward) {}
  RewardArrays arrays(bool prefixes) {
    if (!prefixes) return {.reward = reward.data()};
    return {.reward = reward.data(),
            .distance_to_goal = goal.data(),
            .ndtw = ndtw.data(),
            .cls = cls.data()};
  }
};

/// Holds them on a device.
struct DeviceResults {
  Floats reward, goal, ndtw, cls;

  DeviceResults(cuda::Device& device, std::size_t size, cuda::Stream stream)
      : reward(device, size, stream),
        goal(device, size, stream),
        ndtw(device, size, stream),
        cls(device, size, stream) {}
  RewardArrays arrays(bool prefixes) const {
    if (!prefixes) return {.reward = reward.data()};
    return {.reward = reward.data(),
            .distance_to_goal = goal.data(),
            .ndtw = ndtw.data(),
            .cls = cls.data()};
  }
  void expect(cuda::Device& device, const Results& want, const std::string& how,
              cuda::Stream stream) {
    expect_bits(reward.read(device, stream), want.reward, how + ", reward");
    expect_bits(goal.read(device, stream), want.goal, how + ", distance to goal");
    expect_bits(ndtw.read(device, stream), want.ndtw, how + ", nDTW");
    expect_bits(cls.read(device, stream), want.cls, how + ", CLS");
  }
};

/// Runs the episodes of a batch on the CPU and on a device, side by side.
class Trackers {
 public:
  Trackers(cuda::Device& device, const PairBatch& batch, const RewardSettings& settings,
           const MetricSet& metrics)
      : device_(device),
        rollouts_(batch, true),
        episodes_(rollouts_.count()),
        rewards_(batch.scans, batch.references, scans_of(batch), settings),
        cpu_(rewards_, episodes_, {.metrics = metrics}),
        tables_(batch.scans, batch.references, scans_of(batch), settings, {}),
        resident_(device, tables_),
        stream_(device),
        memory_(device, cuda::ResidentTracker::bytes(resident_, episodes_)),
        there_(resident_, episodes_, memory_.data(), wanted(metrics)),
        workspace_(device, there_.workspace_bytes(candidates)),
        reference_(device, rollouts_.reference, 4, stream()),
        stopped_(device, rollouts_.stopped, 1, stream()) {
    there_.warm_up(stream());
  }

  void reset() {
    const std::vector<std::uint32_t> references(rollouts_.reference.begin(),
                                                rollouts_.reference.end());
    std::vector<std::uint32_t> starts;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      starts.push_back(static_cast<std::uint32_t>(node(e, 0)));
    }
    const Numbers start(device_, {starts.begin(), starts.end()}, 2, stream());
    cpu_.reset(starts_of({}, references, starts));
    there_.reset({.count = episodes_, .reference = reference_, .start = start}, stream());
    device_.wait(stream());
    expect_values("after a reset");
  }

  /// Begins every third episode anew, at its reference's first viewpoint.
  void reset_some() {
    std::vector<std::uint32_t> episodes, references;
    std::vector<float> goals;
    for (std::uint32_t e = 0; e < episodes_; e += 3) {
      episodes.push_back(e);
      references.push_back(static_cast<std::uint32_t>(rollouts_.reference[episodes_ - 1 - e]));
      goals.push_back(0.25f * static_cast<float>(e));
    }
    const Numbers episode(device_, {episodes.begin(), episodes.end()}, 4, stream()),
        reference(device_, {references.begin(), references.end()}, 8, stream());
    Floats goal(device_, goals.size(), stream());
    goal.write(device_, goals, stream());
    cpu_.reset(starts_of(episodes, references, {}, goals.data()));
    there_.reset({.count = static_cast<std::uint32_t>(episodes.size()),
                  .episode = episode,
                  .reference = reference,
                  .distance_to_goal = goal.data()},
                 stream());
    expect_values("after a reset of some");
  }

  /// Adds viewpoint t to the episodes that have one, with given distances to the goal or without.
  void step(std::uint32_t t, bool given_goal) {
    std::vector<std::int64_t> nodes, active;
    std::vector<float> goals;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      active.push_back(t < rollouts_.lengths[e]);
      nodes.push_back(active.back() != 0 ? node(e, t) : 65'000);
      goals.push_back(0.5f * static_cast<float>((e + t) % 9));
    }
    const std::vector<std::uint8_t> active_bytes(active.begin(), active.end());
    Results want(episodes_);
    cpu_.step(nodes.data(), active_bytes.data(), want.reward.data(),
              given_goal ? goals.data() : nullptr);
    const Numbers on_device(device_, nodes, 2, stream()), actives(device_, active, 1, stream());
    Floats goal(device_, goals.size(), stream());
    goal.write(device_, goals, stream());
    DeviceResults got(device_, episodes_, stream());
    there_.step(batch::view_of(PositionsView(Integers(on_device))), actives.bytes(),
                given_goal ? goal.data() : nullptr, got.reward.data(), stream());
    got.expect(device_, want, "step " + std::to_string(t), stream());
    expect_values("after step " + std::to_string(t));
  }

  void finish() {
    Results want(episodes_);
    cpu_.finish(rollouts_.stopped_bytes.data(), nullptr, want.reward.data());
    cpu_.finish(nullptr, rollouts_.stopped_bytes.data(), want.goal.data());
    DeviceResults got(device_, episodes_, stream());
    there_.finish(stopped_.bytes(), nullptr, got.reward.data(), stream());
    there_.finish(nullptr, stopped_.bytes(), got.goal.data(), stream());
    got.expect(device_, want, "ends", stream());
  }

  /// Scores continuations of 0 to 3 viewpoints.
  void extend() {
    std::vector<std::int64_t> nodes, lengths;
    for (std::uint32_t e = 0; e < episodes_; ++e) {
      for (std::uint32_t c = 0; c < candidates; ++c) {
        for (std::uint32_t t = 0; t < 3; ++t) {
          nodes.push_back(node(e, (t + c) % static_cast<std::uint32_t>(rollouts_.lengths[e])));
        }
        lengths.push_back((e + c) % 4);
      }
    }
    const auto paths = [](Integers viewpoints, Integers sizes) {
      return PathsView{viewpoints, {.lengths = sizes, .pitch = 3, .max_length = 3}};
    };
    Results want(lengths.size());
    cpu_.score_extensions(candidates, paths(nodes.data(), lengths.data()), want.arrays(true));
    const Numbers on_device(device_, nodes, 2, stream()), sizes(device_, lengths, 1, stream());
    DeviceResults got(device_, lengths.size(), stream());
    there_.score_extensions(candidates, batch::view_of(paths(on_device, sizes)), got.arrays(true),
                            workspace_.data(), stream());
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

  static RewardArrays wanted(const MetricSet& metrics) {
    static float some = 0.0f;
    RewardArrays arrays;
    if (metrics[Metric::nDTW]) arrays.ndtw = &some;
    if (metrics[Metric::CLS]) arrays.cls = &some;
    return arrays;
  }
  cuda::Stream stream() const { return stream_.get(); }
  std::int64_t node(std::uint32_t e, std::uint32_t t) const {
    return rollouts_.nodes[std::size_t{e} * rollouts_.max_length + t];
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
  const Rollouts rollouts_;
  const std::uint32_t episodes_;
  const Rewards rewards_;
  RewardTracker cpu_;
  const rewards::RewardTables tables_;
  const cuda::ResidentRewards resident_;
  const cuda::UniqueStream stream_;
  const cuda::DeviceArray<char> memory_;
  const cuda::ResidentTracker there_;
  const cuda::DeviceArray<char> workspace_;
  const Numbers reference_, stopped_;
};

}  // namespace warpath::testing
