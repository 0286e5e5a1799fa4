#pragma once

#include <string>
#include <vector>

#include "host/files/evaluation/shared_work.hpp"

namespace warpath::cli {

/// Runs the program as a process of its own: on standard output and standard error, with a line of
/// progress where that is a terminal. Changes how the process answers signals, and ends the process
/// where a signal does (see host/files/io/interrupt.hpp). The program's `main` and the command of
/// the Python package call it once.
/// @param argv the name by which the program was called, then its arguments
/// @return the exit code; see run_cli
int run_program(int argc, const char* const* argv);

/// From now on, an allocation that fails where nobody can catch it ends the process with the line
/// "out of memory" and exit code 1, as others do. run_program() calls it.
void report_lost_allocations();

/// Holds how a run among several processes ended.
struct SharedRun {
  int code = 0;        ///< see run_cli
  std::string errors;  ///< what it said on standard error
};

/// Runs the program as one of several processes that share its work, of which only the first prints
/// and writes results. Leaves the answers to signals as they are.
/// @param arguments without the program's name
/// @param number, of, exchange see SharedWork
/// @param threads how many may work here; 0: all cores
SharedRun run_shared(const std::vector<std::string>& arguments, std::uint64_t number,
                     std::uint64_t of, evaluation::SharedWork::Exchange exchange, int threads);

}  // namespace warpath::cli
