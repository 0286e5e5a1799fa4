#include "kernels/groups.cuh"
#include "kernels/score_points.hpp"

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
  const Share pairs = pairs_of<W>(this_thread());
  for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
    score_point_pair<DeviceLanes<W>, K, C, Swept, Edges>(view, p, pairs.first);
  }
}

template <int W, int K, int C>
int start_points(const PointView& view, Parts parts, Stream stream) {
  switch (parts) {
    case Parts::goal:
      return start_groups<1, false>(score_pairs_of_points<1, 1, 1, 0, true>, view, stream);
    case Parts::dtw:
      return start_groups<W, true>(score_pairs_of_points<W, K, C, swept_dtw, true>, view, stream);
    case Parts::five:
      return start_groups<W, true>(score_pairs_of_points<W, K, C, swept_five, true>, view, stream);
    case Parts::all_edges:
      return start_groups<W, true>(score_pairs_of_points<W, K, C, swept_all, true>, view, stream);
    case Parts::all_viewpoints:
      return start_groups<W, true>(score_pairs_of_points<W, K, C, swept_all, false>, view, stream);
  }
  return cudaErrorInvalidValue;
}

int score_points(const PointView& view, GroupShape shape, Parts parts, Stream stream) {
  switch (shape) {
    case GroupShape::lanes_8:
      return start_points<8, 8, 1>(view, parts, stream);
    case GroupShape::lanes_32:
      return start_points<32, 16, 2>(view, parts, stream);
    case GroupShape::lanes_4:
      break;
  }
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
