#include "kernels/launch/walks.cuh"

namespace warpath::kernels {

int score_walks_all_viewpoints(const WalkView& view, bool replicated, int rows, Stream stream) {
  return start_walks<QuantitySet::all_viewpoints>(view, replicated, rows, stream, CoarseRows{});
}

int repeat_walks_all_viewpoints(const WalkView& view, Stream stream) {
  return start_repeat<QuantitySet::all_viewpoints>(view, stream);
}

}  // namespace warpath::kernels
