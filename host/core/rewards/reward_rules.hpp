#pragma once

#include "kernels/views/rewards.hpp"

namespace warpath::rewards {

/// Translates settings for the kernels. @param connected see batch::make_rules
kernels::RewardRules make_rules(const RewardSettings& settings, bool connected);

/// Returns the bits of kernels::Quantity that the settings need.
/// @param directed whether a scan is directed: then a prefix's length, too, shows that it has no
/// values
unsigned quantities_of(const RewardSettings& settings, bool directed);

}  // namespace warpath::rewards
