#include "host/cli/program.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>

#include "host/cli/cli.hpp"
#include "host/io/interrupt.hpp"
#include "host/io/output_file.hpp"
#include "host/io/progress.hpp"
#include "host/io/standard_output.hpp"
#include "host/io/terminal.hpp"

namespace warpath {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_to_terminal(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  end_cleanly_on_signals();
  StandardOutput out;
  std::optional<DrawnProgressLine> progress;
  const Terminal screen = terminal_of(STDERR_FILENO);
  if (screen.is_terminal) {
    progress.emplace(ProgressLine::Screen{screen.width, write_to_terminal, seconds_now});
  }
  const int code =
      run_cli({argv + 1, argv + argc}, out, std::cerr, terminal_of(STDOUT_FILENO), argv[0]);
  progress.reset();
  if (const int signal = signal_of_code(code); signal != 0) die_of(signal);
  return code;
}

}  // namespace warpath
