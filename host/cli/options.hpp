#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/evaluate.hpp"

namespace warpath {

/// Options that say which files are scored: --graphs, --dataset with predictions, or --pairs.
/// A prediction file may be written NAME=FILE, which names its agent in every report.
class FileOptions {
 public:
  explicit FileOptions(CLI::App& command);

  /// The files, after a check that they make sense together. @throws UsageError
  EvalFiles files() const;

 private:
  EvalFiles files_;
  std::vector<std::string> formats_;
  std::string name_;
};

/// --preset, and an option of its own for every setting of the convention.
class ConventionOptions {
 public:
  explicit ConventionOptions(CLI::App& command);

  /// The preset with the settings that were given. @throws UsageError
  Convention convention() const;
  /// Another preset with the same settings over it.
  Convention convention(const std::string& preset) const;

 private:
  std::string preset_ = "paper";
  std::deque<std::string> values_;  // by setting; empty: not given
};

/// An option that names a file to write: "-" is standard output, "" that it is not given.
struct OutputOption {
  std::string_view name;
  std::string file;
};

/// @throws UsageError where an output would replace an input or another output.
void check_outputs(const std::vector<OutputOption>& outputs, const EvalFiles& files);

/// @throws UsageError where an output would replace a file that has content.
void check_new(const OutputOption& output);

/// Refuses an empty value or list, which would else be the same as none.
CLI::Validator not_empty();

/// Adds --backend.
CLI::Option* add_backend_option(CLI::App& command, std::string& backend);

/// Returns the names of an enum's values as `--help` lists them: "path|scan".
template <class Enum>
std::string names_of(std::initializer_list<Enum> values) {
  std::string names;
  for (const Enum value : values) names.append(names.empty() ? "" : "|").append(name(value));
  return names;
}

/// Of datasets and predictions.
std::vector<std::string_view> all_format_names();

/// Metrics by name from a comma-separated list, each once; "all" is every one. @throws UsageError
std::vector<Metric> parse_metrics(const std::string& list);

/// The parts of a comma-separated list, empty ones left out.
std::vector<std::string> split_list(const std::string& list);

}  // namespace warpath
