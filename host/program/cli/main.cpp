#include "host/program/cli/program.hpp"

namespace {

// Comes before the tables of the program, which allocate.
[[gnu::constructor(101)]] void begin() {
  warpath::cli::report_lost_allocations();
}

}  // namespace

int main(int argc, char** argv) {
  return warpath::cli::run_program(argc, argv);
}
