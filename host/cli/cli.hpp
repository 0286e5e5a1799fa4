#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "host/io/terminal.hpp"

namespace warpath {

/// Exit code if the reader of standard output has closed it, as a shell reports SIGPIPE.
inline constexpr int code_of_reader_gone = 141;

/// Runs the program on its arguments (without its own name).
/// @param terminal describes `out`
/// @param program the name by which it was called, for commands that it prints
/// @return an exit code:
///   - 0: done;
///   - 1: an input, an output, an item under --strict or a check of selftest was refused, with one
///     line on `err`;
///   - 2: the command line is invalid, with one line on `err`;
///   - code_of_reader_gone, without any text.
/// The program itself may also end by a signal: see host/io/interrupt.hpp.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            const Terminal& terminal = {}, const std::string& program = "warpath");

}  // namespace warpath
