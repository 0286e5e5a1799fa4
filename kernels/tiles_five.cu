#include "kernels/tiles.cuh"

namespace warpath::kernels {

int score_tiles_five(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<want_five, true>(view, kind, rows, stream, FineRows{});
}

}  // namespace warpath::kernels
