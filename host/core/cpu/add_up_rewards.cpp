#include <fmt/format.h>

#include "host/core/batch/check_views.hpp"
#include "kernels/rewards/returns.hpp"
#include "warpath/error.hpp"
#include "warpath/rewards.hpp"

namespace warpath {

void add_up_rewards(const ReturnsBatch& batch) {
  const kernels::ReturnsView view = batch::view_of(batch);
  for (std::uint32_t k = 0; k < view.count; ++k) {
    const bool is_active = view.active == nullptr || view.active[k] != 0;
    if (!is_active) continue;
    const std::int64_t n = view.layout.exact_length(k);
    if (n >= 0 && n <= view.layout.max_length) continue;
    throw InputError({{}, fmt::format("rollout {}", k)}, fmt::format("has {} rewards", n),
                     "give lengths from 0 to max_length");
  }
  for (std::uint32_t k = 0; k < view.count; ++k) kernels::add_up_rewards(view, k);
}

}  // namespace warpath
