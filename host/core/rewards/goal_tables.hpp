#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/rewards/kept_goals.hpp"
#include "warpath/graph.hpp"
#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"

namespace warpath::rewards {

/// Holds the distance from every viewpoint of a scan to each goal: the least where a goal is a set.
/// Distances are computed in double and rounded so that nothing is decided otherwise in single:
/// * Different distances to one goal stay different, in the same order.
/// * A distance is on the same side of the success radius as in double, and 0 only if it is 0.
class GoalTables {
 public:
  /// @param goals by reference: viewpoints; empty: each reference's last
  /// @param graphs keeps the distances for those that come after; null: nothing does
  /// @throws InputError that names the reference whose goal has no viewpoint, or one that its scan
  /// does not have
  GoalTables(std::span<const Scan* const> scans, const PathSet& references,
             std::span<const std::uint32_t> scan_of, const PathSet& goals,
             const RewardSettings& settings, const GraphStore* graphs = nullptr);

  /// Has no distances: batches give them. @param references their number
  explicit GoalTables(std::size_t references) : first_(references) {}

  /// Returns the distances, those to one goal after those to another.
  std::span<const float> distances() const { return distances_; }
  /// Returns where those to the goal of a reference begin.
  std::uint32_t first(std::uint32_t reference) const { return first_[reference]; }

 private:
  // Adds the goals of these references. @param rows of the scan; new ones are added
  void add_scan(const Scan& scan, std::span<const std::uint32_t> of_scan, const PathSet& references,
                const PathSet& goals, const RewardSettings& settings, KeptGoals::Rows& rows);

  std::vector<float> distances_;
  std::vector<std::uint32_t> first_;  // by reference
};

/// Rounds distances to single precision as GoalTables does. @param radius of success, >= 0
std::vector<float> round_in_order(std::span<const double> distances, double radius);

}  // namespace warpath::rewards
