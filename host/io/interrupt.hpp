#pragma once

namespace warpath {

/// Has SIGINT, SIGTERM and SIGHUP end the program within a second, wherever its threads are: no
/// temporary file stays, and one line says what was being done and what had been written. It then
/// dies of the signal, so that a shell reports 130, 143 or 129 and a loop around it ends too. A
/// signal that was ignored from outside (nohup) stays ignored.
///
/// A file that outgrows the limit of file sizes, and a pipe whose reader is gone, become failed
/// writes.
///
/// To be called once, before any other thread begins.
void end_cleanly_on_signals();

/// Ends the program as if it had never handled the signal.
[[noreturn]] void die_of(int signal);

}  // namespace warpath
