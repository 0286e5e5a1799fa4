#include "host/cli/program.hpp"

namespace {

// Comes before the tables of the program, which allocate.
[[gnu::constructor(101)]] void begin() {
  warpath::report_lost_allocations();
}

}  // namespace

int main(int argc, char** argv) {
  return warpath::run_program(argc, argv);
}
