#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace warpath::testing {

/// The program itself, for what a call of run_cli can't show. It is killed if it still runs at the
/// end of the test.
class Program {
 public:
  struct Surroundings {
    int out, err;             ///< descriptors; the caller closes them
    long max_file_bytes = 0;  ///< 0: no limit
    int ignored_signal = 0;   ///< 0: none
  };

  Program(const std::vector<std::string>& arguments, const Surroundings& surroundings);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;

  /// Its exit code as a shell reports it: 128 + n where signal n ended it.
  int wait();

 private:
  pid_t child_;
};

/// A terminal that the test looks at.
class PseudoTerminal {
 public:
  explicit PseudoTerminal(int columns);
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  /// The end that a program writes to.
  int end() const { return slave_; }

  /// Everything written until now, waited for until this text is among it; at most a minute.
  const std::string& read_until(const std::string& text);

 private:
  int master_, slave_;
  std::string read_;
};

}  // namespace warpath::testing
