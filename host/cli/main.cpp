#include <csignal>
#include <iostream>

#include "host/cli/cli.hpp"

int main(int argc, char** argv) {
  // A reader that goes away is a failed write like any other: reported, nothing left behind.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);
  return warpath::run_cli({argv + 1, argv + argc}, std::cout, std::cerr);
}
