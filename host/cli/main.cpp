#include "host/cli/program.hpp"

int main(int argc, char** argv) {
  return warpath::run_program(argc, argv);
}
