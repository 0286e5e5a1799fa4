#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "host/io/terminal.hpp"

namespace warpath {

/// Where a command prints, and what it returns to the shell.
struct Io {
  std::ostream& out;
  std::ostream& err;
  Terminal terminal{};  ///< what `out` is
  int exit_code = 0;
  std::vector<std::string> command_line{};  ///< as given, without the program's name
  std::string program = "warpath";          ///< the name that the program was called by
};

// Each adds one command with its options; the command runs when it is parsed.
void add_bench(CLI::App& app, Io& io);
void add_completion(CLI::App& app, Io& io);
void add_demo(CLI::App& app, Io& io);
void add_eval(CLI::App& app, Io& io);
void add_explain(CLI::App& app, Io& io);
void add_help(CLI::App& app, Io& io);
void add_metrics(CLI::App& app, Io& io);
void add_presets(CLI::App& app, Io& io);
void add_selftest(CLI::App& app, Io& io);
void add_validate(CLI::App& app, Io& io);

}  // namespace warpath
