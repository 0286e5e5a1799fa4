#include "host/files/evaluation/exact_sum.hpp"

#include <cmath>

namespace warpath::evaluation {
namespace {

// A finite double is mantissa · 2^exponent, with a mantissa of 53 bits.
constexpr int mantissa_bits = 53, half_bits = 27, digit_bits = 32;
constexpr std::uint64_t digit_mask = 0xffffffff;
constexpr int min_exponent = -1073 - mantissa_bits;

struct FloatParts {
  std::uint64_t low, high;  // of the mantissa: high · 2^27 + low
  int exponent;
};

FloatParts parts_of(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, mantissa_bits));
  return {mantissa & ((std::uint64_t{1} << half_bits) - 1), mantissa >> half_bits,
          exponent - mantissa_bits};
}

}  // namespace

void ExactSum::add(double a, double b) {
  const std::int64_t factor = std::signbit(a) == std::signbit(b) ? 1 : -1;
  const FloatParts x = parts_of(a), y = parts_of(b);
  // Adds a product of two halves, which has at most 54 bits.
  const auto add_bits = [&](std::uint64_t bits, int shift) {
    const int place = x.exponent + y.exponent + shift - 2 * min_exponent;
    for (auto k = static_cast<std::size_t>(place / digit_bits); bits != 0; bits >>= digit_bits) {
      const std::uint64_t piece = (bits & digit_mask) << (place % digit_bits);
      digits_[k] += factor * static_cast<std::int64_t>(piece & digit_mask);
      digits_[++k] += factor * static_cast<std::int64_t>(piece >> digit_bits);
    }
  };
  add_bits(x.low * y.low, 0);
  add_bits(x.low * y.high, half_bits);
  add_bits(x.high * y.low, half_bits);
  add_bits(x.high * y.high, 2 * half_bits);
}

int ExactSum::sign() const {
  std::int64_t carry = 0;
  bool is_zero = true;
  for (const std::int64_t digit : digits_) {
    const std::int64_t value = digit + carry;
    carry = value >> digit_bits;  // rounds down, so that what remains is not negative
    is_zero = is_zero && (value - carry * (std::int64_t{1} << digit_bits)) == 0;
  }
  if (carry < 0) return -1;
  return is_zero && carry == 0 ? 0 : 1;
}

}  // namespace warpath::evaluation
