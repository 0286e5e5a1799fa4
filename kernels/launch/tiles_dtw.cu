#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_dtw(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<QuantitySet::dtw>(view, kind, rows, stream, FineRows{});
}

}  // namespace warpath::kernels
