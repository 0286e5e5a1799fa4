#pragma once

#include <memory>

#include "warpath/device_rewards.hpp"

namespace warpath::python {

/// Holds the rewards of one GPU.
struct DeviceRewardsObject {
  std::unique_ptr<DeviceRewards> rewards;
};

}  // namespace warpath::python
