#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/bodies/pack_pairs.hpp"

namespace warpath::cuda {

/// Describes one start of a kernel: slots first_slot … of a chunk, all of one target and number of
/// rows.
struct Launch {
  kernels::KernelId target;
  int rows;
  std::uint32_t first_slot, slots;
  std::uint32_t first_slice, slices;  ///< of tiles
  std::uint32_t max_viewpoints;       ///< viewpoints
  std::size_t first_entry;            ///< in the tiles' references
};

/// Says how a chunk's pairs lie in its slots.
struct Plan {
  std::vector<kernels::KeyRun> runs;  ///< and one behind the last
  std::vector<kernels::Slice> slices;
  std::vector<Launch> launches;
  std::uint32_t tile_slots = 0, slots = 0;
  std::size_t reference_entries = 0;  ///< of all tiles
};

/// Most tiles that a block takes with one loading of its table.
inline constexpr std::uint32_t slice_tiles = 64;

/// Lays out sorted runs: those for tiles each from a new tile on, those for groups one after the
/// other behind them.
/// @param run_key ascending, as FindRuns makes them
/// @param scan_of by reference
Plan make_plan(std::span<const std::uint64_t> run_key, std::span<const std::uint32_t> run_length,
               const kernels::KeyBits& bits, std::span<const kernels::ScanTable> scans,
               std::span<const std::uint32_t> scan_of);

/// Returns for how many groups borders are needed at a time: a device runs no more of them, and a
/// block's are the least.
inline std::uint32_t border_groups(std::size_t pairs) {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(pairs, kernels::group_threads, 8192));
}

/// Computes the most slots, and the most columns of all tiles, that pairs take up however they lie.
struct Room {
  std::uint32_t pairs, runs;
  std::uint64_t query_nodes;
  std::uint32_t max_query;

  std::uint64_t slots() const;
  std::uint64_t columns() const;
};

}  // namespace warpath::cuda
