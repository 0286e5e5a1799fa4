#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warpath {

/// Returns the shells that have completion.
std::vector<std::string_view> completed_shells();

/// Returns a script that makes the shell complete commands, options and their values, as the
/// commands define them. @throws UsageError for any other shell
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace warpath
