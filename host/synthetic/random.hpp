#pragma once

#include <cstdint>
#include <random>

namespace warpath::synthetic {

/// Random numbers that depend on the seed alone. The standard fixes the engine but leaves its
/// distributions to the library, so those are made here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform on the 2^53 multiples of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// The same bits wherever builds don't fuse product and sum, as CMakeLists.txt sees to.
  double between(double low, double high) { return low + (high - low) * unit(); }

  /// Uniform on 0 .. n - 1. @pre n > 0
  std::uint64_t below(std::uint64_t n) {
    // What remains when the 2^64 values are dealt out in rounds of n would favour some results.
    const std::uint64_t remainder = (0 - n) % n;
    std::uint64_t value = engine_();
    while (value < remainder) value = engine_();
    return value % n;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace warpath::synthetic
