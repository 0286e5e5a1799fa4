#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/bodies/pack_pairs.hpp"

namespace warpath::cuda {

/// Describes one kernel launch: slots first_slot … of a chunk, all for one kernel and number of
/// rows.
struct Launch {
  kernels::KernelId target;
  int rows;
  std::uint32_t first_slot, slots;
  std::uint32_t first_slice, slices;  ///< numbers of slices of tiles
  std::uint32_t max_viewpoints;       ///< viewpoints
  std::size_t first_entry;            ///< offset in the tiles' references
};

/// Says how a chunk's pairs lie in its slots.
struct Plan {
  std::vector<kernels::KeyRun> runs;  ///< with an end marker behind the last
  std::vector<kernels::Slice> slices;
  std::vector<Launch> launches;
  std::uint32_t tile_slots = 0, slots = 0;
  std::size_t reference_entries = 0;  ///< of all tiles
};

/// Maximum of tiles that a block scores per loading of its table.
inline constexpr std::uint32_t slice_tiles = 64;

/// Places sorted runs: each run for tiles starts at a new tile; those for groups follow, one after
/// the other.
/// @param run_key ascending, as FindRuns makes them
/// @param scan_of by reference
Plan make_plan(std::span<const std::uint64_t> run_key, std::span<const std::uint32_t> run_length,
               const kernels::KeyBits& bits, std::span<const kernels::ScanTable> scans,
               std::span<const std::uint32_t> scan_of);

/// Returns the number of groups that need borders at the same time: a device runs no more of them,
/// and a block needs that many at least.
inline std::uint32_t border_groups(std::size_t pairs) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(pairs, kernels::group_threads, 8192));
}

/// Computes the maximum of slots and of columns of all tiles that pairs can take, however they are
/// placed.
struct Room {
  std::uint32_t pairs, runs;
  std::uint64_t query_nodes;
  std::uint32_t max_query;

  std::uint64_t slots() const;
  std::uint64_t columns() const;
};

}  // namespace warpath::cuda
