#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_all_edges(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<QuantitySet::all_edges>(view, kind, rows, stream, FineRows{});
}

}  // namespace warpath::kernels
