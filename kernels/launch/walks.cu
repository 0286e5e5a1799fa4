#include "kernels/launch/walks.cuh"

namespace warpath::kernels {

int score_walks(const WalkView& view, bool replicated, QuantitySet set, int rows, Stream stream) {
  if (set == QuantitySet::alignment) return score_walks_alignment(view, replicated, rows, stream);
  if (set == QuantitySet::all_edges) return score_walks_all_edges(view, replicated, rows, stream);
  if (set == QuantitySet::all_viewpoints) {
    return score_walks_all_viewpoints(view, replicated, rows, stream);
  }
  return cudaErrorInvalidValue;
}

int repeat_noted_walks(const WalkView& view, QuantitySet set, Stream stream) {
  if (set == QuantitySet::alignment) return repeat_walks_alignment(view, stream);
  if (set == QuantitySet::all_edges) return repeat_walks_all_edges(view, stream);
  if (set == QuantitySet::all_viewpoints) return repeat_walks_all_viewpoints(view, stream);
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
