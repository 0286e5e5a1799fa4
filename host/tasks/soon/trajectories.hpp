#pragma once

#include <string>
#include <vector>

#include "host/files/formats/direction.hpp"

namespace warpath::formats {
struct Predictions;
}  // namespace warpath::formats

namespace warpath::soon {

/// Tells whether a trajectory is an object with a path, or a list of such.
bool is_soon_trajectory(const json::Value& trajectory);

/// Returns the trajectories of an entry: the elements of a list of objects with `path`, or the
/// value itself.
std::vector<json::Value> soon_trajectories_in(json::Value trajectory);

/// Reads all trajectories of an entry: a list of objects with `path`, one such object, or a plain
/// trajectory. An element of the list that is something else is malformed.
/// @param entry its number
/// @param paths take the paths, in order
std::vector<formats::EntryTrajectory> read_soon_entry(json::Value trajectory, std::uint32_t entry,
                                                      formats::StringTable& viewpoints,
                                                      formats::NamedPaths& paths);

/// Does the same for the entry that is to be added to predictions.
/// @param id of the entry @throws InputError for a direction that no unit explains
void add_soon_entry(const json::Value& trajectory, const std::string& id, formats::Predictions& out,
                    formats::StringTable& viewpoints);

}  // namespace warpath::soon
