#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/rewards/prefix_state.hpp"
#include "kernels/rewards/reward_rules.hpp"
#include "kernels/views/rewards.hpp"

// Keeps the prefixes of running episodes in memory, between the calls that extend them.
//
// An episode is a column of 4-byte fields: the scalars of EpisodeField, then the rows of its
// reference in three blocks: its viewpoint, D and minimum. Rows are aligned to the end, as in
// layout.hpp.
//
//   field            lane 0  lane 1 …           the device: lanes = episodes, one block
//   0 size             .       .                the CPU: blocks of as many lanes as a register has
//   …
//   rows + i           .       .                viewpoint of row i, or the pad of the table
//   rows + R + i       .       .                D(i, last column)
//   rows + 2 R + i     .       .                minimum of row i

namespace warpath::kernels {

/// Reads and writes the episodes of a register's lanes.
template <class L>
struct EpisodeMemory {
  using F = typename L::F;
  using I = typename L::I;

  float* first;        ///< field 0 of the first lane
  std::size_t stride;  ///< from field to field
  int rows, axes;

  WARPATH_HD float* at(int field) const { return first + field * stride; }
  WARPATH_HD F real(int field) const { return L::load(at(field)); }
  WARPATH_HD I integer(int field) const {
    return L::load(reinterpret_cast<const std::int32_t*>(at(field)));
  }
  WARPATH_HD void set(int field, const F& value) const { L::store(at(field), value); }
  WARPATH_HD void set(int field, const I& value) const {
    L::store(reinterpret_cast<std::int32_t*>(at(field)), value);
  }
  template <class T>
  WARPATH_HD void set_where(typename L::M live, int field, const T& value) const {
    if constexpr (std::is_same_v<T, F>)
      set(field, L::select(live, value, real(field)));
    else
      set(field, L::select(live, value, integer(field)));
  }
  WARPATH_HD int row_field(int row) const { return episode_scalars + row * axes; }
  WARPATH_HD int dtw_field(int row) const { return episode_scalars + rows * axes + row; }
  WARPATH_HD int nearest_field(int row) const { return dtw_field(row) + rows; }

  WARPATH_HD PrefixState<L> prefix() const {
    return {{real(episode_length_high), real(episode_length_low)}, real(episode_corner)};
  }
  /// Returns what SPL of the episode compares.
  WARPATH_HD SplLengths<L> spl_lengths() const {
    return {real(episode_ideal_length), real(episode_prefix_length) + real(episode_length_high)};
  }
  WARPATH_HD PrefixValues<L> values() const {
    return {real(episode_goal_distance), real(episode_ndtw), real(episode_dtw), real(episode_cls)};
  }
};

/// Loads the rows of episodes from their memory, and stores them there in the lanes of `live`.
template <class L, int K, unsigned Quantities>
struct StoredRows {
  static constexpr bool in_strips = true;
  const EpisodeMemory<L>& memory;
  typename L::M live;
  int strips;
  RowState<L, K> state;

  WARPATH_HD RowState<L, K>& load(int s) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      if constexpr (Quantities & quantity_dtw)
        state.dtw[i] = memory.real(memory.dtw_field(s * K + i));
      if constexpr (Quantities & quantity_coverage)
        state.nearest[i] = memory.real(memory.nearest_field(s * K + i));
    }
    return state;
  }
  WARPATH_HD void store(int s, const RowState<L, K>& changed) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      if constexpr (Quantities & quantity_dtw)
        memory.set_where(live, memory.dtw_field(s * K + i), changed.dtw[i]);
      if constexpr (Quantities & quantity_coverage)
        memory.set_where(live, memory.nearest_field(s * K + i), changed.nearest[i]);
    }
  }
  /// Writes rows without viewpoints. It is done once in an episode: little code is better than
  /// fast.
  WARPATH_HD void clear(const typename L::M& where, const typename L::I& n) const {
    WARPATH_ROLLED for (int r = 0; r < memory.rows; ++r) {
      RowState<L, 1> empty;
      clear_rows<L, 1>(n - (memory.rows - r), empty);
      memory.set_where(where, memory.dtw_field(r), empty.dtw[0]);
      memory.set_where(where, memory.nearest_field(r), empty.nearest[0]);
    }
  }
};

/// Loads the rows of episodes whose references have up to K viewpoints.
template <class L, int K, unsigned Quantities>
WARPATH_HD void load_rows(const EpisodeMemory<L>& memory, RowState<L, K>& rows) {
  WARPATH_UNROLL for (int i = 0; i < K; ++i) {
    if constexpr (Quantities & quantity_dtw) rows.dtw[i] = memory.real(memory.dtw_field(i));
    if constexpr (Quantities & quantity_coverage) {
      rows.nearest[i] = memory.real(memory.nearest_field(i));
    }
  }
}

/// Copies the rows of episodes to memory of the same shape.
template <class L>
WARPATH_HD void copy_rows(const EpisodeMemory<L>& from, const EpisodeMemory<L>& to) {
  for (int i = 0; i < from.rows; ++i) {
    to.set(to.dtw_field(i), from.real(from.dtw_field(i)));
    to.set(to.nearest_field(i), from.real(from.nearest_field(i)));
  }
}

/// Writes the rows of a prefix without viewpoints. @param n |R| of each lane
template <class L, int K>
WARPATH_HD void clear_stored_rows(const EpisodeMemory<L>& memory, typename L::I n) {
  for (int r = 0; r < memory.rows; r += K) {
    RowState<L, K> empty;
    clear_rows<L, K>(n - (memory.rows - r), empty);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      memory.set(memory.dtw_field(r + i), empty.dtw[i]);
      memory.set(memory.nearest_field(r + i), empty.nearest[i]);
    }
  }
}

/// Begins an episode without viewpoints, but for what its reference's rows hold.
/// @param n,length |R| and PL(R) of each lane
template <class L>
WARPATH_HD void begin_episode(typename L::I n, typename L::F length,
                              const EpisodeMemory<L>& memory) {
  for (int field = 0; field < episode_scalars; ++field) memory.set(field, L::integer(0));
  memory.set(episode_reference_size, n);
  memory.set(episode_reference_length, length);
  memory.set(episode_corner, empty_prefix<L>(n, memory.rows).corner);
  clear_stored_rows<L, 1>(memory, n);
}

}  // namespace warpath::kernels
