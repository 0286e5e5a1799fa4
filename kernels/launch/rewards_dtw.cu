#include "kernels/launch/rewards.cuh"

namespace warpath::kernels {

int reward_rollouts_dtw(const RolloutsView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::dtw)>(view, shape, stream, RewardRows{});
}

}  // namespace warpath::kernels
