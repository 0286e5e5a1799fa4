#include "kernels/bodies/score_points.hpp"
#include "kernels/launch/groups.cuh"

// Kernels of continuous paths.

namespace warpath::kernels {

/// Scores pairs with groups of W threads.
/// Mapping: as score_pairs; without a sweep, Swept = 0, one thread per pair.
/// Memory: prepared points of 16 bytes, K of them in a lane's registers; distances are
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

/// Scores pairs with whole blocks.
/// Mapping, preconditions and cost: as score_long_pairs. Memory: as above.
template <int K, int C, unsigned Swept, bool Edges>
__global__ void __launch_bounds__(group_threads, 1)
    score_long_pairs_of_points(const __grid_constant__ PointView view) {
  const ThreadId me = this_thread();
  const StridedRange pairs = pairs_of_block(me);
  for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
    score_points_by_chain<DeviceLanes<32>, K, C, Swept, Edges>(view, p, me);
  }
}

namespace {

template <int W, int K, int C, QuantitySet set>
constexpr auto group_kernel = score_pairs_of_points<W, K, C, swept_of(set), compares_edges(set)>;

template <QuantitySet set>
constexpr auto chain_kernel = score_long_pairs_of_points<16, 2, swept_of(set), compares_edges(set)>;

template <int W, int K, int C>
int start_set(const PointView& view, QuantitySet set, Stream stream) {
  using enum QuantitySet;
  auto kernel = group_kernel<W, K, C, dtw>;
  if (set == alignment) kernel = group_kernel<W, K, C, alignment>;
  if (set == all_edges) kernel = group_kernel<W, K, C, all_edges>;
  if (set == all_viewpoints) kernel = group_kernel<W, K, C, all_viewpoints>;
  return start_groups<W, true>(kernel, view, stream);
}

int start_chained_set(const PointView& view, QuantitySet set, Stream stream) {
  using enum QuantitySet;
  auto kernel = chain_kernel<dtw>;
  if (set == alignment) kernel = chain_kernel<alignment>;
  if (set == all_edges) kernel = chain_kernel<all_edges>;
  if (set == all_viewpoints) kernel = chain_kernel<all_viewpoints>;
  return start_chains(kernel, view, stream);
}

}  // namespace

int score_points(const PointView& view, GroupShape shape, QuantitySet set, Stream stream) {
  if (set == QuantitySet::goal) {
    return start_groups<1, false>(group_kernel<1, 1, 1, QuantitySet::goal>, view, stream);
  }
  switch (shape) {
    case GroupShape::lanes_8:
      return start_set<8, 8, 1>(view, set, stream);
    case GroupShape::lanes_32:
      return start_set<32, 16, 2>(view, set, stream);
    case GroupShape::chain:
      return start_chained_set(view, set, stream);
    case GroupShape::lanes_4:
      break;
  }
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
