#include <iostream>

#include "host/cli/cli.hpp"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  return warpath::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
