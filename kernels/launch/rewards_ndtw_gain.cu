#include "kernels/launch/rewards.cuh"

namespace warpath::kernels {

int reward_rollouts_ndtw_gain(const RolloutsView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::ndtw_gain)>(view, shape, stream, RewardRows{});
}

}  // namespace warpath::kernels
