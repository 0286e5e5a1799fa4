#pragma once

#include <string>

#include "host/checks/reward_runs.hpp"
#include "host/checks/reward_world.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {

using checks::Form;
using checks::HostRollouts;
using checks::make_reward_world;
using checks::RewardWorld;
using checks::RewardWorldSize;
using checks::Rollout;
using RewardResults = checks::HostRewards;

/// Returns the error that a call throws; "" if it throws none.
template <class Call>
std::string error_of_call(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace warpath::testing
