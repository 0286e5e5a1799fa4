#include "kernels/launch/walks.cuh"

namespace warpath::kernels {

int score_walks_alignment(const WalkView& view, bool replicated, int rows, Stream stream) {
  return start_walks<QuantitySet::alignment>(view, replicated, rows, stream, CoarseRows{});
}

int repeat_walks_alignment(const WalkView& view, Stream stream) {
  return start_repeat<QuantitySet::alignment>(view, stream);
}

}  // namespace warpath::kernels
