#include "warpath/aggregate.hpp"

#include <cmath>
#include <stdexcept>

namespace warpath {
namespace {

__extension__ using Int = __int128;

Int on_grid(double value, int bits) {
  const double scaled = std::nearbyint(std::ldexp(value, bits));
  if (std::abs(scaled) >= 0x1p126) throw std::overflow_error("value too large to be averaged");
  return static_cast<Int>(scaled);
}

}  // namespace

void Aggregate::add(double value) {
  if (!std::isfinite(value)) return;
  add_checked(on_grid(value, grid_), on_grid(value * value, grid_));
  ++n_;
}

void Aggregate::merge(const Aggregate& other) {
  add_checked(other.sum_, other.squares_);
  n_ += other.n_;
}

void Aggregate::add_checked(Int sum, Int squares) {
  if (__builtin_add_overflow(sum_, sum, &sum_) ||
      __builtin_add_overflow(squares_, squares, &squares_)) {
    throw std::overflow_error("values too large to be averaged");
  }
}

std::optional<double> Aggregate::mean() const {
  if (n_ == 0) return std::nullopt;
  return static_cast<double>(std::ldexp(static_cast<long double>(sum_), -grid_) / n_);
}

std::optional<double> Aggregate::half_width() const {
  if (n_ < 2) return std::nullopt;
  const long double n = n_;
  const long double sum = std::ldexp(static_cast<long double>(sum_), -grid_);
  const long double squares = std::ldexp(static_cast<long double>(squares_), -grid_);
  const long double variance = std::max(0.0L, (squares - sum * sum / n) / (n - 1));
  return static_cast<double>(1.96L * std::sqrt(variance / n));
}

}  // namespace warpath
