#include "kernels/launch/rewards_points.cuh"

namespace warpath::kernels {

int reward_rollouts(const PointRolloutsView& view, const RewardShape& shape, Stream stream) {
  return start_points(view, shape, stream);
}

}  // namespace warpath::kernels
