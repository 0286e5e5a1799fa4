#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "host/checks/device_arrays.hpp"
#include "host/checks/host_paths.hpp"
#include "host/checks/resident_batch.hpp"
#include "warpath/paths.hpp"
#include "warpath/rewards.hpp"

namespace warpath::checks {

/// A finished rollout.
struct Rollout {
  std::uint32_t reference;
  std::vector<Node> nodes;
  bool stopped = true, active = true;
  std::vector<float> goal{};  ///< given distances to the goal, by viewpoint
};

/// Scans, references with their goals, and rollouts.
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
  std::size_t references = 40, rollouts = 200, max_reference = 40, max_query = 50,
              max_viewpoints = 47;
  bool in_parts = true;  ///< some scans are in two parts that no edge joins
  bool directed = false;
};

/// Makes random scans with paths of equal length, with lengths that differ in the last bit, with
/// viewpoints at one place, and rollouts that follow their references, repeat viewpoints, jump, end
/// early or begin at their goals.
RewardWorld make_reward_world(std::uint64_t seed, const RewardWorldSize& size = {});

/// Rollouts in host memory, with integers of any width: exactly as much memory as a batch promises
/// to have, so that a sanitizer sees reads behind its end.
class HostRollouts {
 public:
  HostRollouts(const std::vector<Rollout>& rollouts, const Form& form, bool gives_goals);

  const Batch& batch() const { return batch_; }
  Layout layout() const { return batch_.queries.layout; }
  /// Returns the number of entries of an array that is laid out as the queries are.
  std::size_t size() const { return paths_.size(); }
  /// Returns where viewpoint t of rollout k lies.
  std::size_t at(std::size_t k, std::size_t t) const { return paths_.at(k) + t; }
  std::size_t begin(std::size_t k) const { return paths_.at(k); }
  std::size_t end(std::size_t k) const { return paths_.at(k + 1); }

 private:
  HostPaths paths_;
  HostIntegers viewpoints_, lengths_, offsets_, reference_;
  std::vector<std::uint8_t> active_, stopped_;
  std::vector<float> goal_;
  Batch batch_;
};

}  // namespace warpath::checks
