#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "host/program/cli/command_line.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::cli {

/// Adds the options that choose the files: --graphs, --dataset with predictions, or --pairs. A
/// prediction file may be written NAME=FILE, which names its agent in every report.
class FileOptions {
 public:
  /// @param is_eval whether there are --task-success and what VLN-CE needs
  explicit FileOptions(Command& command, bool is_eval = true);

  /// Adds --runs, for a report of agents. @param command the one of the object
  void add_runs_to(Command& command);

  /// Returns the files, after checking that they fit together. @throws UsageError
  EvalFiles files() const;

 private:
  EvalFiles files_;
  std::vector<std::string> formats_;
  std::string name_;
};

// Each of these adds one option of the group Files, which several commands have.
Option& add_graphs_option(Command& command, std::string& graphs);
Option& add_dataset_option(Command& command, std::string& dataset,
                           const std::string& name = "--dataset");
void add_pairs_option(Command& command, std::string& pairs, const std::string& help);
void add_reference_option(Command& command, std::string& reference);
void add_max_input_option(Command& command, std::uint64_t& max_bytes);

/// Adds --preset, and an option for every setting of the convention.
class ConventionOptions {
 public:
  /// @param without settings that have no effect on the command, and no option
  explicit ConventionOptions(Command& command,
                             std::initializer_list<std::string_view> without = {});

  /// Returns the preset with the given settings. @throws UsageError
  Convention convention() const;
  /// Returns another preset with the same settings.
  Convention convention(const std::string& preset) const;
  /// Returns the preset, or `base` if none is given, with the same settings.
  Convention convention_from(const Convention& base) const;

 private:
  Convention changed(Convention convention) const;

  const Option* preset_option_;
  std::string preset_ = "paper";
  std::deque<std::string> values_;  // by setting; empty: not given
};

/// Returns the preset `paper` with one setting changed, for an option that takes that setting's
/// values. @throws UsageError that names the option
Convention convention_with(std::string_view setting, std::string_view option,
                           const std::string& value);

/// Holds an option that names an output file: "-" is standard output, "" means that it is not
/// given.
struct OutputOption {
  std::string_view name;
  std::string file;
};

/// Checks that no output replaces an input or another output. @throws UsageError
void check_outputs(const std::vector<OutputOption>& outputs, const EvalFiles& files);

/// Refuses an output that would replace a file that has content, unless --force is given, and
/// --force without an output. @throws UsageError
void check_new(const OutputOption& output, bool is_forced);

/// Refuses an empty value or list, which would otherwise mean that the option is not given.
ValueCheck not_empty();

/// Refuses what is no whole number from `min` on, and writes out 1e9, 1G and 1_000_000 (see
/// parse_count). Without it, a negative number would be read as a large one, and a long one cut
/// off.
ValueCheck whole_number(std::uint64_t min = 0,
                        std::uint64_t max = std::numeric_limits<std::uint64_t>::max());

/// Refuses what is no number from `min` to `max`. Without it, nan is read.
ValueCheck number_within(double min, double max);

/// Adds --backend.
Option& add_backend_option(Command& command, std::string& backend);

/// Returns the names of an enum's values as `--help` lists them: "path|scan".
template <class Enum>
std::string names_of(std::initializer_list<Enum> values) {
  std::string names;
  for (const Enum value : values) names.append(names.empty() ? "" : "|").append(name(value));
  return names;
}

/// Returns the names of all formats, of datasets and predictions.
std::vector<std::string_view> all_format_names();

/// Returns the metrics of a comma-separated list of names, each once; "all" stands for all of
/// `among`. @throws UsageError for a name that is none of these
std::vector<Metric> parse_metrics(const std::string& list,
                                  const MetricSet& among = MetricSet::of_paths());
/// Tells whether such a list has the word "all".
bool lists_all(const std::string& list);

/// Returns the parts of a comma-separated list, without empty ones.
std::vector<std::string> split_list(const std::string& list);

}  // namespace warpath::cli
