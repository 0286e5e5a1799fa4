#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/views/packing.hpp"

namespace warpath::cuda {

/// Fewer pairs cannot fill a device with one thread each, so groups of threads share a pair.
inline constexpr std::size_t small_batch = 30'000;

/// Slices of a kernel in a large batch. A multiple of the two to five blocks that a multiprocessor
/// has of most kernels, so that all of them end together; of seven, hardly any waits.
inline constexpr std::uint32_t slices_for_each_multiprocessor = 60;

/// Holds a set of kernel numbers.
using KernelNumbers = std::uint64_t;

/// Says which kernels the pairs of a batch may go to, and how their keys are made.
struct Dispatch {
  kernels::DispatchPolicy policy{};
  kernels::KeyBits bits{};
  std::uint32_t max_scan = 0;          ///< viewpoints of the largest scan
  std::uint32_t wanted_slices = 0;     ///< of a kernel; see PlanView
  std::vector<std::uint32_t> kernels;  ///< numbers, ascending
  std::uint32_t max_runs = 0;          ///< runs of keys that are equal but for |Q|

  /// Enters the kernels of each scan, from which `kernels` and `max_runs` follow.
  /// @param references that there are, if each has runs of its own
  void set_kernels(std::span<const KernelNumbers> of_scans, std::size_t references);

  bool has_tiles() const;
  bool has_groups() const;
  /// Returns the largest K of the tiles; 0 without tiles.
  std::uint32_t max_rows() const;
};

/// Tells whether a multiprocessor has shared memory for so many blocks at once: it has 1 KiB more
/// than a block may have, and each block takes 1 KiB more than it asks for.
/// @param bytes that each asks for
/// @param max_bytes that a block may have
constexpr bool fit_at_once(std::size_t blocks, std::size_t bytes, std::size_t max_bytes) {
  constexpr std::size_t own = 1024;
  return blocks * (bytes + own) <= max_bytes + own;
}

/// Returns the viewpoints of the largest scan.
std::uint32_t max_viewpoints(std::span<const kernels::ScanTable> scans);

/// Sets the policy's sizes of scans to the largest scans that there are of each.
/// @param shared_floats floats of shared memory that a block may have
void set_scan_sizes(kernels::DispatchPolicy& policy, std::span<const kernels::ScanTable> scans,
                    unsigned shared_floats);

/// Filling replicated rows costs as much as they save with about so many queries of a reference.
inline constexpr double min_replicated_uses = 64;
/// Returns the largest K whose replicated rows fit into a block for all scans; 0 if none does.
int max_replicated_rows(std::span<const kernels::ScanTable> scans, unsigned shared_floats);

/// Tells whether a reference's own table pays: if its queries have half as many cells again as the
/// table has entries, and if the table fits into a block.
/// @param uses queries of a reference, mean
/// @param query_length viewpoints of a query, mean
/// @param viewpoints of the largest scan
bool own_table_pays(kernels::QuantitySet set, double uses, double query_length,
                    std::uint32_t viewpoints, unsigned shared_floats);

/// Returns keys that are wide enough for the number of a reference, if queries go with theirs, and
/// for that of a scan: long pairs go with their scan all the same.
kernels::KeyBits key_bits(bool by_reference, std::size_t references, std::size_t scans,
                          std::uint32_t max_query);

/// Returns the kernels that pairs of a reference of n viewpoints may go to.
KernelNumbers kernels_for(const kernels::DispatchPolicy& policy, std::uint32_t n,
                          std::uint32_t max_query, std::uint32_t viewpoints);

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

  std::uint32_t max_runs() const { return std::min(runs, pairs); }
  std::uint64_t slots() const;
  std::uint64_t columns() const;
  std::uint32_t tiles() const;
  std::uint32_t slices() const;
};

}  // namespace warpath::cuda
