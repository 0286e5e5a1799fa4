#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/views/kernel_choice.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/paths.hpp"

// Defines what the kernels read and write that take in references and pack pairs into slots: see
// kernels/bodies/pack_pairs.hpp.

namespace warpath::kernels {

/// Holds references, and the values that all pairs of a reference share, computed once on the
/// device.
struct TermsView {
  PathArray references;
  std::uint32_t count;
  const std::uint32_t* scan_of;
  const ScanTable* scans;
  const float* distance;
  const float* cls_length;  ///< by reference; may be null
  ReferenceTerms* terms;
};

/// Holds references to store, and where: reference r of `from` becomes reference first + r.
struct StoreView {
  PathArray from;
  IntegerArray scan_of;  ///< by reference of `from`
  std::uint32_t scans;   ///< that there are
  std::uint32_t first, count;
  std::uint32_t pitch;     ///< viewpoints that there is room for in each stored reference
  std::uint16_t* nodes;    ///< [reference][pitch]
  std::uint32_t* lengths;  ///< by reference, as is the next
  std::uint32_t* to_scan_of;
  TermsView terms;  ///< of the stored references
};

/// Says how many bits the fields of a key have. From the lowest bit: |Q| (at most what m_bits
/// hold), scan or reference, number of the kernel. Pairs that need not share a scan have 0.
struct KeyBits {
  int m_bits, id_bits;
  static constexpr int number_bits = 6;
  constexpr int total() const { return m_bits + id_bits + number_bits; }
};

/// Views pairs, and where their keys go.
struct KeyView {
  PairsView pairs;
  DispatchPolicy policy;
  KeyBits bits;
  std::uint64_t* key;
  std::uint32_t* pair;  ///< 0, 1, 2, …: sorted along with the keys
};

/// Names device memory that the toolkit works in.
struct Scratch {
  void* memory;
  std::size_t bytes;
};

/// Holds keys, and the pairs that are sorted along with them.
struct SortView {
  const std::uint64_t* key;
  std::uint64_t* sorted_key;
  const std::uint32_t* pair;
  std::uint32_t* sorted_pair;
  std::uint32_t count;
  int bits;  ///< the sort looks at this many lowest bits only
};

/// Holds sorted keys and their runs: keys that differ at most in their lowest `m_bits` bits.
struct RunsView {
  const std::uint64_t* key;
  std::uint32_t count;
  int m_bits;
  std::uint64_t* run_key;  ///< by run: the higher bits; has room for every run, as run_length has
  std::uint32_t* run_length;  ///< by run: number of keys
  std::uint32_t* runs;        ///< number of runs
};

/// Says where a run of equal keys goes: pairs first … of the sorted order go to slots slot, slot +
/// 1, …, and its tiles, if it has any, to slices slice, slice + 1, …
struct KeyRun {
  std::uint32_t first, slot, slice;
  std::uint32_t number;  ///< of the kernel
};

/// Views runs, and where their plan goes.
struct PlanView {
  const std::uint64_t* run_key;  ///< ascending, as find_runs makes them
  const std::uint32_t *run_length, *run_count;
  KeyBits bits;
  const std::uint32_t* scan_of;  ///< by reference
  std::uint32_t wanted_slices;   ///< of a kernel, if it has tiles enough
  KeyRun* runs;                  ///< one more than there are runs
  Slice* slices;
  LaunchRange* ranges;          ///< [kernel_numbers]
  std::uint32_t* active_pairs;  ///< all but those of inactive_number
};

/// Views sorted pairs and their runs, and where the pairs go.
struct PlaceView {
  PairsView pairs;
  const std::uint32_t* sorted;     ///< pair numbers
  const KeyRun* runs;              ///< with an end marker whose `first` is the number of pairs
  const std::uint32_t* run_count;  ///< one number
  GroupPair* slots;                ///< empty slots are not written
  TileStart* tile_size;            ///< columns and rows of each tile; others are not written
  /// If true, a pair's results go to the row of its position in the sorted order, so that they are
  /// consecutive, and not to its own row. @pre Nothing is given by row: no task_success, no
  /// cls_query_length.
  bool by_place;
  ResultView results;  ///< pairs that cannot be scored are written at once
};

/// Names numbers to add up: sums[i] = counts[0] + … + counts[i − 1] for i = 0 … `count`, count + 1
/// numbers.
struct LengthSumView {
  IntegerArray counts;
  std::uint32_t* sums;
  std::uint32_t count;
};

/// Names sizes of tiles to add up, as LengthSumView does.
struct TileSumView {
  const TileStart* sizes;
  TileStart* starts;
  std::uint32_t count;
};

/// Holds pairs in their slots, and the tiles in which their paths are packed.
struct PackView {
  PairsView pairs;
  const GroupPair* slots;  ///< tiles first; row: no_row if empty
  std::uint32_t tiles;     ///< that may exist; tiles without rows do not
  const TileStart* start;  ///< as in TileView, as are the others
  std::uint16_t *reference, *query;
  std::uint32_t *lengths, *row, *reference_of;
};

}  // namespace warpath::kernels
