#pragma once

#include <string>

#include "host/checks/reward_runs.hpp"
#include "host/checks/reward_world.hpp"
#include "tests/support/errors.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {

using checks::Form;
using checks::HostRollouts;
using checks::make_reward_world;
using checks::RewardWorld;
using checks::RewardWorldSize;
using checks::Rollout;
using RewardResults = checks::HostRewards;

}  // namespace warpath::testing
