#include "host/core/batch/distance_tables.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "host/core/base/progress.hpp"
#include "host/core/batch/compact_table.hpp"
#include "host/core/batch/kept_tables.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/sum.hpp"

namespace warpath::batch {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

static_assert(kernels::table_entries(DistanceTables::max_large_viewpoints) <=
              DistanceTables::max_entries);
static_assert(kernels::table_entries(DistanceTables::max_large_viewpoints + 1) >
              DistanceTables::max_entries);

bool has_table(const Scan& scan, LargeTables large) {
  return large == LargeTables::all || scan.size() <= DistanceTables::max_viewpoints;
}

std::uint64_t row_count(std::span<const ScanTable> tables) {
  std::uint64_t rows = 0;
  for (const ScanTable& table : tables) rows += static_cast<std::uint64_t>(table.pad);
  return rows;
}

bool has_infinity(std::span<const double> row) {
  return std::ranges::any_of(row, [](double d) { return std::isinf(d); });
}

}  // namespace

DistanceTables::DistanceTables() : distance_(std::make_shared<base::ZeroedVector<float>>()) {}

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                               LargeTables large)
    : DistanceTables(scans, convention, DistanceTables(), large) {}

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                               const GraphStore* graphs, LargeTables large)
    : DistanceTables(graphs == nullptr
                         ? DistanceTables(scans, convention, large)
                         : KeptTables::of(*graphs).get(*graphs, scans, convention, large)) {}

DistanceTables::DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                               const DistanceTables& first, LargeTables large)
    : tables_(first.tables_),
      is_symmetric_(first.is_symmetric_),
      is_connected_(first.is_connected_),
      is_directed_(first.is_directed_) {
  tables_.resize(scans.size(), ScanTable{0, 0, 0});
  is_symmetric_.resize(scans.size(), 1);
  is_connected_.resize(scans.size(), 1);
  for (const Scan* scan : scans.subspan(first.size())) is_directed_.push_back(scan->is_directed());
  // Scans whose tables indices do not reach have none.
  std::size_t entries = first.entries();
  for (std::size_t s = first.size(); s < scans.size(); ++s) {
    const std::size_t size = scans[s]->size(), own = kernels::table_entries(size);
    if (!has_table(*scans[s], large) || own > max_entries - entries) continue;
    tables_[s] = {static_cast<std::uint32_t>(entries),
                  static_cast<std::int32_t>(kernels::table_pitch(size)),
                  static_cast<std::int32_t>(size)};
    entries += own;
  }
  distance_ = std::make_shared<base::ZeroedVector<float>>();
  distance_->reserve(entries);
  *distance_ = *first.distance_;
  distance_->resize(entries, infinity);
  const auto begin = static_cast<std::uint32_t>(first.size());
  base::Progress progress("tables of distances", row_count(std::span(tables_).subspan(begin)),
                          "rows");
  tbb::parallel_for(begin, static_cast<std::uint32_t>(scans.size()), [&](auto s) {
    if (!has(s)) return;
    if (scans[s]->size() > max_viewpoints) {
      fill_large(s, *scans[s], convention, progress);
    } else {
      fill(s, *scans[s], convention, progress);
    }
  });
}

DistanceTables::DistanceTables(Made made)
    : tables_{{0, static_cast<std::int32_t>(kernels::table_pitch(made.viewpoints)),
               static_cast<std::int32_t>(made.viewpoints)}},
      is_symmetric_{made.is_symmetric},
      is_connected_{made.is_connected},
      is_directed_{made.is_directed},
      distance_(std::make_shared<base::ZeroedVector<float>>(std::move(made.distance))) {}

DistanceTables::DistanceTables(const DistanceTables& others, std::span<const std::uint32_t> scans)
    : distance_(others.distance_) {
  for (const std::uint32_t s : scans) {
    tables_.push_back(others.tables_[s]);
    add_traits(others, s);
  }
}

void DistanceTables::add_traits(const DistanceTables& others, std::uint32_t scan) {
  is_symmetric_.push_back(others.is_symmetric_[scan]);
  is_connected_.push_back(others.is_connected_[scan]);
  is_directed_.push_back(others.is_directed_[scan]);
}

DistanceTables DistanceTables::joined(std::span<const DistanceTables> parts) {
  const bool is_shared = std::ranges::all_of(
      parts, [&](const auto& part) { return part.distance_ == parts.front().distance_; });
  DistanceTables made;
  std::size_t entries = 0;
  for (const DistanceTables& part : parts) {
    for (std::uint32_t s = 0; s < part.size(); ++s) {
      made.tables_.push_back(part[s]);
      made.add_traits(part, s);
      if (is_shared) continue;
      made.tables_.back().base = static_cast<std::uint32_t>(entries);
      entries += part.entries_of(s);
    }
  }
  if (is_shared) {
    if (!parts.empty()) made.distance_ = parts.front().distance_;
    return made;
  }
  made.distance_->reserve(entries);
  for (const DistanceTables& part : parts) {
    for (std::uint32_t s = 0; s < part.size(); ++s) {
      const float* const table = part.distance() + part[s].base;
      made.distance_->insert(made.distance_->end(), table, table + part.entries_of(s));
    }
  }
  return made;
}

std::size_t DistanceTables::entries_needed(std::span<const Scan* const> scans, LargeTables large) {
  std::size_t entries = 0;
  for (const Scan* scan : scans) {
    if (has_table(*scan, large)) entries += kernels::table_entries(scan->size());
  }
  return entries;
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

void DistanceTables::fill(std::uint32_t scan, const Scan& of, const Convention& convention,
                          base::Progress& progress) {
  const ScanTable& t = tables_[scan];
  Distances distances(of, convention.distance);
  std::vector<Node> all(of.size());
  std::iota(all.begin(), all.end(), Node{0});
  distances.make_rows_to(all);
  for (Node a = 0; a < of.size(); ++a) {
    const auto row = distances.row_to(a);
    // Fills column a: kernels read d(query, reference), and the reference back end sums outwards
    // from r.
    float* out = distance_->data() + t.base + a;
    for (Node b = 0; b < of.size(); ++b) {
      out[static_cast<std::size_t>(b) * t.pitch] =
          table_entry(a == b, row[b], convention.threshold);
    }
    progress.add();
  }
  is_symmetric_[scan] = compare_halves(scan);
  // If edges lead both ways and the first viewpoint reaches all others, every viewpoint does.
  const std::size_t sources = of.is_directed() ? of.size() : 1;
  for (Node n = 0; n < std::min(sources, of.size()); ++n) {
    if (has_infinity(distances.row_to(n))) is_connected_[scan] = 0;
  }
}

// Keeps no distances in double precision, and searches on all threads.
void DistanceTables::fill_large(std::uint32_t scan, const Scan& of, const Convention& convention,
                                base::Progress& progress) {
  DistanceFinder finder(of, convention);
  const Watch note_row = [&](std::uint64_t) { progress.add(); };
  const TableTraits traits = fill_whole_table(
      finder, std::span(*distance_).subspan(tables_[scan].base, entries_of(scan)), &note_row);
  is_symmetric_[scan] = traits.is_symmetric;
  is_connected_[scan] = traits.is_connected;
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
