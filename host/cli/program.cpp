#include "host/cli/program.hpp"

#include <tbb/global_control.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <optional>
#include <sstream>

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

// Shows progress if standard error is a terminal.
void show_progress(std::optional<DrawnProgressLine>& progress) {
  const Terminal screen = terminal_of(STDERR_FILENO);
  if (!screen.is_terminal) return;
  progress.emplace(ProgressLine::Screen{screen.width, write_to_terminal, seconds_now});
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  end_cleanly_on_signals();
  StandardOutput out;
  std::optional<DrawnProgressLine> progress;
  show_progress(progress);
  const int code =
      run_cli({argv + 1, argv + argc}, out, std::cerr, terminal_of(STDOUT_FILENO), argv[0]);
  progress.reset();
  if (const int signal = signal_of_code(code); signal != 0) die_of(signal);
  return code;
}

SharedRun run_shared(const std::vector<std::string>& arguments, std::uint64_t number,
                     std::uint64_t of, SharedWork::Exchange exchange, int threads) {
  std::optional<tbb::global_control> limit;
  if (threads > 0) {
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
  const SharedWork work(number, of, std::move(exchange));
  std::ostringstream err;
  if (!SharedWork::is_writer()) {
    std::ostringstream unread;
    const int code = run_cli(arguments, unread, err);
    return {code, err.str()};
  }
  StandardOutput out;
  std::optional<DrawnProgressLine> progress;
  show_progress(progress);
  const int code = run_cli(arguments, out, err, terminal_of(STDOUT_FILENO));
  return {code, err.str()};
}

}  // namespace warpath
