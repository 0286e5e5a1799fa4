#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "host/io/terminal.hpp"

namespace warpath {

/// Says where a command prints, and holds its exit code.
struct Io {
  std::ostream& out;
  std::ostream& err;
  Terminal terminal{};  ///< describes `out`
  int exit_code = 0;
  std::vector<std::string> command_line{};  ///< as given, without the program's name
  std::string program = "warpath";          ///< the name that the program was called by
};

// Each function adds one command with its options. The command runs when it is parsed.
void add_aggregate(CLI::App& app, Io& io);
void add_baseline(CLI::App& app, Io& io);
void add_bench(CLI::App& app, Io& io);
void add_completion(CLI::App& app, Io& io);
void add_dataset(CLI::App& app, Io& io);
void add_demo(CLI::App& app, Io& io);
void add_eval(CLI::App& app, Io& io);
void add_explain(CLI::App& app, Io& io);
void add_help(CLI::App& app, Io& io);
void add_merge(CLI::App& app, Io& io);
void add_metrics(CLI::App& app, Io& io);
void add_package_commands(CLI::App& app, Io& io);
void add_perturb(CLI::App& app, Io& io);
void add_presets(CLI::App& app, Io& io);
void add_random(CLI::App& app, Io& io);
void add_r4r(CLI::App& app, Io& io);
void add_rewards(CLI::App& app, Io& io);
void add_selftest(CLI::App& app, Io& io);
void add_validate(CLI::App& app, Io& io);

}  // namespace warpath
