#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace warpath::fuzz {

/// Holds what a whole command did with the files that an input holds.
struct CommandRun {
  std::vector<std::string> arguments;
  int code = 0;
  std::string out, err;
};

/// Runs the command that the first byte of an input chooses on the files behind it, which lines of
/// %% separate. @throws Violation where the command breaks a promise: see tests/fuzz/README.md
CommandRun run_command_on(Bytes input);

/// Returns how many commands there are to choose from.
std::size_t command_count();

}  // namespace warpath::fuzz
