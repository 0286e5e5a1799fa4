#pragma once

#include <vector>

#include "host/files/formats/dataset.hpp"
#include "warpath/convention.hpp"

namespace warpath::evaluation {

/// Returns the distance to the goal at each position of a path, +inf where no way leads there:
/// those that the predictions give; otherwise the Euclidean ones to the nearest goal, but that of
/// the start as the convention's `start_distance` says: under `spl`, VLN-PE's, all are to the end
/// of the episode's reference_path. The convention's `lookup` applies to all.
/// @param of_oracle those of ONE and OSR, which `goal_distance` may measure in another plane
std::vector<double> goal_distances(const formats::EpisodeData& episodes, std::uint32_t item,
                                   const formats::PositionData& positions, std::uint32_t path,
                                   const Convention& convention, bool of_oracle);

}  // namespace warpath::evaluation
