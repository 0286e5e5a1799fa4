#pragma once

#include <CLI/CLI.hpp>
#include <deque>

#include "warpath/evaluate.hpp"

namespace warpath {

/// Options that say which files are scored: --graphs, --dataset with predictions, or --pairs.
class FileOptions {
 public:
  explicit FileOptions(CLI::App& command);

  /// The files, after a check that they make sense together. @throws UsageError
  EvalFiles files() const;

 private:
  EvalFiles files_;
  std::vector<std::string> formats_;
};

/// --preset, and an option of its own for every knob of the convention.
class ConventionOptions {
 public:
  explicit ConventionOptions(CLI::App& command);

  /// The preset with the knobs that were given. @throws UsageError
  Convention convention() const;
  /// Another preset with the same knobs over it.
  Convention convention(const std::string& preset) const;

 private:
  std::string preset_ = "paper";
  std::deque<std::string> values_;  // by knob; empty: not given
};

/// Metrics by name from a comma-separated list; "all" is every one. @throws UsageError
std::vector<Metric> parse_metrics(const std::string& list);

/// The parts of a comma-separated list, empty ones left out.
std::vector<std::string> split_list(const std::string& list);

}  // namespace warpath
