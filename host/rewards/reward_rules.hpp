#pragma once

#include "kernels/rewards/reward_rules.hpp"

namespace warpath::rewards {

/// Translates settings for the kernels. @param connected see batch::make_rules
kernels::RewardRules make_rules(const RewardSettings& settings, bool connected);

/// Returns the bits of kernels::Quantity that the settings need.
unsigned quantities_of(const RewardSettings& settings);

}  // namespace warpath::rewards
