#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/io/terminal.hpp"

namespace warpath::evaluation {
class SharedWork;
}  // namespace warpath::evaluation

namespace warpath::cli {

/// Returns the exit code by which a shell reports that a signal ended the program, which the
/// program itself then dies of.
constexpr int code_of_signal(int signal) {
  return 128 + signal;
}
/// Returns the signal of such a code, 0 for any other.
constexpr int signal_of_code(int code) {
  return code > 128 ? code - 128 : 0;
}

/// Exit code if the reader of standard output has closed it, as a shell reports SIGPIPE.
inline constexpr int code_of_reader_gone = 141;

/// What is printed where an allocation fails, as a constant: nothing can be composed then.
inline constexpr std::string_view out_of_memory_line =
    "warpath: out of memory; score fewer agents or items at a time, or raise the limit of memory "
    "(ulimit -v, a container's)\n";

/// Runs the program on its arguments (without its own name).
/// @param terminal describes `out`
/// @param program the name by which it was called, for commands that it prints
/// @param shared other processes that run the same; null: none
/// @return an exit code:
///   - 0: done;
///   - 1: an input, an output, an item under --strict or a check of selftest was refused, with one
///     line on `err`;
///   - 2: the command line is invalid, with one line on `err`;
///   - code_of_reader_gone, without any text;
///   - code_of_signal(), if a signal stopped a command that then reported what it had done.
/// The program itself may also end by a signal: see host/files/io/interrupt.hpp.
int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            const io::Terminal& terminal = {}, const std::string& program = "warpath",
            const evaluation::SharedWork* shared = nullptr);

}  // namespace warpath::cli
