#pragma once

namespace warpath::io {

/// Lets SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2 end the program within a second,
/// whatever its threads do: no temporary file remains, and one line says what was being done and
/// what had been written. The program then dies of the signal, so that a shell reports 130, 143 or
/// 129 and a loop around it ends too. A signal that was ignored from outside (nohup) stays ignored.
/// Where the system has no room for the thread that waits for them, they end the program at once.
///
/// Exceeding the limit of file sizes and writing to a closed pipe become failed writes.
///
/// Must be called once, before any other thread starts.
/// @return whether there was room for the thread
bool end_cleanly_on_signals();

/// While it lives, the first SIGINT, SIGTERM or SIGUSR1 (Slurm's --signal) does not end the program
/// but is noted, so that a command can print what it has done; the next one ends the program as
/// ever. At most one object may exist at a time. Without end_cleanly_on_signals() it notes nothing.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

  /// Returns the signal that was noted, or 0. Any thread may ask.
  int signal() const;
  /// Returns the same, once and for all: the next signal ends the program.
  int end();
};

/// Ends the program as if it had never handled the signal.
[[noreturn]] void die_of(int signal);

}  // namespace warpath::io
