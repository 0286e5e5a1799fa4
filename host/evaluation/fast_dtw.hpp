#pragma once

#include <array>
#include <span>

#include "host/graph/euclid.hpp"

namespace warpath {

/// Returns the warping cost that FastDTW (Salvador and Chan 2007) finds, as the Python package
/// fastdtw 0.3.4 does: same windows, same means of pairs, same order of ties.
/// @param x,y paths of at least one point; which of them comes first decides ties
/// @param radius 1 or more
double fast_dtw_cost(std::span<const std::array<double, 3>> x,
                     std::span<const std::array<double, 3>> y, unsigned radius,
                     const Euclid& euclid);

}  // namespace warpath
