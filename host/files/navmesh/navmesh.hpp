#pragma once

#include <array>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "host/files/navmesh/navmesh_file.hpp"

namespace warpath::navmesh {

/// A position in metres, y up, in the single precision of habitat-sim.
using Position = std::array<float, 3>;
/// Rounds the numbers of a file, as habitat-sim's bindings do.
inline Position single(const std::array<double, 3>& point) {
  return {static_cast<float>(point[0]), static_cast<float>(point[1]), static_cast<float>(point[2])};
}

/// Says whose equality of positions and order of sums count: they differ in the last bits.
enum class Habitat {
  v0_1_7,  ///< and all up to 0.3.2
  v0_3_4,  ///< from 0.3.3 on
};
/// @throws UsageError that lists the versions
Habitat find_habitat(std::string_view version);
std::string_view name(Habitat habitat);

/// Says why there is no way.
enum class NoWay {
  none,            ///< there is one
  off_the_mesh,    ///< no polygon within 2 m aside and 4 m up or down of one of the two
  another_island,  ///< no way at all leads there
  too_long,        ///< over more than 256 polygons
  out_of_nodes     ///< the search needs more than 2,048 nodes, or ends on the way
};
inline constexpr int no_way_count = 5;

/// A distance in metres, +inf where there is no way.
struct Geodesic {
  float metres = 0.0f;
  NoWay why = NoWay::none;
};

/// A position and the nearest one of the mesh.
struct Snapped {
  Position given{}, on_mesh{};
  std::uint32_t polygon = 0;  ///< Detour's reference; 0: there is none within reach
  int island = -1;
};

/// Holds a navigation mesh. Many threads may search it at once.
class NavMesh {
 public:
  /// @throws InputError if Detour refuses the file; UsageError if this build has no Detour
  explicit NavMesh(const NavMeshFile& file);
  ~NavMesh();
  NavMesh(NavMesh&&) noexcept;

  /// Returns the edges of polygons that lead to no other, as their two ends.
  std::vector<std::array<Position, 2>> outline() const;

 private:
  friend class Search;
  struct State;
  std::unique_ptr<State> state_;
};

/// Searches a mesh, for one thread at a time. Results are those of habitat-sim's PathFinder to the
/// last bit, which are not always shortest ways and differ by direction.
class Search {
 public:
  /// @param mesh must outlive this
  Search(const NavMesh& mesh, Habitat habitat);
  ~Search();
  Search(Search&&) noexcept;

  Snapped snap(const Position& position) const;
  Geodesic distance(const Snapped& start, const Snapped& end) const;
  /// Returns the way whose length is `distance`: its corners from start to end, both as given where
  /// they are over the mesh. Empty: there is none.
  std::vector<Position> path(const Snapped& start, const Snapped& end) const;
  /// Returns the least distance to one of several ends. An end off the mesh is left out; by the
  /// rules of 0.1.7 there is then no way (habitat-sim up to 0.2.3).
  Geodesic distance_to_nearest(const Snapped& start, std::span<const Snapped> ends) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpath::navmesh
