#pragma once

namespace warpath {

/// Runs the program as a process of its own: on standard output and standard error, with a line of
/// progress where that is a terminal. Changes how the process answers signals, and ends the process
/// where a signal does (see host/io/interrupt.hpp). The program's `main` and the command of the
/// Python package call it once.
/// @param argv the name by which the program was called, then its arguments
/// @return the exit code; see run_cli
int run_program(int argc, const char* const* argv);

}  // namespace warpath
