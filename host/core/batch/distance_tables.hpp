#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "host/core/base/zeroed_memory.hpp"
#include "kernels/metrics/decide.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/views/pairs.hpp"
#include "warpath/distances.hpp"

namespace warpath::base {
class Progress;
}  // namespace warpath::base

namespace warpath {
class GraphStore;
}  // namespace warpath

namespace warpath::batch {

using kernels::ScanTable;

/// Says whether scans of more than DistanceTables::max_viewpoints have tables, too.
enum class LargeTables { none, all };

/// Holds the shortest-path tables of a batch's scans in single precision. Each distance is computed
/// in double and rounded once, so that every back end reads the same bits:
/// * Row q has d(q, r), the way from q to r, summed outwards from r as the reference back end sums
///   it. A sum from q may round to another float (see is_symmetric). The steps of paths are read
///   from the same rows: d(p_i, p_i+1) is in row p_i.
/// * A distance is on the same side of the threshold as in double: if rounding would move it onto
///   or over the rounded threshold, it becomes the neighbouring float.
/// * Only d(q, q) is 0: distinct viewpoints at distance 0 get the smallest normal float, which the
///   kernels' results do not show.
/// * An entry is +inf where no path leads, and in the column behind the last, which the kernels'
///   padding reads.
class DistanceTables {
 public:
  /// Scans with more viewpoints are large. They have no table unless it is asked for; the pairs of
  /// a Scorer read those of LargeScans.
  static constexpr std::size_t max_viewpoints = 4096;
  /// Entries of all tables together: 4 GiB. Indices into them are 32 bits wide, also in bytes from
  /// where a table begins.
  static constexpr std::size_t max_entries = std::size_t{1} << 30;
  /// Viewpoints of the largest scan whose table has at most so many entries.
  static constexpr std::size_t max_large_viewpoints = 32'767;

  /// A table that was made elsewhere, of one scan or of some of its viewpoints.
  struct Made {
    std::size_t viewpoints;
    base::ZeroedVector<float> distance;  ///< laid out as kernels/sweep/layout.hpp says
    bool is_symmetric, is_connected, is_directed;
  };

  /// Has no scans.
  DistanceTables();
  DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                 LargeTables large = LargeTables::none);
  /// Takes the tables that a store keeps, and has it keep those that are new.
  /// @param graphs null: makes all of them
  DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                 const GraphStore* graphs, LargeTables large = LargeTables::none);
  /// Makes tables of scans whose first ones have tables already, which are copied.
  DistanceTables(std::span<const Scan* const> scans, const Convention& convention,
                 const DistanceTables& first, LargeTables large = LargeTables::none);
  /// Takes the table of one scan.
  explicit DistanceTables(Made made);
  /// Views some scans of other tables, in this order.
  DistanceTables(const DistanceTables& others, std::span<const std::uint32_t> scans);

  /// Returns tables of the scans of all of these, one after the other: views if they lie in one
  /// array, else copies in a new one.
  /// @pre they fit into max_entries
  static DistanceTables joined(std::span<const DistanceTables> parts);

  /// Returns the entries of the tables that these scans would have.
  static std::size_t entries_needed(std::span<const Scan* const> scans, LargeTables large);

  std::size_t size() const { return tables_.size(); }  ///< scans
  /// Tells whether every scan has a table.
  bool has_all() const;
  bool has(std::uint32_t scan) const { return tables_[scan].pitch > 0; }
  /// Tells whether, in every table, each viewpoint can reach every other.
  bool are_connected() const;
  /// Tells whether any scan is directed: then a path may have a step that leads nowhere although
  /// its viewpoints reach all of the other path.
  bool has_directed() const;
  /// Tells whether d(a, b) and d(b, a) have the same bits for all a and b, as in nearly all scans.
  /// If not, a reference must not get a table of its own: made from the rows of its viewpoints, it
  /// would decide differently at the threshold.
  bool is_symmetric(std::uint32_t scan) const { return is_symmetric_[scan] != 0; }
  bool are_symmetric() const;
  const ScanTable& operator[](std::uint32_t scan) const { return tables_[scan]; }
  const float* distance() const { return distance_->data(); }
  std::size_t entries() const { return distance_->size(); }
  /// Returns the entries of a scan's table, from its base on.
  std::size_t entries_of(std::uint32_t scan) const {
    return kernels::table_entries(static_cast<std::size_t>(tables_[scan].pad));
  }
  float distance(std::uint32_t scan, Node a, Node b) const {
    const ScanTable& t = tables_[scan];
    return (*distance_)[t.base + static_cast<std::size_t>(a) * t.pitch + b];
  }
  /// Returns PL of a path, summed as the kernels sum it.
  float path_length(std::uint32_t scan, std::span<const Node> path) const;

 private:
  void fill(std::uint32_t scan, const Scan& of, const Convention& convention,
            base::Progress& progress);
  void fill_large(std::uint32_t scan, const Scan& of, const Convention& convention,
                  base::Progress& progress);
  bool compare_halves(std::uint32_t scan) const;
  void add_traits(const DistanceTables& others, std::uint32_t scan);

  std::vector<ScanTable> tables_;
  std::vector<std::uint8_t> is_symmetric_, is_connected_, is_directed_;  // by scan
  // Shared with views, which may be of fewer scans. It does not change once it is made.
  std::shared_ptr<base::ZeroedVector<float>> distance_;
};

using kernels::rounded;

/// Returns the entry of a table for a distance. @param same the viewpoints are one and the same
inline float table_entry(bool same, double distance, double threshold) {
  return same ? 0.0f : std::max(rounded(distance, threshold), std::numeric_limits<float>::min());
}

}  // namespace warpath::batch
