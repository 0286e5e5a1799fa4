#pragma once

#include <cstdint>

#include "kernels/views/rewards.hpp"

// Adds rewards up from the end of a rollout to its start.

namespace warpath::kernels {

/// Computes the returns and advantages of a rollout of n rewards, from t = n − 1 down to 0, where
/// V(n) = R(n) = bootstrap and A(n) = 0:
///
///     R(t) = r(t) + γ R(t + 1)
///     A(t) = r(t) + γ V(t + 1) − V(t) + γ λ A(t + 1)     (Schulman et al. 2016, Eq. 16)
WARPATH_HD void add_up_rewards(const ReturnsView& view, std::uint32_t k) {
  if (view.active != nullptr && view.active[k] == 0) return;
  const std::size_t first = view.layout.begin(k);
  const std::uint32_t n = view.layout.length(k);
  const float end = view.bootstrap != nullptr ? view.bootstrap[k] : 0.0f;
  const float decay = view.discount * view.decay;
  float later = end, next_value = end, advantage = 0.0f;
  for (std::uint32_t t = n; t-- > 0;) {
    const float reward = view.reward[first + t];
    const float value = view.value != nullptr ? view.value[first + t] : 0.0f;
    later = reward + view.discount * later;
    advantage = reward + view.discount * next_value - value + decay * advantage;
    next_value = value;
    if (view.returns != nullptr) view.returns[first + t] = later;
    if (view.advantage != nullptr) view.advantage[first + t] = advantage;
  }
  if (view.layout.offsets.exist()) return;
  for (std::uint32_t t = n; t < view.layout.max_length; ++t) {
    if (view.returns != nullptr) view.returns[first + t] = 0.0f;
    if (view.advantage != nullptr) view.advantage[first + t] = 0.0f;
  }
}

}  // namespace warpath::kernels
