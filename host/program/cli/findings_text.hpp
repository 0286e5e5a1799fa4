#pragma once

#include <string>
#include <vector>

#include "host/files/submission/server.hpp"

namespace warpath::cli {

/// Describes findings for people: for each its examples, what the server does, and the remedy.
std::string findings_text(const std::vector<submission::Finding>& findings);

/// Says in a line whether the server would accept a submission with these findings.
std::string verdict(const std::vector<submission::Finding>& findings);

/// Says what a prediction file was read as: a line with its format, and its notes.
std::string describe(const formats::Predictions& predictions);

/// Says by which rules a submission is judged; empty for R2R itself.
std::string note_on(const submission::Server& server, const tasks::Task& task);

}  // namespace warpath::cli
