#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warpath::testing {

/// Runs the program itself, for tests for which run_cli is not enough. It is killed if it still
/// runs at the end of the test.
class Program {
 public:
  struct Surroundings {
    int out, err;             ///< descriptors; the caller closes them
    long max_file_bytes = 0;  ///< 0: no limit
    int ignored_signal = 0;   ///< 0: none
    int max_threads = -1;     ///< of the user nobody, that root becomes; -1: no limit
    std::vector<std::string> environment{};  ///< further variables, NAME=VALUE
  };

  Program(const std::vector<std::string>& arguments, const Surroundings& surroundings);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;

  /// Waits at most ten seconds until it has a file open that will be this one, but has another name
  /// or none.
  bool wait_until_it_writes(const std::string& path) const;

  /// Returns its exit code as a shell reports it: 128 + n if signal n ended it.
  int wait();

 private:
  pid_t child_;
};

/// Returns the path of the library of failing calls, which a process may preload; empty if the
/// build has none, because sanitizers replace the same calls.
std::string failing_calls();

/// A pseudo-terminal whose output the test reads.
class PseudoTerminal {
 public:
  /// @throws std::runtime_error where the system has none: see `exist`
  explicit PseudoTerminal(int columns);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// Tells whether the system has pseudo-terminals. A bare root without /dev/pts has none.
  static bool exist();

  /// Returns the end that a program writes to.
  int end() const { return slave_; }

  /// Waits until the output contains this text, at most a minute. Returns everything written so
  /// far.
  const std::string& read_until(const std::string& text);

 private:
  int master_, slave_;
  std::string read_;
};

/// Ends a test that needs a PseudoTerminal where there is none.
#define SKIP_WITHOUT_TERMINAL() \
  if (!PseudoTerminal::exist()) GTEST_SKIP() << "no pseudo-terminal: /dev/pts is not mounted"

}  // namespace warpath::testing
