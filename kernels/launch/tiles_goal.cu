#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles_goal(const TileView& view, TileKernel kind, int rows, Stream stream) {
  return start_tiles<quantity_goal_and_length, true>(view, kind, rows, stream, GoalRows{});
}

}  // namespace warpath::kernels
