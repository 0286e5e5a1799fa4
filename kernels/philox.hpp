#pragma once

#include <array>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace warpath::kernels {

/// Returns four random words that depend only on a counter and a key: Philox4x32-10 (Salmon et al.
/// 2011, Parallel random numbers: as easy as 1, 2, 3). Any word of any stream can be computed
/// without those before it, so results are the same in any order and on any number of threads.
WARPATH_HD std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                               std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53, multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t step_0 = 0x9E3779B9, step_1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += step_0;
    key[1] += step_1;
  }
  return counter;
}

}  // namespace warpath::kernels
