#pragma once

#include <optional>
#include <string>

#include "host/files/formats/predictions.hpp"

namespace warpath::formats {

/// Reads predictions of positions: {episode: path}, or entries with episode_id or instruction_id
/// and a path, as a list or as JSON Lines. A path is a list of [x, y, z] or of {"position", "stop",
/// "distance_to_goal", "collision"}, where all but the position may be left out; or an object with
/// such a list as `path`, and stop, distances and collisions beside it.
/// @param keep_document keep the parsed file, and each prediction's entry in it: the whole line, or
/// the value in a dict. Of an id that a dict has several times all are kept, otherwise the last
/// @param has_poses numbers may follow each position, and what simulators of flights write may
/// stand beside a path (done, is_collisioned, success, oracle_success, termination_reason);
/// CityNav's results have the paths under trajectory_logs, and logs of steps (step_log.hpp) are
/// read
/// @throws InputError if the file as a whole holds no such predictions
Predictions read_position_predictions(const std::string& file,
                                      std::optional<PredictionFormat> forced,
                                      const io::Reading& reading, bool keep_document = false,
                                      bool has_poses = false);

/// Adds a path, in any of these forms, to predictions of positions.
void add_position_path(std::string id, json::Value value, bool has_poses, Predictions& out);

/// Reads distances to the goal, {episode: [one for each position]}, into predictions.
/// @throws InputError if a predicted path has none, or another number of them
void read_distances(const std::string& file, Predictions& predictions, const io::Reading& reading);

}  // namespace warpath::formats
