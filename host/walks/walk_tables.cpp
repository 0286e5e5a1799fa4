#include "host/walks/walk_tables.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace warpath::walks {
namespace {

constexpr std::size_t max_node = std::numeric_limits<std::uint16_t>::max();

std::size_t max_neighbours(const Scan& scan) {
  std::size_t max = 0;
  for (Node n = 0; n < scan.size(); ++n) max = std::max(max, scan.neighbours(n).size());
  return max;
}

// Returns the logarithm of the number of entries for each viewpoint.
int shift_of(const Scan& scan) {
  return std::bit_width(std::max<std::size_t>(max_neighbours(scan), 1) - 1);
}

}  // namespace

bool WalkEdges::fit(const Scan& scan) {
  return scan.size() <= max_node && scan.size() << shift_of(scan) <= max_entries;
}

WalkEdges::WalkEdges(const Scan& scan, std::span<const float> lengths)
    : shift_(shift_of(scan)), next_(scan.size() << shift_), length_(next_.size()) {
  for (Node n = 0; n < scan.size(); ++n) {
    const std::span<const Node> neighbours = scan.neighbours(n);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const std::size_t entry = (std::size_t{n} << shift_) + i;
      next_[entry] = start_word(scan, neighbours[i]);
      if (!lengths.empty()) length_[entry] = lengths[scan.first_edge(n) + i];
    }
  }
}

std::uint32_t start_word(const Scan& scan, Node start) {
  return start | static_cast<std::uint32_t>(scan.neighbours(start).size()) << 16;
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

}  // namespace warpath::walks
