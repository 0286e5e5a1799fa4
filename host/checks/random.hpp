#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <random>

namespace warpath::checks {

/// Generates random numbers that depend on the seed alone. The standard defines the engine but not
/// its distributions, so those are defined here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Returns a uniform multiple of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  /// Returns a uniform number between two. The bits are the same wherever the compiler does not
  /// fuse product and sum, which CMakeLists.txt ensures.
  double between(double low, double high) { return low + (high - low) * unit(); }

  /// Returns a uniform integer in 0 … n − 1. @pre n > 0
  std::uint64_t below(std::uint64_t n) {
    // Without rejection, the remainder of 2^64 / n would favour some results.
    const std::uint64_t remainder = (0 - n) % n;
    std::uint64_t value = engine_();
    while (value < remainder) value = engine_();
    return value % n;
  }

 private:
  std::mt19937_64 engine_;
};

/// Returns a pair's success as a task measures it: 0, 1, a part, or NaN.
inline double random_success(Random& random) {
  const double values[] = {0.0, 1.0, random.unit(), std::numeric_limits<double>::quiet_NaN()};
  return values[random.below(std::size(values))];
}

}  // namespace warpath::checks
