#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace warpath {

/// Runs the program on its arguments (without its own name).
/// @return 0; 1 where input, output or --strict stopped it, with one line on `err`; 2 for a command
/// line that makes no sense.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace warpath
