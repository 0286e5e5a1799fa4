#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace warpath {

/// The shells that there is completion for.
std::vector<std::string_view> completed_shells();

/// A script that has the shell complete commands, options and their values as the commands
/// themselves state them. @throws UsageError for any other shell
std::string completion_script(const CLI::App& app, std::string_view shell);

}  // namespace warpath
