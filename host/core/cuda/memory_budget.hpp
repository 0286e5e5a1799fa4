#pragma once

#include <cstddef>

#include "host/core/cuda/device.hpp"

namespace warpath::cuda {

/// Returns how many bytes of a device's memory a call may take: `wanted` if it is not 0, else the
/// environment variable WARPATH_GPU_MEMORY (in MiB), else half of the free memory.
/// @throws UsageError if the variable is not a number of MiB
std::size_t memory_budget(Device& device, std::size_t wanted);

}  // namespace warpath::cuda
