#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/program/cli/command_line.hpp"

namespace warpath::cli {

/// Returns the shells that have completion.
std::vector<std::string_view> completed_shells();

/// Returns a script that makes the shell complete commands, options and their values, as the
/// commands define them. @throws UsageError for any other shell
std::string completion_script(const Command& program, std::string_view shell);

}  // namespace warpath::cli
