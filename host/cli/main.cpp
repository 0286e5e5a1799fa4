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

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_to_terminal(std::string_view text) {
  warpath::write_all(STDERR_FILENO, text);
}

}  // namespace

int main(int argc, char** argv) {
  warpath::end_cleanly_on_signals();
  warpath::StandardOutput out;
  std::optional<warpath::DrawnProgressLine> progress;
  const warpath::Terminal screen = warpath::terminal_of(STDERR_FILENO);
  if (screen.is_terminal) {
    progress.emplace(warpath::ProgressLine::Screen{screen.width, write_to_terminal, seconds_now});
  }
  const int code = warpath::run_cli({argv + 1, argv + argc}, out, std::cerr,
                                    warpath::terminal_of(STDOUT_FILENO), argv[0]);
  progress.reset();
  if (const int signal = warpath::signal_of_code(code); signal != 0) warpath::die_of(signal);
  return code;
}
