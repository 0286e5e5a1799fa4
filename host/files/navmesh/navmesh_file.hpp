#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/files/io/input_file.hpp"

namespace warpath::navmesh {

/// Holds a tile of a navigation mesh in Detour's form, checked.
struct Tile {
  std::uint32_t reference = 0;
  std::vector<char> data;
};

/// Holds a `.navmesh` file of habitat-sim: magic MSET, versions 1 and 2.
struct NavMeshFile {
  std::string name, hash;
  int version = 0;
  std::array<char, 28> parameters{};  ///< Detour's, as they stand in the file
  std::vector<Tile> tiles;
  float agent_height = 0.0f, agent_radius = 0.0f;  ///< in metres, that the mesh was built for
  std::array<float, 3> min{}, max{};               ///< the corners of the box around it
  /// What habitat-sim built it with, by habitat-sim's names; none in version 1.
  std::vector<std::pair<std::string_view, float>> settings;
  std::size_t polygons = 0;
};

/// Reads a navigation mesh. Detour trusts every number of a tile, so each is checked here: sizes
/// add up, indices lie inside, coordinates are finite and the search tree leads forward.
/// @throws InputError that says what the file is, or which number does not fit
NavMeshFile read_navmesh_file(const std::string& path, const io::Reading& reading = {});

}  // namespace warpath::navmesh
