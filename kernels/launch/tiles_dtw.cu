#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_dtw(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<quantity_only_dtw, true>(view, kind, rows, stream, FineRows{});
}

}  // namespace warpath::kernels
