#pragma once

#include <string>

#include "host/formats/predictions.hpp"

namespace warpath {

/// Reads predictions of positions: {episode: path}, or entries with episode_id or instruction_id
/// and a path, as a list or as JSON Lines. A path is a list of [x, y, z] or of {"position", "stop",
/// "distance_to_goal", "collision"}, where all but the position may be left out; or an object with
/// such a list as `path`, and stop, distances and collisions beside it.
/// @throws InputError if the file as a whole holds no such predictions
Predictions read_position_predictions(const std::string& file,
                                      std::optional<PredictionFormat> forced,
                                      const Reading& reading);

/// Reads distances to the goal, {episode: [one for each position]}, into predictions.
/// @throws InputError if a predicted path has none, or another number of them
void read_distances(const std::string& file, Predictions& predictions, const Reading& reading);

}  // namespace warpath
