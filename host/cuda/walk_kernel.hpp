#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "kernels/bodies/shapes.hpp"
#include "kernels/walks/walk_views.hpp"

namespace warpath::cuda {

/// Names the kernel that makes the walks of a reference.
struct WalkKernel {
  bool replicated;
  int rows;
  int blocks;  ///< that a multiprocessor has shared memory for at once: 2 or 1

  friend auto operator<=>(const WalkKernel&, const WalkKernel&) = default;
};

/// Describes a reference and its scan.
struct WalkShape {
  std::uint32_t size;        ///< |R|
  std::uint32_t viewpoints;  ///< of the scan
  std::uint32_t edges;       ///< kernels::edge_entries of the scan
};

/// Chooses the kernel of a reference; none if it has more rows than any, or if its table and its
/// scan's edges do not fit into a block. @param block_floats shared memory of a block
inline std::optional<WalkKernel> choose_walk_kernel(const WalkShape& shape,
                                                    kernels::QuantitySet set,
                                                    unsigned block_floats) {
  using namespace kernels;
  // As in set_scan_sizes: a multiprocessor has 1 KiB more than a block may have, and each block
  // takes 1 KiB more than it asks for.
  constexpr std::size_t own = 1024;
  const int rows = CoarseRows::min_rows_for(static_cast<int>(shape.size));
  if (shape.size > 20 || rows == 0) return {};
  for (const bool replicated : {true, false}) {
    const std::size_t bytes =
        sizeof(WalkOrder) + walk_block_bytes(replicated, rows, shape.viewpoints, shape.edges,
                                             uses_known_columns(quantities_of(set)));
    for (const int blocks : {2, 1}) {
      const std::size_t all = std::size_t{4} * block_floats + own;
      if (blocks * (bytes + own) <= all) return WalkKernel{replicated, rows, blocks};
    }
  }
  return {};
}

}  // namespace warpath::cuda
