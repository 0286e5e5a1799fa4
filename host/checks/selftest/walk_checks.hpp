#pragma once

#include <cstddef>
#include <cstdint>

#include "host/checks/selftest/selftest.hpp"
#include "host/core/cuda/device.hpp"

namespace warpath::selftest {

/// Makes random walks on a device in every kernel for them, and compares their totals with the
/// CPU's.
/// @param walks of each kind
Check check_walks(cuda::Device& device, std::size_t walks, std::uint64_t seed);

}  // namespace warpath::selftest
