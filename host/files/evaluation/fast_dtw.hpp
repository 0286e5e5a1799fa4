#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "host/core/graph/euclid.hpp"
#include "warpath/convention.hpp"
#include "warpath/graph.hpp"

namespace warpath::evaluation {

/// Returns the distance of element i of one path from element j of the other at a level of
/// coarsening. Level 0 is the paths; element k of a level stands for the elements 2k and 2k + 1 of
/// the level before, and an odd last one is left out.
using LevelDistance = std::function<double(unsigned level, std::size_t i, std::size_t j)>;

/// Holds the warping that FastDTW finds.
struct FastWarping {
  double cost;  ///< +inf if a distance that it needs is +inf
  std::vector<std::pair<std::size_t, std::size_t>> steps;  ///< elements of both, from the first
};

/// Finds a warping by FastDTW (Salvador and Chan 2007), as a build of the Python package fastdtw
/// 0.3.4 does: same windows, same order of ties. It is exact if the shorter path has at most
/// radius + 1 elements. Calls `distance` once for each cell of a level's window.
/// @param x_size,y_size 1 or more; which path comes first decides ties
/// @param radius 1 or more
FastWarping fast_dtw(std::size_t x_size, std::size_t y_size, unsigned radius, FastDtw build,
                     const LevelDistance& distance);

/// Returns the cost for paths of points, which are coarsened to the means of pairs, as the package
/// does. @pre no path is empty
double fast_dtw_cost(std::span<const std::array<double, 3>> x,
                     std::span<const std::array<double, 3>> y, unsigned radius, FastDtw build,
                     const graph::Euclid& euclid);

/// Returns the cost for paths of viewpoints. Viewpoints have no mean, so the first of a pair
/// stands for both, as we read Ilharco et al. 2019, section 3.3. @pre no path is empty
/// @param query comes first
/// @param rows distances from each viewpoint of the reference to all of the scan
double fast_dtw_cost(std::span<const Node> query, std::span<const double* const> rows,
                     unsigned radius, FastDtw build);

}  // namespace warpath::evaluation
