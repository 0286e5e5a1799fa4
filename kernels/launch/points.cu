#include "kernels/bodies/score_points.hpp"
#include "kernels/launch/groups.cuh"

// Continuous paths.

namespace warpath::kernels {

/// Mapping: as score_pairs; without a sweep, Swept = 0, a thread to each pair.
/// Memory: points of 16 bytes as they were uploaded, K of them in a lane's registers; distances are
///   computed; a strip leaves its last row in the group's border.
/// Preconditions: |Q| <= view.border_columns and no more than view.border_groups groups, but for
///   Swept = 0; one dimension of blocks and threads, a multiple of 32 threads.
/// Cost: as score_pairs, with a square root for each cell.
template <int W, int K, int C, unsigned Swept, bool Edges>
__global__ void __launch_bounds__(group_threads, 1)
    score_pairs_of_points(const __grid_constant__ PointView view) {
  const StridedRange pairs = pairs_of<W>(this_thread());
  for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
    score_points_by_group<DeviceLanes<W>, K, C, Swept, Edges>(view, p, pairs.first);
  }
}

/// Mapping, preconditions and cost as score_long_pairs, memory as above.
template <int K, int C, unsigned Swept, bool Edges>
__global__ void __launch_bounds__(group_threads, 1)
    score_long_pairs_of_points(const __grid_constant__ PointView view) {
  const ThreadId me = this_thread();
  const StridedRange pairs = pairs_of_block(me);
  for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
    score_points_by_chain<DeviceLanes<32>, K, C, Swept, Edges>(view, p, me);
  }
}

template <int W, int K, int C>
int start_parts(const PointView& view, QuantitySet parts, Stream stream) {
  auto kernel = score_pairs_of_points<W, K, C, swept_dtw, true>;
  if (parts == QuantitySet::alignment)
    kernel = score_pairs_of_points<W, K, C, swept_alignment, true>;
  if (parts == QuantitySet::all_edges) kernel = score_pairs_of_points<W, K, C, swept_all, true>;
  if (parts == QuantitySet::all_viewpoints)
    kernel = score_pairs_of_points<W, K, C, swept_all, false>;
  return start_groups<W, true>(kernel, view, stream);
}

int start_chained_parts(const PointView& view, QuantitySet parts, Stream stream) {
  auto kernel = score_long_pairs_of_points<16, 2, swept_dtw, true>;
  if (parts == QuantitySet::alignment)
    kernel = score_long_pairs_of_points<16, 2, swept_alignment, true>;
  if (parts == QuantitySet::all_edges) kernel = score_long_pairs_of_points<16, 2, swept_all, true>;
  if (parts == QuantitySet::all_viewpoints)
    kernel = score_long_pairs_of_points<16, 2, swept_all, false>;
  return start_chains(kernel, view, stream);
}

int score_points(const PointView& view, GroupShape shape, QuantitySet parts, Stream stream) {
  if (parts == QuantitySet::goal) {
    return start_groups<1, false>(score_pairs_of_points<1, 1, 1, 0, true>, view, stream);
  }
  switch (shape) {
    case GroupShape::lanes_8:
      return start_parts<8, 8, 1>(view, parts, stream);
    case GroupShape::lanes_32:
      return start_parts<32, 16, 2>(view, parts, stream);
    case GroupShape::chain:
      return start_chained_parts(view, parts, stream);
    case GroupShape::lanes_4:
      break;
  }
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
