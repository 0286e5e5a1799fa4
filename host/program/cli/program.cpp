#include "host/program/cli/program.hpp"

#include <tbb/global_control.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <sstream>
#include <system_error>

#include "host/core/base/progress.hpp"
#include "host/files/io/interrupt.hpp"
#include "host/files/io/output_file.hpp"
#include "host/files/io/standard_output.hpp"
#include "host/files/io/terminal.hpp"
#include "host/program/cli/cli.hpp"

namespace warpath::cli {
namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void write_to_terminal(std::string_view text) {
  io::write_all(STDERR_FILENO, text);
}

// Shows progress if standard error is a terminal.
void show_progress(std::optional<base::DrawnProgressLine>& progress) {
  const io::Terminal screen = io::terminal_of(STDERR_FILENO);
  if (!screen.is_terminal) return;
  try {
    progress.emplace(base::ProgressLine::Screen{screen.width, write_to_terminal, seconds_now});
  } catch (const std::system_error&) {  // no room for its thread
  }
}

}  // namespace

namespace {

// Its limit is never taken back, because TBB would start threads then.
void stay_in_one_thread() {
  using tbb::global_control;
  [[maybe_unused]] static const auto* const limit =
      new global_control(global_control::max_allowed_parallelism, 1);
}

int run_as_process(int argc, const char* const* argv) {
  const bool has_threads = io::end_cleanly_on_signals();
  if (!has_threads) stay_in_one_thread();
  io::StandardOutput out;
  std::optional<base::DrawnProgressLine> progress;
  if (has_threads) show_progress(progress);
  const int code =
      run_cli({argv + 1, argv + argc}, out, std::cerr, io::terminal_of(STDOUT_FILENO), argv[0]);
  progress.reset();
  if (const int signal = signal_of_code(code); signal != 0) io::die_of(signal);
  return code;
}

// Ends a program whose failed allocation nobody could catch, such as that of an exception.
[[noreturn]] void end_without_memory() {
  io::write_all(STDERR_FILENO, out_of_memory_line);
  ::_exit(1);
}

std::terminate_handler other_terminate;

void terminate_in_one_line() {
  try {
    if (const std::exception_ptr failure = std::current_exception())
      std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) {
  }
  other_terminate();
}

}  // namespace

void report_lost_allocations() {
  const std::terminate_handler old = std::set_terminate(terminate_in_one_line);
  if (old != terminate_in_one_line) other_terminate = old;
}

int run_program(int argc, const char* const* argv) {
  report_lost_allocations();
  try {
    return run_as_process(argc, argv);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  }
}

SharedRun run_shared(const std::vector<std::string>& arguments, std::uint64_t number,
                     std::uint64_t of, evaluation::SharedWork::Exchange exchange, int threads) {
  std::optional<tbb::global_control> limit;
  if (threads > 0) {
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
  const evaluation::SharedWork work(number, of, std::move(exchange));
  std::ostringstream err;
  if (!work.is_writer()) {
    std::ostringstream unread;
    const int code = run_cli(arguments, unread, err, {}, "warpath", &work);
    return {code, err.str()};
  }
  io::StandardOutput out;
  std::optional<base::DrawnProgressLine> progress;
  show_progress(progress);
  const int code = run_cli(arguments, out, err, io::terminal_of(STDOUT_FILENO), "warpath", &work);
  return {code, err.str()};
}

}  // namespace warpath::cli
