#include "tests/support/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

[[noreturn]] void become_the_program(const std::vector<std::string>& arguments,
                                     const Program::Surroundings& surroundings) {
  std::string file = program();
  std::vector<char*> argv{file.data()};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  // The process that runs the tests may ignore these signals.
  for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2})
    std::signal(signal, SIG_DFL);
  if (surroundings.ignored_signal != 0) std::signal(surroundings.ignored_signal, SIG_IGN);
  if (surroundings.max_file_bytes > 0) {
    const auto bytes = static_cast<rlim_t>(surroundings.max_file_bytes);
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (surroundings.max_threads >= 0) {
    const auto threads = static_cast<rlim_t>(surroundings.max_threads);
    const rlimit limit{threads, threads};
    constexpr uid_t nobody = 65534;  // root has no such limit
    if (::geteuid() == 0 && ::setresuid(nobody, nobody, nobody) != 0) ::_exit(126);
    ::setrlimit(RLIMIT_NPROC, &limit);
  }
  for (const std::string& variable : surroundings.environment) {
    ::putenv(const_cast<char*>(variable.c_str()));
  }
  ::dup2(surroundings.out, STDOUT_FILENO);
  ::dup2(surroundings.err, STDERR_FILENO);
  ::execv(file.c_str(), argv.data());
  ::_exit(127);
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, const Surroundings& surroundings)
    : child_(::fork()) {
  if (child_ < 0) throw std::runtime_error("no child process");
  if (child_ == 0) become_the_program(arguments, surroundings);
}

Program::~Program() {
  if (child_ <= 0) return;
  send(SIGKILL);
  wait();
}

void Program::send(int signal) const {
  ::kill(child_, signal);
}

bool Program::wait_until_it_writes(const std::string& path) const {
  const std::string nameless = path.substr(0, path.rfind('/')) + "/#", named = path + ".";
  const std::string folder = "/proc/" + std::to_string(child_) + "/fd";
  for (int k = 0; k < 1000; ++k) {
    std::error_code error;
    for (const auto& open : std::filesystem::directory_iterator(folder, error)) {
      const std::string target = std::filesystem::read_symlink(open, error).string();
      if (target.starts_with(nameless) || target.starts_with(named)) return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

int Program::wait() {
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string failing_calls() {
  return WARPATH_FAILING_CALLS;
}

PseudoTerminal::PseudoTerminal(int columns)
    : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
  const bool is_ready = master_ >= 0 && ::grantpt(master_) == 0 && ::unlockpt(master_) == 0;
  slave_ = is_ready ? ::open(::ptsname(master_), O_RDWR | O_NOCTTY) : -1;
  if (slave_ < 0) throw std::runtime_error("no pseudo terminal");
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  ::ioctl(slave_, TIOCSWINSZ, &size);
}

bool PseudoTerminal::exist() {
  try {
    const PseudoTerminal one(80);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

PseudoTerminal::~PseudoTerminal() {
  ::close(slave_);
  ::close(master_);
}

const std::string& PseudoTerminal::read_until(const std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (read_.find(text) == std::string::npos && Clock::now() < end) {
    pollfd ready{master_, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    char bytes[4096];
    const ssize_t got = ::read(master_, bytes, sizeof bytes);
    if (got <= 0) break;
    read_.append(bytes, static_cast<std::size_t>(got));
  }
  return read_;
}

}  // namespace warpath::testing
