#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/files/formats/path_annotations.hpp"
#include "warpath/distances.hpp"
#include "warpath/paths.hpp"
#include "warpath/r4r.hpp"

namespace warpath::generators {

/// Names two paths of one scan that were joined; see JoinedPaths.
struct JoinedPair {
  std::uint32_t first, second;  ///< numbers in PathAnnotations::paths
  double distance;              ///< metres: of both paths as their file states it, and between them
  double shortest_distance;     ///< from the start of the first to the goal of the second, metres
};

/// Holds the joined paths of one scan. Entry k of `paths` and `shortest` belongs to pair k.
struct JoinedPaths {
  const Scan* scan = nullptr;
  std::vector<JoinedPair> pairs;
  PathSet paths;     ///< first path, connecting path, second path
  PathSet shortest;  ///< a shortest path from the start of the first to the goal of the second
  std::uint64_t too_far = 0, too_turned = 0;  ///< as in R4r
  PathSummary inputs;                         ///< of the scan's own paths
};

/// Joins the paths of one scan; see make_r4r.
/// @param members the numbers of the scan's paths, in the order of the file.
/// @throws InputError as make_r4r
JoinedPaths join_paths(const formats::PathAnnotations& annotations,
                       std::span<const std::uint32_t> members, const Scan& scan,
                       const R4rOptions& options);

/// Adds one path to a summary.
/// @param length PL(R), metres. @param shortest d(r_1, r_|R|), metres.
void add_path(PathSummary& summary, std::size_t samples, double length, double shortest,
              std::size_t viewpoints, std::size_t shortest_viewpoints);

/// Adds the paths of another summary.
void add_paths(PathSummary& summary, const PathSummary& other);

}  // namespace warpath::generators
