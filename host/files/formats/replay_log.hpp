#pragma once

#include <string>
#include <string_view>

namespace warpath::formats {

/// Returns the results of EmbodiedScore's replay log as JSON Lines with episode_id, steps and
/// success: of each line "ep  0 id=  7: steps= 35 ... success=1.0 OK", or "success
/// ours/truth=1/1". Other lines are left out; empty if there is no such line.
std::string replay_log_lines(std::string_view text);

}  // namespace warpath::formats
