#include "kernels/launch/groups.cuh"

namespace warpath::kernels {

template <int W, int K, int C, bool Strips>
int start_parts(const GroupView& view, QuantitySet parts, Stream stream) {
  auto kernel = score_pairs<W, K, C, quantity_all, true, Strips>;
  if (parts == QuantitySet::dtw) kernel = score_pairs<W, K, C, quantity_only_dtw, true, Strips>;
  if (parts == QuantitySet::all_viewpoints)
    kernel = score_pairs<W, K, C, quantity_all, false, Strips>;
  return start_groups<W, Strips>(kernel, view, stream);
}

int start_chained_parts(const GroupView& view, QuantitySet parts, Stream stream) {
  auto kernel = score_long_pairs<16, 2, quantity_all, true>;
  if (parts == QuantitySet::dtw) kernel = score_long_pairs<16, 2, quantity_only_dtw, true>;
  if (parts == QuantitySet::all_viewpoints) kernel = score_long_pairs<16, 2, quantity_all, false>;
  return start_chains(kernel, view, stream);
}

int score_groups(const GroupView& view, GroupShape shape, QuantitySet parts, Stream stream) {
  switch (shape) {
    case GroupShape::lanes_4:
      return start_parts<4, 4, 1, false>(view, parts, stream);
    case GroupShape::lanes_8:
      return start_parts<8, 8, 1, true>(view, parts, stream);
    case GroupShape::lanes_32:
      return start_parts<32, 16, 2, true>(view, parts, stream);
    case GroupShape::chain:
      return start_chained_parts(view, parts, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
