#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/checks/selftest/selftest.hpp"
#include "host/core/cuda/device.hpp"

namespace warpath::selftest {

/// Tests batches that lie on a device against the CPU back end's bits: ids of several widths, in
/// rows and one path after the other; references that are given first and that are stored later;
/// pairs that are left out; small batches, which are scored as they lie, and large ones, which are
/// sorted and packed; continuous paths; totals; and that bad pairs are found.
/// @param pairs decides how many pairs are scored, some thousands at most
/// @throws CudaError; InputError if the device has too little memory
std::vector<Check> check_resident(cuda::Device& device, std::size_t pairs, std::uint64_t seed);

/// Tests some of it through ReferenceScorer on the current device, as other programs score.
/// @throws as check_resident; InputError if there is no device
std::vector<Check> check_reference_scorer(std::size_t pairs, std::uint64_t seed);

}  // namespace warpath::selftest
