#pragma once

#include <optional>
#include <string>

#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Tells whether an object has a measure that is known.
bool has_measure(json::Object entry);

/// Returns the measures that VLN-PE nests in an episode's `info`; nothing if it has none.
std::optional<json::Object> nested_info(json::Object entry);

/// Returns the episodes of a replay or a run of EmbodiedScore, which nests the measures of each;
/// nothing for other objects.
std::optional<json::Array> replay_episodes(json::Object root);

/// Returns the id in the name of an episode's own file: "12" of log/stats_12.json.
std::string id_in_name(const std::string& file);

}  // namespace warpath::formats
