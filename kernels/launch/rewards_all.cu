#include "kernels/launch/rewards.cuh"

namespace warpath::kernels {

int reward_rollouts_all(const RolloutsView& view, const RewardShape& shape, Stream stream) {
  return start_shape<reward_all>(view, shape, stream, RewardRows{});
}

}  // namespace warpath::kernels
