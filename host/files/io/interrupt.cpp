#include "host/files/io/interrupt.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <initializer_list>
#include <string>
#include <system_error>
#include <thread>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/progress.hpp"
#include "host/files/io/output_file.hpp"

namespace warpath::io {
namespace {

constexpr unsigned max_seconds_to_end = 1;

// What becomes of the next signal: it ends the program, or it is noted here.
constexpr int ends_program = -1, nothing_noted = 0;
std::atomic<int> noted_signal = ends_program;

// Notes a signal if a StopOnSignal waits for one.
bool note(int signal) {
  if (signal != SIGINT && signal != SIGTERM && signal != SIGUSR1) return false;
  int expected = nothing_noted;
  return noted_signal.compare_exchange_strong(expected, signal);
}

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

std::string_view word_for(int signal) {
  switch (signal) {
    case SIGINT:
      return "interrupted";
    case SIGHUP:
      return "hung up";
    case SIGQUIT:
      return "ended by SIGQUIT";
    case SIGUSR1:
      return "ended by SIGUSR1";
    case SIGUSR2:
      return "ended by SIGUSR2";
    default:
      return "terminated";
  }
}

void change_mask(int how, std::initializer_list<int> signals) {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : signals) ::sigaddset(&set, signal);
  ::pthread_sigmask(how, &set, nullptr);
}

[[noreturn]] void end(int signal) {
  // This ends the program even if the code below hangs, on a blocked terminal or a lost file
  // system.
  std::signal(SIGALRM, SIG_DFL);
  change_mask(SIG_UNBLOCK, {SIGALRM});
  ::alarm(max_seconds_to_end);

  const std::string written = OutputFiles::abandon_all();
  const std::string doing = base::freeze_progress();
  std::string line = "warpath: " + std::string(word_for(signal));
  if (!doing.empty()) line += " while " + doing;
  line = base::clean_text(line + "; " + written) + '\n';
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, line.data(), line.size());
  die_of(signal);
}

}  // namespace

bool end_cleanly_on_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    if (!is_ignored(signal)) ::sigaddset(&set, signal);
  }
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  try {
    std::thread([set] {
      int signal = 0;
      while (::sigwait(&set, &signal) == 0) {
        if (!note(signal)) end(signal);
      }
    }).detach();
  } catch (const std::system_error&) {
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    return false;
  }
  return true;
}

StopOnSignal::StopOnSignal() {
  noted_signal = nothing_noted;
}
StopOnSignal::~StopOnSignal() {
  noted_signal = ends_program;
}
int StopOnSignal::end() {
  return std::max(noted_signal.exchange(ends_program), 0);
}
int StopOnSignal::signal() const {
  return std::max(noted_signal.load(), 0);
}

void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  change_mask(SIG_UNBLOCK, {signal});
  ::raise(signal);
  ::_exit(128 + signal);  // the first process of a container is not killed by a signal
}

}  // namespace warpath::io
