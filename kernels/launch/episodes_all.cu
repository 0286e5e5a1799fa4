#include "kernels/launch/rewards.cuh"

namespace warpath::kernels {

int reset_episodes_all(const ResetView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::all)>(view, shape, stream, RewardRows{});
}

int step_episodes_all(const StepView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::all)>(view, shape, stream, RewardRows{});
}

int finish_episodes_all(const FinishView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::all)>(view, shape, stream, RewardRows{});
}

int score_extensions_all(const ExtensionsView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::all)>(view, shape, stream, RewardRows{});
}

}  // namespace warpath::kernels
