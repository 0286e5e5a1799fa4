#pragma once

#include <string>
#include <string_view>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {

/// Returns the results of EmbodiedScore's replay log as JSON Lines with episode_id, steps and
/// success: of each line "ep  0 id=  7: steps= 35 ... success=1.0 OK", or "success
/// ours/truth=1/1". Other lines are left out; empty if there is no such line.
std::string replay_log_lines(std::string_view text);

/// Tells by its name whether a file may be a replay's log.
bool is_log(std::string_view path);

/// Reads a replay's log as these lines, with the hash of the log, and another log as JSON.
/// @throws InputError if it is neither
JsonFile read_log(const std::string& path, const io::Reading& reading);

}  // namespace warpath::formats
