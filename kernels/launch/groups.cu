#include "kernels/launch/groups.cuh"

namespace warpath::kernels {

namespace {

template <int W, int K, int C, QuantitySet set, bool Strips>
constexpr auto group_kernel = score_pairs<W, K, C, quantities_of(set), compares_edges(set), Strips>;

template <QuantitySet set>
constexpr auto chain_kernel = score_long_pairs<16, 2, quantities_of(set), compares_edges(set)>;

template <int W, int K, int C, bool Strips>
int start_set(const GroupView& view, QuantitySet set, Stream stream) {
  using enum QuantitySet;
  auto kernel = group_kernel<W, K, C, all_edges, Strips>;
  if (set == dtw) kernel = group_kernel<W, K, C, dtw, Strips>;
  if (set == all_viewpoints) kernel = group_kernel<W, K, C, all_viewpoints, Strips>;
  return start_groups<W, Strips>(kernel, view, stream);
}

int start_chained_set(const GroupView& view, QuantitySet set, Stream stream) {
  using enum QuantitySet;
  auto kernel = chain_kernel<all_edges>;
  if (set == dtw) kernel = chain_kernel<dtw>;
  if (set == all_viewpoints) kernel = chain_kernel<all_viewpoints>;
  return start_chains(kernel, view, stream);
}

}  // namespace

int score_groups(const GroupView& view, GroupShape shape, QuantitySet set, Stream stream) {
  switch (shape) {
    case GroupShape::lanes_4:
      return start_set<4, 4, 1, false>(view, set, stream);
    case GroupShape::lanes_8:
      return start_set<8, 8, 1, true>(view, set, stream);
    case GroupShape::lanes_32:
      return start_set<32, 16, 2, true>(view, set, stream);
    case GroupShape::chain:
      return start_chained_set(view, set, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
