#include "warpath/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace warpath {
namespace {

Statistics::Int on_grid(double value, int bits) {
  const double on_scale = value * static_cast<double>(std::int64_t{1} << bits);  // exact
  if (std::abs(on_scale) < 0x1p62) return std::llrint(on_scale);  // nearly always, and faster
  const double scaled = std::nearbyint(on_scale);
  if (std::abs(scaled) >= 0x1p126) throw std::overflow_error("value too large to be averaged");
  return static_cast<Statistics::Int>(scaled);
}

}  // namespace

void Statistics::add(double value) {
  if (!std::isfinite(value)) return;
  add_checked(on_grid(value, grid_), on_grid(value * value, grid_));
  ++parts_.n;
  const double unsigned_zero = value + 0.0;  // of −0 and 0 none is less: the order would decide
  parts_.minimum = std::min(parts_.minimum, unsigned_zero);
  parts_.maximum = std::max(parts_.maximum, unsigned_zero);
}

void Statistics::merge(const Statistics& other) {
  add_checked(other.parts_.sum, other.parts_.squares);
  parts_.n += other.parts_.n;
  parts_.minimum = std::min(parts_.minimum, other.parts_.minimum);
  parts_.maximum = std::max(parts_.maximum, other.parts_.maximum);
}

void Statistics::add_checked(Int sum, Int squares) {
  if (__builtin_add_overflow(parts_.sum, sum, &parts_.sum) ||
      __builtin_add_overflow(parts_.squares, squares, &parts_.squares)) {
    throw std::overflow_error("values too large to be averaged");
  }
}

std::optional<double> Statistics::mean() const {
  if (n() == 0) return std::nullopt;
  return static_cast<double>(std::ldexp(static_cast<long double>(parts_.sum), -grid_) / n());
}

std::optional<double> Statistics::ci95_half_width() const {
  if (n() < 2) return std::nullopt;
  const long double count = n();
  const long double sum = std::ldexp(static_cast<long double>(parts_.sum), -grid_);
  const long double squares = std::ldexp(static_cast<long double>(parts_.squares), -grid_);
  const long double variance = std::max(0.0L, (squares - sum * sum / count) / (count - 1));
  return static_cast<double>(1.96L * std::sqrt(variance / count));
}

std::optional<double> Statistics::minimum() const {
  return n() == 0 ? std::nullopt : std::optional(parts_.minimum);
}
std::optional<double> Statistics::maximum() const {
  return n() == 0 ? std::nullopt : std::optional(parts_.maximum);
}

}  // namespace warpath
