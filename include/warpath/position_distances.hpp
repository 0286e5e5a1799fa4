#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace warpath {

/// Says how far positions lie from their places on navigation meshes, or from the cells of grids.
struct SnapSummary {
  std::uint64_t n = 0;       ///< positions; over meshes, equal ones in a row count once
  std::uint64_t placed = 0;  ///< of these, within reach of the mesh or grid
  double mean = 0.0;         ///< of those within reach, metres
  double max = 0.0;          ///< of those within reach, metres
};

/// Counts the distances to the goal that were measured over meshes, and those without a way.
struct MeasuredWays {
  std::uint64_t n = 0;             ///< positions whose distance was measured
  std::uint64_t off_mesh = 0;      ///< the position or the goal is off the mesh
  std::uint64_t other_island = 0;  ///< no way at all leads there
  std::uint64_t too_long = 0;      ///< over more than 256 polygons
  std::uint64_t search_ended = 0;  ///< more than 2,048 nodes, or the search ended on the way
};

/// Says which distances positions of an agent were scored by.
struct PositionDistances {
  /// navmesh, grid, file (--distances), predictions (which give them), predictions-or-euclidean
  /// (where some do), or euclidean.
  std::string source;
  std::string of;           ///< goal: those to the goal alone, the others are Euclidean; or all
  std::uint64_t files = 0;  ///< meshes or grids
  std::string hash{};       ///< of all meshes, of all grids, or of the file; empty: no such source
  std::string habitat{};    ///< the version of habitat-sim whose rules meshes are searched by
  /// Height and radius, metres, of the agent that meshes were built for; nothing: they differ.
  std::optional<std::array<float, 2>> agent{};
  std::string connect{};               ///< neighbours of a grid's cell, 4 or 8, or fmm
  double max_snap = 0.0;               ///< how far a position may be from its cell, metres
  std::optional<MeasuredWays> ways{};  ///< over meshes
  /// Of the agent's positions, over meshes or grids.
  std::optional<SnapSummary> positions{};
  /// Over meshes of the goals, for each path anew; over grids of all positions of the dataset.
  std::optional<SnapSummary> goals{};
};

}  // namespace warpath
