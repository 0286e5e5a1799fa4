#include "kernels/launch/rewards_points.cuh"

namespace warpath::kernels {

int reset_episodes(const PointResetView& view, const RewardShape& shape, Stream stream) {
  return start_points(view, shape, stream);
}

int step_episodes(const PointStepView& view, const RewardShape& shape, Stream stream) {
  return start_points(view, shape, stream);
}

int finish_episodes_points(const FinishView& view, const RewardShape& shape, Stream stream) {
  return start_points(PointFinishView{view}, shape, stream);
}

int score_extensions(const PointExtensionsView& view, const RewardShape& shape, Stream stream) {
  return start_points(view, shape, stream);
}

}  // namespace warpath::kernels
