#include "warpath/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "kernels/metrics/fixed_point.hpp"

namespace warpath {

Histogram::Histogram(Unit unit, std::span<const std::uint64_t> cells) : Histogram(unit) {
  std::copy_n(cells.begin(), bins_ + 2, cells_.begin());
}

void Histogram::add(double value) {
  if (!std::isfinite(value)) return;
  ++cells_[kernels::histogram_cell(static_cast<float>(value), bins_of(unit_))];
}

void Histogram::merge(const Histogram& other) {
  std::ranges::transform(cells_, other.cells_, cells_.begin(), std::plus<>());
}

std::uint64_t Histogram::n() const {
  return std::accumulate(cells_.begin(), cells_.end(), std::uint64_t{0});
}

}  // namespace warpath
