#pragma once

#include <cstddef>

#include "host/cuda/device.hpp"

namespace warpath::cuda {

/// Returns the bytes of a device's memory that a call may take: `wanted`; where that is 0, the MiB
/// of the environment variable WARPATH_GPU_MEMORY; where that is not set, half of what is free.
/// @throws UsageError where the variable is no number of MiB
std::size_t memory_budget(Device& device, std::size_t wanted);

}  // namespace warpath::cuda
