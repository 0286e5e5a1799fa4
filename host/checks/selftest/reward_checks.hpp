#pragma once

#include <cstddef>
#include <cstdint>

#include "host/checks/selftest/selftest.hpp"
#include "host/core/cuda/device.hpp"

namespace warpath::selftest {

/// Rewards rollouts and running episodes on a device in every kernel for them, and compares each
/// value with the CPU's bits.
/// @param rollouts of each kind
Check check_rewards(cuda::Device& device, std::size_t rollouts, std::uint64_t seed);
/// Does the same in continuous space. @pre rollouts > 0
Check check_point_rewards(cuda::Device& device, std::size_t rollouts, std::uint64_t seed);

}  // namespace warpath::selftest
