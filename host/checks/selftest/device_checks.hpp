#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/checks/selftest/selftest.hpp"
#include "host/core/cuda/device.hpp"

namespace warpath::selftest {

/// Tests every kernel of the CUDA back end on a device against the CPU back end's bits: batches
/// that each kind of kernel takes, every set of quantities, other orders of the pairs, totals, and
/// batches that lie on the device (check_resident). Whole calls choose kernels by the number of
/// pairs, so they would leave most of these out.
/// @param pairs of a batch; batches of long paths have fewer
/// @throws CudaError; InputError if not even one pair fits
std::vector<Check> check_device(cuda::Device& device, std::size_t pairs, std::uint64_t seed);

}  // namespace warpath::selftest
