#include "warpath/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "kernels/metrics/fixed_point.hpp"

namespace warpath {
namespace {

__extension__ using Signed = __int128;

// Rounds as std::llrint, which is a call, since it sets errno. @pre |x| < 2^63
std::int64_t rounded(double x) {
#if defined(__x86_64__)
  return _mm_cvtsd_si64(_mm_set_sd(x));
#else
  return std::llrint(x);
#endif
}

Signed signed_of(const Statistics::Integer& words) {
  return static_cast<Signed>(kernels::joined(words.high, words.low));
}

Statistics::Integer words_of(kernels::Int128 x) {
  return {kernels::low_word(x), kernels::high_word(x)};
}

Statistics::Integer on_grid(double value, int grid_bits) {
  return words_of(kernels::on_grid(value, grid_bits));
}

Statistics::Integer checked_sum(const Statistics::Integer& a, const Statistics::Integer& b) {
  Signed sum = 0;
  if (__builtin_add_overflow(signed_of(a), signed_of(b), &sum)) {
    throw std::overflow_error("values too large to be averaged");
  }
  return words_of(static_cast<kernels::Int128>(sum));
}

long double value_of(const Statistics::Integer& sum, int grid_bits) {
  return std::ldexp(static_cast<long double>(signed_of(sum)), -grid_bits);
}

}  // namespace

void Statistics::add(double value) {
  if (!std::isfinite(value)) return;
  add_checked(on_grid(value, grid_), on_grid(value * value, grid_));
  ++moments_.n;
  // Turns −0 into 0: otherwise the order would decide which of them is the minimum.
  const double unsigned_zero = value + 0.0;
  moments_.minimum = std::min(moments_.minimum, unsigned_zero);
  moments_.maximum = std::max(moments_.maximum, unsigned_zero);
}

// Small values cannot make a sum of 128 bits overflow, however many there are.
void Statistics::add(std::span<const double> values) {
  constexpr double max_scaled = 0x1p62;
  const auto scale = static_cast<double>(std::int64_t{1} << grid_);
  Signed sum = 0, squares = 0;
  Moments& moments = moments_;
  for (const double value : values) {
    const double scaled = value * scale, scaled_square = value * value * scale;
    if (!(std::abs(scaled) < max_scaled && scaled_square < max_scaled)) {
      add(value);
      continue;
    }
    sum += rounded(scaled);
    squares += rounded(scaled_square);
    ++moments.n;
    moments.minimum = std::min(moments.minimum, value + 0.0);
    moments.maximum = std::max(moments.maximum, value + 0.0);
  }
  add_checked(words_of(static_cast<kernels::Int128>(sum)),
              words_of(static_cast<kernels::Int128>(squares)));
}

void Statistics::merge(const Statistics& other) {
  add_checked(other.moments_.sum, other.moments_.squares);
  moments_.n += other.moments_.n;
  moments_.minimum = std::min(moments_.minimum, other.moments_.minimum);
  moments_.maximum = std::max(moments_.maximum, other.moments_.maximum);
}

void Statistics::add_checked(const Integer& sum, const Integer& squares) {
  moments_.sum = checked_sum(moments_.sum, sum);
  moments_.squares = checked_sum(moments_.squares, squares);
}

std::optional<double> Statistics::mean() const {
  if (n() == 0) return std::nullopt;
  return static_cast<double>(value_of(moments_.sum, grid_) / n());
}

std::optional<double> Statistics::ci95_half_width() const {
  if (n() < 2) return std::nullopt;
  const long double count = n();
  const long double sum = value_of(moments_.sum, grid_);
  const long double squares = value_of(moments_.squares, grid_);
  const long double variance = std::max(0.0L, (squares - sum * sum / count) / (count - 1));
  return static_cast<double>(1.96L * std::sqrt(variance / count));
}

std::optional<double> Statistics::minimum() const {
  return n() == 0 ? std::nullopt : std::optional(moments_.minimum);
}
std::optional<double> Statistics::maximum() const {
  return n() == 0 ? std::nullopt : std::optional(moments_.maximum);
}

}  // namespace warpath
