#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_alignment(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<QuantitySet::alignment>(view, kind, rows, stream, FineRows{});
}

}  // namespace warpath::kernels
