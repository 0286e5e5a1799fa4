#pragma once

#include <string>
#include <vector>

#include "host/submission/server.hpp"

namespace warpath {

/// Describes findings for people: for each its examples, what the server does, and the remedy.
std::string findings_text(const std::vector<Finding>& findings);

/// Says in a line whether the server would accept a submission with these findings.
std::string verdict(const std::vector<Finding>& findings);

/// Says what a prediction file was read as: a line with its format, and its notes.
std::string describe(const Predictions& predictions);

/// Says by which rules a submission is judged; empty for R2R itself.
std::string note_on(const Server& server, const Task& task);

}  // namespace warpath
