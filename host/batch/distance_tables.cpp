#include "host/batch/distance_tables.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "host/io/progress.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/sum.hpp"

namespace warpath::batch {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::uint64_t row_count(std::span<const ScanTable> tables) {
  std::uint64_t rows = 0;
  for (const ScanTable& table : tables) rows += static_cast<std::uint64_t>(table.pad);
  return rows;
}

bool has_infinity(std::span<const double> row) {
  return std::ranges::any_of(row, [](double d) { return std::isinf(d); });
}

}  // namespace

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention)
    : tables_(scans.size(), ScanTable{0, 0, 0}), is_symmetric_(scans.size(), 1) {
  // Indices into the tables are 32 bits wide; scans that do not fit get no table.
  std::size_t entries = 0;
  for (std::size_t s = 0; s < scans.size(); ++s) {
    const std::size_t size = scans[s]->size(), pitch = kernels::table_pitch(size);
    if (size > max_viewpoints || entries + kernels::table_entries(size) > std::size_t{1} << 30)
      continue;
    tables_[s] = {static_cast<std::uint32_t>(entries), static_cast<std::int32_t>(pitch),
                  static_cast<std::int32_t>(size)};
    entries += kernels::table_entries(size);
  }
  distance_.assign(entries, infinity);
  std::atomic<bool> are_connected = true;
  Progress progress("tables of distances", row_count(tables_), "rows");
  tbb::parallel_for(std::uint32_t{0}, static_cast<std::uint32_t>(scans.size()), [&](auto s) {
    if (!has(s)) return;
    Distances distances(*scans[s], convention.distance);
    fill(s, distances, convention.threshold, progress);
    is_symmetric_[s] = compare_halves(s);
    // If edges lead both ways and the first viewpoint reaches all others, every viewpoint does.
    const std::size_t sources = scans[s]->is_directed() ? scans[s]->size() : 1;
    for (Node n = 0; n < std::min(sources, scans[s]->size()); ++n) {
      if (has_infinity(distances.row_to(n))) are_connected = false;
    }
  });
  are_connected_ = are_connected;
  is_directed_ = std::ranges::any_of(scans, [](const Scan* scan) { return scan->is_directed(); });
}

bool DistanceTables::has_all() const {
  return std::ranges::all_of(tables_, [](const ScanTable& t) { return t.pitch > 0; });
}

bool DistanceTables::are_symmetric() const {
  return std::ranges::all_of(is_symmetric_, [](std::uint8_t is) { return is != 0; });
}

void DistanceTables::fill(std::uint32_t scan, Distances& distances, double threshold,
                          Progress& progress) {
  const ScanTable& t = tables_[scan];
  for (Node a = 0; a < static_cast<Node>(t.pad); ++a) {
    const auto row = distances.row_to(a);
    // Fills column a: kernels read d(query, reference), and the reference back end sums outwards
    // from r.
    float* out = distance_.data() + t.base + a;
    for (Node b = 0; b < static_cast<Node>(t.pad); ++b) {
      out[static_cast<std::size_t>(b) * t.pitch] =
          a == b ? 0.0f : std::max(rounded(row[b], threshold), std::numeric_limits<float>::min());
    }
    progress.add();
  }
}

bool DistanceTables::compare_halves(std::uint32_t scan) const {
  for (Node a = 0; a < static_cast<Node>(tables_[scan].pad); ++a) {
    for (Node b = 0; b < a; ++b) {
      if (distance(scan, a, b) != distance(scan, b, a)) return false;
    }
  }
  return true;
}

float DistanceTables::path_length(std::uint32_t scan, std::span<const Node> path) const {
  kernels::Sum<kernels::ScalarLanes> sum{0.0f, 0.0f};
  for (std::size_t i = 1; i < path.size(); ++i) sum.add(distance(scan, path[i - 1], path[i]));
  return sum.high;
}

}  // namespace warpath::batch
