#include "kernels/launch/groups.cuh"

// Kernels with several threads per pair that read the scan's table in shared memory. They have a
// file of their own, so that they compile beside groups.cu.

namespace warpath::kernels {

/// Scores slices of pairs with groups of W threads.
/// Mapping: a block takes slices; its groups of W threads take pairs of them in turn, which goes on
///   from slice to slice, one at a time, as score_pairs does.
/// Memory: the scan's table in shared memory, loaded unless the previous slice had it; paths where
///   the caller has them; a strip leaves its last row in the group's border.
/// Preconditions: all pairs of a slice are in its scan, whose table fits into shared memory; |Q| <=
///   view.groups.border_columns; one dimension of blocks and threads, a multiple of 32 threads; no
///   more than view.groups.border_groups groups.
/// Cost: as score_pairs, with look-ups that take 3.5 cycles of a warp, because of bank conflicts,
///   in place of up to 32 lines of L1; and of each slice, a table and the wait for its last pair.
template <int W, int K, int C, unsigned Quantities, bool Edges>
__global__ void __launch_bounds__(shared_group_threads(W), 1)
    score_pairs_in_shared_table(const __grid_constant__ GroupSliceView view) {
  const ThreadId me = this_thread();
  const StridedRange slices = slices_of(me), pairs = pairs_of_slice<W>(me);
  const std::uint32_t group = pairs_of<W>(me).first;
  Loaded loaded;
  const LaunchRange range = *view.groups.range;
  std::uint32_t p = pairs.first;
  for (std::uint32_t s = range.first_slice + slices.first; s < range.end_slice; s += slices.step) {
    const Slice slice = view.slices[s];
    const SharedTable table = load_table(view.groups.batch, slice.scan, loaded);
    for (; p < slice.count; p += pairs.step) {
      score_by_group_with_table<DeviceLanes<W>, K, C, Quantities, Edges>(view.groups, table,
                                                                         slice.first + p, group);
    }
    p -= slice.count;
  }
}

namespace {

template <int W, int K, int C, QuantitySet set>
constexpr auto kernel_of =
    score_pairs_in_shared_table<W, K, C, quantities_of(set), compares_edges(set)>;

template <int W>
int start_slices(void (*kernel)(GroupSliceView), const GroupSliceView& view, Stream stream) {
  if (view.max_slices == 0) return cudaSuccess;
  const std::size_t bytes =
      sizeof(float) * shared_floats(TileKernel::shared_table, 0, view.max_scan);
  const auto one = [](unsigned) { return 1u; };
  Grid grid;
  const cudaError_t code = fill_device(kernel, bytes, view.max_slices, one, grid);
  if (code != cudaSuccess) return code;
  grid.blocks = std::min(grid.blocks, view.groups.border_groups / (grid.threads / W));
  if (grid.blocks == 0) return cudaErrorInvalidValue;
  return start(kernel, view, grid, bytes, stream);
}

template <int W, int K, int C>
int start_set(const GroupSliceView& view, QuantitySet set, Stream stream) {
  using enum QuantitySet;
  auto kernel = kernel_of<W, K, C, all_edges>;
  if (set == dtw) kernel = kernel_of<W, K, C, dtw>;
  if (set == all_viewpoints) kernel = kernel_of<W, K, C, all_viewpoints>;
  return start_slices<W>(kernel, view, stream);
}

}  // namespace

int score_group_slices(const GroupSliceView& view, GroupShape shape, QuantitySet set,
                       Stream stream) {
  if (shape == GroupShape::lanes_8) return start_set<8, 8, 1>(view, set, stream);
  if (shape == GroupShape::lanes_32) return start_set<32, 16, 2>(view, set, stream);
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
