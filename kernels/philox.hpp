#pragma once

#include <array>
#include <cstdint>

#include "kernels/host_device.hpp"

namespace warpath::kernels {

struct PhiloxKey {
  std::uint32_t low, high;
};

/// Constants of Philox4x32.
inline constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53, philox_multiplier_1 = 0xCD9E8D57,
                               philox_step_0 = 0x9E3779B9, philox_step_1 = 0xBB67AE85;
inline constexpr std::uint32_t philox_rounds = 10;

/// Names the keys of all rounds, computed once where many counters have one key.
struct PhiloxSchedule {
  std::uint32_t low[philox_rounds], high[philox_rounds];
};

/// Replaces a counter by four random words that depend only on it and on a key: Philox4x32-10
/// (Salmon et al. 2011, Parallel random numbers: as easy as 1, 2, 3). Any word of any stream can be
/// computed without those before it, so results are the same in any order and on any number of
/// threads.
WARPATH_HD void philox(std::uint32_t (&words)[4], const PhiloxSchedule& keys) {
  WARPATH_UNROLL for (std::uint32_t round = 0; round < philox_rounds; ++round) {
    const std::uint64_t product_0 = std::uint64_t{philox_multiplier_0} * words[0];
    const std::uint64_t product_1 = std::uint64_t{philox_multiplier_1} * words[2];
    words[0] = static_cast<std::uint32_t>(product_1 >> 32) ^ words[1] ^ keys.low[round];
    words[1] = static_cast<std::uint32_t>(product_1);
    words[2] = static_cast<std::uint32_t>(product_0 >> 32) ^ words[3] ^ keys.high[round];
    words[3] = static_cast<std::uint32_t>(product_0);
  }
}

/// Returns the keys of all rounds.
WARPATH_CONSTEXPR PhiloxSchedule philox_schedule(PhiloxKey key) {
  PhiloxSchedule keys{};
  for (std::uint32_t round = 0; round < philox_rounds; ++round) {
    keys.low[round] = key.low + round * philox_step_0;
    keys.high[round] = key.high + round * philox_step_1;
  }
  return keys;
}
WARPATH_HD void philox(std::uint32_t (&words)[4], PhiloxKey key) {
  philox(words, philox_schedule(key));
}

#if !defined(__CUDACC__)
/// Returns the four words of a counter and a key.
inline std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                           const std::array<std::uint32_t, 2>& key) {
  std::uint32_t words[4] = {counter[0], counter[1], counter[2], counter[3]};
  philox(words, PhiloxKey{key[0], key[1]});
  return {words[0], words[1], words[2], words[3]};
}
#endif

}  // namespace warpath::kernels
