#include "kernels/launch/rewards.cuh"

namespace warpath::kernels {

int reward_rollouts_all(const RolloutsView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::all)>(view, shape, stream, RewardRows{});
}

}  // namespace warpath::kernels
