#include "host/core/walks/walk_tables.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "host/core/definitions/path_convention.hpp"

namespace warpath::walks {
namespace {

std::size_t max_neighbours(const Scan& scan) {
  std::size_t max = 0;
  for (Node n = 0; n < scan.size(); ++n) max = std::max(max, scan.neighbours(n).size());
  return max;
}

// Returns the logarithm of the number of entries for each viewpoint.
int shift_of(const Scan& scan) {
  return std::bit_width(std::max<std::size_t>(max_neighbours(scan), 1) - 1);
}

kernels::StepTable step_table(const StepCounts& steps) {
  kernels::StepTable table{};
  std::uint32_t below = 0;
  for (const auto& [number, count] : steps) {
    if (count == 0) continue;
    below += static_cast<std::uint32_t>(count);
    table.steps[table.kinds] = number;
    table.below[table.kinds++] = below;
  }
  return table;
}

bool has_few_kinds(const StepCounts& steps) {
  return std::ranges::count_if(steps, [](const auto& entry) { return entry.second > 0; }) <=
         kernels::StepTable::max_kinds;
}

// Tells whether every step of every reference is an edge.
bool move_along_edges(const RandomWalks& walks) {
  for (std::uint32_t r = 0; r < walks.references().size(); ++r) {
    const std::span<const Node> path = walks.references()[r];
    const Scan& scan = *walks.scans()[walks.scan_of()[r]];
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (!scan.adjacent(path[i - 1], path[i])) return false;
    }
  }
  return true;
}

bool are_usable_for(const RandomWalks& walks, const Convention& convention,
                    const batch::DistanceTables& distances) {
  return !definitions::takes_own_lengths(convention) && distances.has_all() &&
         distances.are_symmetric() &&
         std::ranges::all_of(walks.scans(), [](const Scan* s) { return WalkEdges::fit(*s); }) &&
         has_few_kinds(walks.steps());
}

}  // namespace

bool WalkEdges::fit(const Scan& scan) {
  return scan.size() <= std::numeric_limits<std::uint16_t>::max() &&
         scan.size() << shift_of(scan) <= max_entries;
}

WalkEdges::WalkEdges(const Scan& scan, const batch::DistanceTables& distances, std::uint32_t number)
    : shift_(shift_of(scan)), next_(scan.size() << shift_), length_(next_.size()) {
  for (Node n = 0; n < scan.size(); ++n) {
    std::size_t entry = std::size_t{n} << shift_;
    for (const Node neighbour : scan.neighbours(n)) {
      next_[entry] = start_word(scan, neighbour);
      length_[entry++] = distances.distance(number, n, neighbour);
    }
  }
}

std::uint32_t start_word(const Scan& scan, Node start) {
  return start | static_cast<std::uint32_t>(scan.neighbours(start).size()) << 16;
}

kernels::PhiloxKey key_of(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

Convention swept_convention(const RandomWalks& walks, const Convention& convention) {
  Convention swept = convention;
  // Just beside the threshold, a distance in the tables is not 1 (see DistanceTables).
  const bool is_exact =
      convention.distance == Distance::hops && batch::rounded(1.0, convention.threshold) == 1.0f;
  if (is_exact && move_along_edges(walks)) swept.cls_step = ClsStep::shortest;
  return swept;
}

WalkTables::WalkTables(const RandomWalks& walks, const Convention& convention)
    : distances(walks.scans(), convention),
      steps{},
      seed(key_of(walks.seed())),
      are_usable(are_usable_for(walks, convention, distances)) {
  if (!are_usable) return;
  steps = step_table(walks.steps());
  for (std::uint32_t s = 0; s < walks.scans().size(); ++s) {
    edges.emplace_back(*walks.scans()[s], distances, s);
  }
}

}  // namespace warpath::walks
