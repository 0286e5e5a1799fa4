#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/views.hpp"
#include "warpath/distances.hpp"

namespace warpath {
class Progress;
}

namespace warpath::batch {

using kernels::ScanTable;

/// The shortest-path tables of a batch's scans in single precision, each distance made in double
/// and rounded once, so that every back end reads the same bits:
/// * row q has d(q, r) as summed outwards from r, as the reference back end does; summed from q it
///   may be another float (see is_symmetric);
/// * on the same side of the threshold as in double: a distance that rounding would move onto or
///   over the rounded threshold is one float beside it;
/// * 0 only between a viewpoint and itself: distinct viewpoints at distance 0 get the least normal
///   float, which the kernels' results do not show;
/// * +inf where no path leads, and in the column behind the last, which the kernels' padding reads.
class DistanceTables {
 public:
  /// Scans above this size have no table: their pairs are scored by the reference back end.
  static constexpr std::size_t max_viewpoints = 4096;

  DistanceTables(std::span<const Scan* const> scans, const Convention& convention);

  /// Whether every scan has a table.
  bool has_all() const;
  bool has(std::uint32_t scan) const { return tables_[scan].pitch > 0; }
  /// Whether in every table each viewpoint leads to each.
  bool are_connected() const { return are_connected_; }
  /// Whether d(a, b) and d(b, a) are the same bits: in nearly all scans. Where they are not, a
  /// table of a reference's own, made from the rows of its viewpoints, would decide otherwise at
  /// the threshold.
  bool is_symmetric(std::uint32_t scan) const { return is_symmetric_[scan] != 0; }
  bool are_symmetric() const;
  const ScanTable& operator[](std::uint32_t scan) const { return tables_[scan]; }
  const float* distance() const { return distance_.data(); }
  std::size_t entries() const { return distance_.size(); }
  float distance(std::uint32_t scan, Node a, Node b) const {
    const ScanTable& t = tables_[scan];
    return distance_[t.base + static_cast<std::size_t>(a) * t.pitch + b];
  }
  /// PL of a path, as the kernels add it.
  float path_length(std::uint32_t scan, std::span<const Node> path) const;

 private:
  void fill(std::uint32_t scan, Distances& distances, double threshold, Progress& progress);
  bool compare_halves(std::uint32_t scan) const;

  std::vector<ScanTable> tables_;
  std::vector<std::uint8_t> is_symmetric_;  // by scan
  bool are_connected_;
  std::vector<float> distance_;
};

/// `distance` in single precision, on the same side of the threshold as in double.
float rounded(double distance, double threshold);

}  // namespace warpath::batch
