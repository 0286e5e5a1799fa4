#pragma once

#include <compare>
#include <cstdint>
#include <optional>

#include "host/core/cuda/plan.hpp"
#include "kernels/views/shapes.hpp"
#include "kernels/views/walks.hpp"

namespace warpath::cuda {

/// Names the kernel that makes the walks of a reference.
struct WalkKernel {
  bool replicated;
  int rows;
  int blocks;  ///< that a multiprocessor has shared memory for at once: 2 or 1
  std::uint32_t block_bytes;

  friend auto operator<=>(const WalkKernel&, const WalkKernel&) = default;
};

/// Tells whether one launch may make the walks of both, so that a large scan does not keep blocks
/// of small ones away.
inline bool is_same_launch(const WalkKernel& a, const WalkKernel& b) {
  return a.replicated == b.replicated && a.rows == b.rows && a.blocks == b.blocks;
}

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
  const int rows = CoarseRows::min_rows_for(static_cast<int>(shape.size));
  if (shape.size > 20 || rows == 0) return {};
  for (const bool replicated : {true, false}) {
    const std::size_t dynamic = walk_block_bytes(replicated, rows, shape.viewpoints, shape.edges,
                                                 uses_known_columns(quantities_of(set)));
    const std::size_t bytes = sizeof(WalkOrder) + dynamic;
    for (const int blocks : {2, 1}) {
      if (fit_at_once(static_cast<std::size_t>(blocks), bytes, sizeof(float) * block_floats)) {
        return WalkKernel{replicated, rows, blocks, static_cast<std::uint32_t>(dynamic)};
      }
    }
  }
  return {};
}

}  // namespace warpath::cuda
