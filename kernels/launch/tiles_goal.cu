#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_goal(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<QuantitySet::goal>(view, kind, rows, stream, GoalRows{});
}

}  // namespace warpath::kernels
