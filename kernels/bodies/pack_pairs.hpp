#pragma once

#include <cstdint>

#include "kernels/bodies/shapes.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/sweep/sum.hpp"
#include "kernels/views.hpp"

// Packs uploaded pairs into the slots in which the kernels read them: makes a key for each pair
// and, after a sort, finds a slot for each. In between the host lays out runs of equal keys
// (host/cuda/plan.hpp).

namespace warpath::kernels {

/// Names the kernels that a pair may go to, in the order of their keys.
enum class KernelId : std::uint32_t {
  shared_table,
  plain_table,
  shared_reference,
  replicated_reference,
  lanes_4,
  lanes_8,
  lanes_32,
  chain
};
WARPATH_CONSTEXPR bool in_tiles(KernelId t) {
  return t <= KernelId::replicated_reference;
}
/// Tells whether all pairs of a slice have one reference.
WARPATH_CONSTEXPR bool has_one_reference(KernelId t) {
  return t == KernelId::shared_reference || t == KernelId::replicated_reference;
}
constexpr TileKernel tile_kernel(KernelId t) {
  return static_cast<TileKernel>(t);
}
constexpr GroupShape group_shape(KernelId t) {
  return static_cast<GroupShape>(static_cast<std::uint32_t>(t) -
                                 static_cast<std::uint32_t>(KernelId::lanes_4));
}

/// Longest query of a tile. Longer ones go to groups, because a tile has as many columns as its
/// longest query.
inline constexpr int max_tile_query = 1023;

/// Says how the pairs of a chunk are distributed to kernels.
struct DispatchPolicy {
  QuantitySet set;
  bool by_reference;     ///< queries of one reference go together and use its own table
  bool in_small_groups;  ///< too few pairs to fill the device with one thread each
  std::uint32_t max_shared_viewpoints;  ///< of the largest scan whose table fits into a block
  /// Floats of shared memory that replicated rows may take; 0 if references have too few queries.
  std::uint32_t max_replicated_floats = 0;
};

/// Names the kernel that a pair goes to, and the rows K of its tile; 0 in groups.
struct KernelChoice {
  KernelId target;
  int rows;
};
/// Chooses the kernel of a pair by |R|, |Q| and its scan's number of viewpoints.
WARPATH_CONSTEXPR KernelChoice choose_kernel(const DispatchPolicy& s, int n, int m,
                                             std::uint32_t viewpoints) {
  const bool short_query = m <= max_tile_query && n < 65536;
  if (s.set == QuantitySet::goal && short_query) return {KernelId::plain_table, 1};
  const bool fits = viewpoints <= s.max_shared_viewpoints;
  TileKernel kernel = s.by_reference ? TileKernel::shared_reference
                      : fits         ? TileKernel::shared_table
                                     : TileKernel::plain_table;
  const int rows = tile_rows(kernel, s.set, n);
  if (s.by_reference && shared_floats(TileKernel::replicated_reference, rows, viewpoints) <=
                            s.max_replicated_floats) {
    kernel = TileKernel::replicated_reference;
  }
  if (rows > 0 && short_query && !s.in_small_groups) {
    return {static_cast<KernelId>(static_cast<std::uint32_t>(kernel)), rows};
  }
  return {static_cast<KernelId>(static_cast<std::uint32_t>(KernelId::lanes_4) +
                                static_cast<std::uint32_t>(group_shape(n, false))),
          0};
}

/// Says how many bits the fields of a key have. From the lowest bit: |Q| (at most what m_bits
/// hold), scan or reference, K, kernel. Pairs of a group need not share a scan, so theirs is 0.
struct KeyBits {
  int m_bits, id_bits;
  static constexpr int row_bits = 6, target_bits = 3;
  constexpr int total() const { return m_bits + id_bits + row_bits + target_bits; }
};
struct Key {
  KernelId target;
  int rows;
  std::uint32_t id;
};
WARPATH_CONSTEXPR std::uint64_t pack_key(const KeyBits& bits, const Key& key, std::uint32_t m) {
  std::uint64_t packed = static_cast<std::uint64_t>(key.target);
  packed = packed << KeyBits::row_bits | static_cast<std::uint64_t>(key.rows);
  packed = packed << bits.id_bits | key.id;
  const std::uint64_t most = (std::uint64_t{1} << bits.m_bits) - 1;
  return packed << bits.m_bits | (m < most ? m : most);
}
/// Returns what all pairs of a run have in common. @param run key without its m_bits
constexpr Key unpack_run(const KeyBits& bits, std::uint64_t run) {
  const std::uint64_t id = run & ((std::uint64_t{1} << bits.id_bits) - 1);
  run >>= bits.id_bits;
  return {static_cast<KernelId>(run >> KeyBits::row_bits), static_cast<int>(run & 63),
          static_cast<std::uint32_t>(id)};
}

/// Holds pairs as they are uploaded: pair i has reference reference_of[i] and, of the queries'
/// nodes, the query_length[i] that follow those of the pairs before it.
struct PairsView {
  std::uint32_t count;
  const std::uint32_t* reference_of;
  const std::uint32_t* query_length;
  const std::uint32_t* reference_offsets;
  const std::uint32_t* scan_of;  ///< by reference
  const ScanTable* scans;
};

/// Holds lengths that were uploaded with half of the bytes.
struct LengthsView {
  std::uint32_t count;
  const std::uint16_t* from;
  std::uint32_t* to;
};
WARPATH_HD void widen_length(const LengthsView& view, std::uint32_t i) {
  view.to[i] = view.from[i];
}

struct KeyView {
  PairsView pairs;
  DispatchPolicy policy;
  KeyBits bits;
  std::uint64_t* key;
  std::uint32_t* pair;  ///< 0, 1, 2, …: sorted along with the keys
};

WARPATH_HD void make_key(const KeyView& view, std::uint32_t i) {
  const PairsView& p = view.pairs;
  const std::uint32_t r = p.reference_of[i], scan = p.scan_of[r], m = p.query_length[i];
  const auto n = static_cast<int>(p.reference_offsets[r + 1] - p.reference_offsets[r]);
  const KernelChoice place = choose_kernel(view.policy, n, static_cast<int>(m),
                                           static_cast<std::uint32_t>(p.scans[scan].pad));
  const std::uint32_t id = has_one_reference(place.target) ? r : in_tiles(place.target) ? scan : 0;
  view.key[i] = pack_key(view.bits, {place.target, place.rows, id}, m);
  view.pair[i] = i;
}

/// Says where a run of equal keys goes: pairs first … of the sorted order go to slots slot, slot +
/// 1, …
struct KeyRun {
  std::uint32_t first, slot;
};

struct PlaceView {
  PairsView pairs;
  const std::uint32_t* sorted;  ///< pair numbers
  const KeyRun* runs;           ///< with an end marker whose `first` is the number of pairs
  std::uint32_t run_count;
  GroupPair* slots;             ///< empty slots are not written
  std::uint32_t* tile_columns;  ///< of each tile; 0 for slots of groups
  std::uint32_t tile_slots;     ///< slots below this are in tiles
  /// If true, a pair's results go to the row of its position in the sorted order, so that they are
  /// consecutive, and not to its own row. @pre Nothing is given by row: no task_success, no
  /// cls_query_length.
  bool by_place;
};

/// Writes the pair at position k of the sorted order into its slot. The last pair of a tile has its
/// longest query.
WARPATH_HD void place_pair(const PlaceView& view, std::uint32_t k) {
  std::uint32_t low = 0, high = view.run_count;  // the run that contains k is in [low, high)
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    if (view.runs[middle].first <= k)
      low = middle;
    else
      high = middle;
  }
  const KeyRun run = view.runs[low];
  const std::uint32_t slot = run.slot + (k - run.first), pair = view.sorted[k];
  const std::uint32_t r = view.pairs.reference_of[pair];
  view.slots[slot] = {view.by_place ? k : pair, view.pairs.scan_of[r], r, pair};
  if (slot >= view.tile_slots) return;
  if (slot % tile_pairs == tile_pairs - 1 || k + 1 == view.runs[low + 1].first) {
    view.tile_columns[slot / tile_pairs] = (view.pairs.query_length[pair] + 1) & ~1u;
  }
}

/// Holds references, and the values that all pairs of a reference share, computed once on the
/// device.
template <class Id>
struct TermsView {
  PathView<Id> references;
  std::uint32_t count;
  const std::uint32_t* scan_of;
  const ScanTable* scans;
  const float* distance;
  const float* cls_length;  ///< by reference; may be null
  ReferenceTerms* terms;
};

template <class Id>
WARPATH_HD void make_terms(const TermsView<Id>& view, std::uint32_t r) {
  const ScanTable scan = view.scans[view.scan_of[r]];
  const std::uint32_t begin = view.references.offsets[r], end = view.references.offsets[r + 1];
  const auto between = [&](std::uint32_t a, std::uint32_t b) {
    return view
        .distance[scan.base + static_cast<std::size_t>(view.references.nodes[a]) * scan.pitch +
                  view.references.nodes[b]];
  };
  Sum<ScalarOps> length{0.0f, 0.0f};
  for (std::uint32_t i = begin + 1; i < end; ++i) length.add(between(i - 1, i));
  view.terms[r] = {length.high, between(begin, end - 1),
                   view.cls_length != nullptr ? view.cls_length[r] : 0.0f, 0.0f};
}

}  // namespace warpath::kernels
