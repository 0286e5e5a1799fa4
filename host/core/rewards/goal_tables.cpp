#include "host/core/rewards/goal_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "host/files/formats/graph_store_state.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::rewards {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float least = std::numeric_limits<float>::min();
// Bounds what is held of a large scan.
constexpr std::size_t max_kept_entries = std::size_t{1} << 26, max_bytes = std::size_t{1} << 27;

// Returns the goal of a reference, sorted, so that equal goals share their distances.
std::vector<Node> goal_of(std::uint32_t r, const Scan& scan, const PathSet& references,
                          const PathSet& goals) {
  if (goals.size() == 0) return {references[r].back()};
  std::vector<Node> goal(goals[r].begin(), goals[r].end());
  std::ranges::sort(goal);
  goal.erase(std::unique(goal.begin(), goal.end()), goal.end());
  if (goal.empty()) {
    throw InputError({fmt::format("goal of reference {}", r)}, "has no viewpoint",
                     "give at least one");
  }
  if (goal.back() >= scan.size()) {
    throw InputError({fmt::format("goal of reference {}", r)},
                     fmt::format("viewpoint {} does not exist: scan {} has {}", goal.back(),
                                 scan.id(), scan.size()),
                     "give indices into the scan");
  }
  return goal;
}

std::vector<double> distances_to(std::span<const Node> goal, Distances& distances) {
  const auto first = distances.row_to(goal.front());
  std::vector<double> nearest(first.begin(), first.end());
  for (const Node g : goal.subspan(1)) {
    std::ranges::transform(nearest, distances.row_to(g), nearest.begin(),
                           [](double a, double b) { return std::min(a, b); });
  }
  return nearest;
}

// Returns the rounded distances to a goal, and keeps them with those of the scan.
const std::vector<float>& row_of(const std::vector<Node>& goal, const Scan& scan,
                                 const RewardSettings& settings,
                                 std::optional<Distances>& distances, KeptGoals::Rows& rows) {
  if (const auto row = rows.find(goal); row != rows.end()) return row->second;
  if (!distances) distances.emplace(scan, settings.goal_distance);
  if (distances->bytes() > max_bytes) distances->clear();
  std::vector<float> row = round_in_order(distances_to(goal, *distances), settings.success_radius);
  // There are far more sets than viewpoints.
  const std::size_t max_rows = 64 + std::min(4 * scan.size(), max_kept_entries / scan.size());
  if (rows.size() >= max_rows) rows.clear();
  return rows.emplace(goal, std::move(row)).first->second;
}

}  // namespace

KeptGoals& KeptGoals::of(const GraphStore& graphs) {
  GraphStore::State& state = graphs.state();
  const std::lock_guard lock(state.mutex);
  if (state.goals == nullptr) state.goals = std::make_shared<KeptGoals>();
  return *state.goals;
}

GoalTables::GoalTables(std::span<const Scan* const> scans, const PathSet& references,
                       std::span<const std::uint32_t> scan_of, const PathSet& goals,
                       const RewardSettings& settings, const GraphStore* graphs)
    : first_(references.size()) {
  // References by scan, so that the distances of one scan at a time are held.
  std::vector<std::uint32_t> order(references.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t r) { return scan_of[r]; });
  const auto add_scans = [&](KeptGoals::RowsOfScan& kept) {
    for (auto first = order.begin(); first != order.end();) {
      const std::uint32_t s = scan_of[*first];
      const auto end = std::find_if(first, order.end(), [&](auto r) { return scan_of[r] != s; });
      const bool is_kept = graphs != nullptr && graphs->state().has(*scans[s]);
      KeptGoals::Rows own;
      add_scan(*scans[s], {first, end}, references, goals, settings,
               is_kept ? kept[scans[s]] : own);
      first = end;
    }
  };
  if (graphs == nullptr) {
    KeptGoals::RowsOfScan none;
    add_scans(none);
  } else {
    KeptGoals::of(*graphs).with(settings.goal_distance, settings.success_radius, add_scans);
  }
}

void GoalTables::add_scan(const Scan& scan, std::span<const std::uint32_t> of_scan,
                          const PathSet& references, const PathSet& goals,
                          const RewardSettings& settings, KeptGoals::Rows& rows) {
  std::optional<Distances> distances;
  std::map<std::vector<Node>, std::uint32_t> known;
  for (const std::uint32_t r : of_scan) {
    const auto [place, is_new] = known.try_emplace(goal_of(r, scan, references, goals), 0);
    if (is_new) {
      place->second = static_cast<std::uint32_t>(distances_.size());
      const auto& rounded = row_of(place->first, scan, settings, distances, rows);
      distances_.insert(distances_.end(), rounded.begin(), rounded.end());
      if (distances_.size() > std::numeric_limits<std::int32_t>::max()) {
        throw InputError({"goals"}, "there are more than 2^31 distances to them",
                         "reward the scans apart");
      }
    }
    first_[r] = place->second;
  }
}

std::vector<float> round_in_order(std::span<const double> distances, double radius) {
  std::vector<std::size_t> order(distances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t v) { return distances[v]; });
  std::vector<float> rounded(distances.size());
  const auto limit = static_cast<float>(radius);
  const auto above =
      std::ranges::upper_bound(order, radius, {}, [&](std::size_t v) { return distances[v]; });
  // From the radius outwards: each distance is pushed beyond the one before it, if it must be.
  float before = limit;
  double before_exact = radius;
  for (auto v = above; v != order.end(); ++v) {
    const double exact = distances[*v];
    if (exact != before_exact) {
      before = std::max({static_cast<float>(exact), std::nextafter(before, infinity), least});
    }
    before_exact = exact;
    rounded[*v] = before;
  }
  before = limit;
  before_exact = radius;
  for (auto v = above; v != order.begin();) {
    const double exact = distances[*--v];
    if (exact != before_exact) {
      before = std::min(static_cast<float>(exact), std::nextafter(before, -infinity));
      if (exact > 0.0) before = std::max(before, least);
    }
    before_exact = exact;
    rounded[*v] = before;
  }
  return rounded;
}

}  // namespace warpath::rewards
