#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "warpath/error.hpp"
#include "warpath/paths.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {

/// Holds a finished rollout.
struct Rollout {
  std::uint32_t reference;
  std::vector<Node> nodes;
  bool stopped = true, active = true;
  std::vector<float> goal{};  ///< given distances to the goal, by viewpoint
};

/// Holds scans, references with their goals, and rollouts.
struct RewardWorld {
  std::deque<Scan> scans;
  std::vector<const Scan*> scan_list;
  PathSet references, goals;
  std::vector<std::uint32_t> scan_of;
  std::vector<Rollout> rollouts;

  const Scan& scan(std::uint32_t reference) const { return scans[scan_of[reference]]; }
  /// Returns the goal of a reference: its last viewpoint, unless there are goals.
  std::vector<Node> goal(std::uint32_t reference, bool in_sets) const;
  /// @param in_sets whether the goals are those of `goals`
  Rewards rewards(const RewardSettings& settings, bool in_sets = false, int threads = 1) const {
    return {scan_list,
            references,
            scan_of,
            settings,
            {in_sets ? goals : PathSet{}, Place::host(threads)}};
  }
};

/// Says what a random world has.
struct RewardWorldSize {
  std::size_t references = 40, rollouts = 200, max_reference = 40, max_query = 50;
  bool in_parts = true;  ///< some scans are in two parts that no edge joins
  bool directed = false;
};

/// Makes random scans with paths of equal length, with lengths that differ in the last bit, with
/// viewpoints at one place, and rollouts that follow their references, repeat viewpoints, jump, end
/// early or begin at their goals.
RewardWorld make_reward_world(std::uint64_t seed, const RewardWorldSize& size = {});

/// Returns a walk along edges. @param jump one step in that many leads anywhere; 0: none
std::vector<Node> reward_walk(std::mt19937_64& random, const Scan& scan, Node start,
                              std::size_t nodes, std::size_t jump);

/// Says how rollouts lie in memory.
struct RolloutForm {
  std::uint8_t id_bytes = 4, length_bytes = 4;
  bool in_rows = true;
  bool has_both = false;  ///< offsets and lengths

  std::string name() const;
};

/// Holds rollouts as callers do: exactly as much memory as a batch promises to have, so that a
/// sanitizer sees reads behind its end. What belongs to no path is −1.
class HostRollouts {
 public:
  HostRollouts(const std::vector<Rollout>& rollouts, const RolloutForm& form, bool gives_goals);

  const Batch& batch() const { return batch_; }
  Layout layout() const { return batch_.queries.layout; }
  /// Returns the number of entries of an array that is laid out as the queries are.
  std::size_t size() const { return size_; }
  /// Returns where viewpoint t of rollout k lies.
  std::size_t at(std::size_t k, std::size_t t) const { return begin_[k] + t; }
  std::size_t begin(std::size_t k) const { return begin_[k]; }
  std::size_t end(std::size_t k) const { return k + 1 < begin_.size() ? begin_[k + 1] : size_; }

 private:
  struct Numbers {
    std::vector<std::uint8_t> bytes;
    std::uint8_t width = 4;
    operator warpath::Integers() const { return {bytes.data(), width}; }
  };
  static Numbers numbers(const std::vector<std::int64_t>& values, std::uint8_t width);

  Numbers nodes_, lengths_, offsets_, reference_;
  std::vector<std::uint8_t> active_, stopped_;
  std::vector<float> goal_;
  std::vector<std::size_t> begin_;
  std::size_t size_ = 0;
  Batch batch_;
};

/// Holds the arrays for the results of rollouts, filled with a value that no result has.
struct RewardResults {
  static constexpr float untouched = -12345.0f;
  std::vector<float> reward, goal, ndtw, cls;

  explicit RewardResults(std::size_t size)
      : reward(size, untouched), goal(reward), ndtw(reward), cls(reward) {}
  RewardArrays arrays() {
    return {.reward = reward.data(),
            .distance_to_goal = goal.data(),
            .ndtw = ndtw.data(),
            .cls = cls.data()};
  }
};

/// Returns the error that a call throws; "" if it throws none.
template <class Call>
std::string error_of_call(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace warpath::testing
