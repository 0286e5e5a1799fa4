#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_five(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<quantity_alignment, true>(view, kind, rows, stream, FineRows{});
}

}  // namespace warpath::kernels
