#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace warpath::navmesh {

/// Tells whether a number is a coordinate or a length that searches can compute with.
inline bool is_coordinate(float metres) {
  constexpr float max_metres = 1e7f;  // the greatest position that other files may have
  return std::abs(metres) <= max_metres;
}

struct TileSummary {
  std::size_t polygons = 0, outer_edges = 0;  ///< edges to other tiles
  float agent_height = 0.0f, agent_radius = 0.0f;
  std::array<float, 3> min{}, max{};
};

/// Checks the data of a tile, Detour's version 7.
/// @param fail throws what it is told, which follows the tile's name
TileSummary check_tile(std::span<const char> data,
                       const std::function<void(const std::string&)>& fail);

}  // namespace warpath::navmesh
