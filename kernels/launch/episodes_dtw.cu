#include "kernels/launch/rewards.cuh"

namespace warpath::kernels {

int reset_episodes_dtw(const ResetView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::dtw)>(view, shape, stream, RewardRows{});
}

int step_episodes_dtw(const StepView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::dtw)>(view, shape, stream, RewardRows{});
}

int finish_episodes_dtw(const FinishView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::dtw)>(view, shape, stream, RewardRows{});
}

int score_extensions_dtw(const ExtensionsView& view, const RewardShape& shape, Stream stream) {
  return start_shape<quantities_of(RewardSet::dtw)>(view, shape, stream, RewardRows{});
}

}  // namespace warpath::kernels
