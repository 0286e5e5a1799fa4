#pragma once

#include <memory>

#include "warpath/reward_tracker.hpp"

namespace warpath::python {

/// Holds the rewards of one GPU.
struct DeviceRewardsObject {
  std::unique_ptr<Rewards> rewards;
};

}  // namespace warpath::python
