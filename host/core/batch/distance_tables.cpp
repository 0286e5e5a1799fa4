#include "host/core/batch/distance_tables.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/core/base/progress.hpp"
#include "host/core/batch/kept_tables.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/sum.hpp"

namespace warpath::batch {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr std::size_t max_entries = std::size_t{1} << 30;

std::uint64_t row_count(std::span<const ScanTable> tables) {
  std::uint64_t rows = 0;
  for (const ScanTable& table : tables) rows += static_cast<std::uint64_t>(table.pad);
  return rows;
}

bool has_infinity(std::span<const double> row) {
  return std::ranges::any_of(row, [](double d) { return std::isinf(d); });
}

}  // namespace

DistanceTables::DistanceTables() : distance_(std::make_shared<std::vector<float>>()) {}

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention)
    : DistanceTables(scans, convention, DistanceTables()) {}

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                               const GraphStore* graphs)
    : DistanceTables(graphs == nullptr ? DistanceTables(scans, convention)
                                       : KeptTables::of(*graphs).get(*graphs, scans, convention)) {}

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                               const DistanceTables& first)
    : tables_(first.tables_),
      is_symmetric_(first.is_symmetric_),
      is_connected_(first.is_connected_),
      is_directed_(first.is_directed_) {
  tables_.resize(scans.size(), ScanTable{0, 0, 0});
  is_symmetric_.resize(scans.size(), 1);
  is_connected_.resize(scans.size(), 1);
  for (const Scan* scan : scans.subspan(first.size())) is_directed_.push_back(scan->is_directed());
  // Indices into the tables are 32 bits wide; scans that do not fit get no table.
  std::size_t entries = first.entries();
  for (std::size_t s = first.size(); s < scans.size(); ++s) {
    const std::size_t size = scans[s]->size(), pitch = kernels::table_pitch(size);
    if (size > max_viewpoints || entries + kernels::table_entries(size) > max_entries) continue;
    tables_[s] = {static_cast<std::uint32_t>(entries), static_cast<std::int32_t>(pitch),
                  static_cast<std::int32_t>(size)};
    entries += kernels::table_entries(size);
  }
  distance_ = std::make_shared<std::vector<float>>();
  distance_->reserve(entries);
  *distance_ = *first.distance_;
  distance_->resize(entries, infinity);
  const auto begin = static_cast<std::uint32_t>(first.size());
  base::Progress progress("tables of distances", row_count(std::span(tables_).subspan(begin)),
                          "rows");
  tbb::parallel_for(begin, static_cast<std::uint32_t>(scans.size()), [&](auto s) {
    if (!has(s)) return;
    Distances distances(*scans[s], convention.distance);
    fill(s, distances, convention.threshold, progress);
    is_symmetric_[s] = compare_halves(s);
    // If edges lead both ways and the first viewpoint reaches all others, every viewpoint does.
    const std::size_t sources = scans[s]->is_directed() ? scans[s]->size() : 1;
    for (Node n = 0; n < std::min(sources, scans[s]->size()); ++n) {
      if (has_infinity(distances.row_to(n))) is_connected_[s] = 0;
    }
  });
}

DistanceTables::DistanceTables(Made made)
    : tables_{{0, static_cast<std::int32_t>(kernels::table_pitch(made.viewpoints)),
               static_cast<std::int32_t>(made.viewpoints)}},
      is_symmetric_{made.is_symmetric},
      is_connected_{made.is_connected},
      is_directed_{made.is_directed},
      distance_(std::make_shared<std::vector<float>>(std::move(made.distance))) {}

DistanceTables::DistanceTables(const DistanceTables& others, std::span<const std::uint32_t> scans)
    : distance_(others.distance_) {
  for (const std::uint32_t s : scans) {
    tables_.push_back(others.tables_[s]);
    is_symmetric_.push_back(others.is_symmetric_[s]);
    is_connected_.push_back(others.is_connected_[s]);
    is_directed_.push_back(others.is_directed_[s]);
  }
}

bool DistanceTables::fit(std::span<const Scan* const> scans) {
  std::size_t entries = 0;
  for (const Scan* scan : scans) {
    if (scan->size() <= max_viewpoints) entries += kernels::table_entries(scan->size());
  }
  return entries <= max_entries;
}

bool DistanceTables::has_all() const {
  return std::ranges::all_of(tables_, [](const ScanTable& t) { return t.pitch > 0; });
}

bool DistanceTables::are_symmetric() const {
  return std::ranges::all_of(is_symmetric_, [](std::uint8_t is) { return is != 0; });
}

bool DistanceTables::are_connected() const {
  return std::ranges::all_of(is_connected_, [](std::uint8_t is) { return is != 0; });
}

bool DistanceTables::has_directed() const {
  return std::ranges::any_of(is_directed_, [](std::uint8_t is) { return is != 0; });
}

void DistanceTables::fill(std::uint32_t scan, Distances& distances, double threshold,
                          base::Progress& progress) {
  const ScanTable& t = tables_[scan];
  for (Node a = 0; a < static_cast<Node>(t.pad); ++a) {
    const auto row = distances.row_to(a);
    // Fills column a: kernels read d(query, reference), and the reference back end sums outwards
    // from r.
    float* out = distance_->data() + t.base + a;
    for (Node b = 0; b < static_cast<Node>(t.pad); ++b) {
      out[static_cast<std::size_t>(b) * t.pitch] = table_entry(a == b, row[b], threshold);
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
