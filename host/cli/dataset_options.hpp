#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "host/cli/commands.hpp"
#include "host/cli/options.hpp"

namespace warpath {

/// Holds the options of a command that reads a dataset and its graphs.
class DatasetOptions {
 public:
  explicit DatasetOptions(CLI::App& command);

  /// Returns the files, without predictions. @throws UsageError
  EvalFiles files() const;
  /// Returns the options as a shell reads them, without --max-input.
  std::string words() const;

 private:
  EvalFiles files_;
};

/// Holds the options of a command that writes predictions, plain or to standard output: --out and
/// --force.
class PredictionOutput {
 public:
  /// @return the option --out
  CLI::Option* add_to(CLI::App& command);

  bool is_wanted() const { return !file_.empty(); }
  bool is_stdout() const { return file_ == "-"; }
  const std::string& file() const { return file_; }
  /// Returns the option with its file.
  OutputOption option() const { return {"--out", file_}; }
  /// Refuses a file that is there, unless --force is given, and a name for a compressed file.
  /// @throws UsageError
  void check() const;

 private:
  std::string file_;
  bool force_ = false;
};

}  // namespace warpath
