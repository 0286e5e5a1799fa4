#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/program/cli/command_line.hpp"

namespace warpath::cli {

/// The hidden command that the scripts of `warpath completion` call, before the words so far.
inline constexpr std::string_view complete_command = "__complete";

/// Returns what the last word may become, as the commands define it: each word on a line, a tab and
/// what it means. Nothing: the name of a file may stand there, or anything else.
/// @param words behind the program's name, the last one up to the cursor
std::string completions(const Command& program, std::vector<std::string> words);

}  // namespace warpath::cli
