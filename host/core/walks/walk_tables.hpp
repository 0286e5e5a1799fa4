#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "kernels/views/walks.hpp"
#include "warpath/random_walks.hpp"

// Lays out for the kernels what random walks are made from.

namespace warpath::walks {

/// Holds the edges of one scan as kernels::WalkGraph reads them.
class WalkEdges {
 public:
  /// A larger table would be slow; only scans with a viewpoint of very many neighbours have one.
  static constexpr std::size_t max_entries = std::size_t{1} << 22;

  /// Tells whether a scan's table is small enough.
  static bool fit(const Scan& scan);

  /// @pre fit(scan), and the scan has a table of distances
  WalkEdges(const Scan& scan, const batch::DistanceTables& distances, std::uint32_t number);

  kernels::WalkGraph view() const { return {next_.data(), length_.data(), shift_}; }
  std::size_t entries() const { return next_.size(); }

 private:
  int shift_;
  std::vector<std::uint32_t> next_;
  std::vector<float> length_;
};

/// Returns the word that names a walk's start, as the words of kernels::WalkGraph name a neighbour.
std::uint32_t start_word(const Scan& scan, Node start);

/// Returns a convention under which a sweep gives the walks the scores that they have under this
/// one. Under hops, the length of an edge is that of the shortest path between its ends, so
/// `cls-step` may be `shortest` if the references, too, move along edges. In metres the two lengths
/// differ in their last bits, and a sweep has only one.
Convention swept_convention(const RandomWalks& walks, const Convention& convention);

/// Holds what the fast back ends make walks from.
struct WalkTables {
  batch::DistanceTables distances;
  std::vector<WalkEdges> edges;  ///< by scan
  kernels::StepTable steps;
  kernels::PhiloxKey seed;
  bool are_usable;  ///< false: the walks have to be stored; `edges` and `steps` are empty then

  WalkTables(const RandomWalks& walks, const Convention& convention);
};

kernels::PhiloxKey key_of(std::uint64_t seed);

}  // namespace warpath::walks
