#include "warpath/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/bodies/statistics.hpp"

namespace warpath {

Histogram::Histogram(Unit unit, std::span<const std::uint64_t> places) : Histogram(unit) {
  std::copy_n(places.begin(), bins_ + 2, place_.begin());
}

void Histogram::add(double value) {
  if (!std::isfinite(value)) return;
  ++place_[kernels::histogram_place(static_cast<float>(value), bins_of(unit_))];
}

void Histogram::merge(const Histogram& other) {
  std::ranges::transform(place_, other.place_, place_.begin(), std::plus<>());
}

std::uint64_t Histogram::n() const {
  return std::accumulate(place_.begin(), place_.end(), std::uint64_t{0});
}

}  // namespace warpath
