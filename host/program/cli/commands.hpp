#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "host/files/evaluation/shared_work.hpp"
#include "host/files/io/terminal.hpp"
#include "host/program/cli/command_line.hpp"

namespace warpath::cli {

/// Says where a command prints, and holds its exit code.
struct Io {
  std::ostream& out;
  std::ostream& err;
  io::Terminal terminal{};  ///< describes `out`
  int exit_code = 0;
  std::vector<std::string> command_line{};  ///< as given, without the program's name
  std::string program = "warpath";          ///< the name that the program was called by
  const evaluation::SharedWork* shared =
      nullptr;  ///< other processes that run the command; null: none

  /// Tells whether this process writes the results.
  bool is_writer() const { return shared == nullptr || shared->is_writer(); }
};

// Each function adds one command with its options, which refers to both.
void add_aggregate(Command& program, Io& io);
void add_baseline(Command& program, Io& io);
void add_bench(Command& program, Io& io);
void add_check(Command& program, Io& io);
void add_completion(Command& program, Io& io);
void add_convert(Command& program, Io& io);
void add_dataset(Command& program, Io& io);
void add_demo(Command& program, Io& io);
void add_distances(Command& program, Io& io);
void add_eval(Command& program, Io& io);
void add_explain(Command& program, Io& io);
void add_help(Command& program, Io& io);
void add_merge(Command& program, Io& io);
void add_metrics(Command& program, Io& io);
/// Adds `selftest` and `bench` where the build has neither: they say how to build them.
void add_omitted_checks(Command& program, Io& io);
void add_package_commands(Command& program, Io& io);
void add_perturb(Command& program, Io& io);
void add_presets(Command& program, Io& io);
void add_random(Command& program, Io& io);
void add_r4r(Command& program, Io& io);
void add_rewards(Command& program, Io& io);
void add_selftest(Command& program, Io& io);
void add_validate(Command& program, Io& io);

}  // namespace warpath::cli
