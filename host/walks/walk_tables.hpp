#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/walks/walk.hpp"
#include "warpath/random_walks.hpp"

// Lays out for the kernels what random walks are made from.

namespace warpath::walks {

/// Holds the edges of one scan as kernels::WalkGraph reads them.
class WalkEdges {
 public:
  /// A table of more entries would be slow, and a viewpoint of so many neighbours is rare.
  static constexpr std::size_t max_entries = std::size_t{1} << 22;

  /// Tells whether a scan has so few viewpoints, and these so few neighbours, that it fits.
  static bool fit(const Scan& scan);

  /// @param lengths of the scan's edges, one after the other as Scan::edge_lengths has them; empty:
  ///   lengths are 0
  /// @pre fit(scan)
  explicit WalkEdges(const Scan& scan, std::span<const float> lengths = {});

  kernels::WalkGraph view() const { return {next_.data(), length_.data(), shift_}; }
  std::size_t entries() const { return next_.size(); }

 private:
  int shift_ = 0;
  std::vector<std::uint32_t> next_;
  std::vector<float> length_;
};

/// Returns the word that names a walk's start: `node | neighbours << 16`.
std::uint32_t start_word(const Scan& scan, Node start);

kernels::StepTable step_table(const StepCounts& steps);

inline kernels::PhiloxKey key_of(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

}  // namespace warpath::walks
