#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/score.hpp"
#include "warpath/scores.hpp"

namespace warpath {

struct Inputs;

/// The files of an evaluation: either `dataset` with `predictions`, or `pairs`. "-" is standard
/// input.
struct EvalFiles {
  std::string graphs;  ///< folder of scans, or one graph
  std::string dataset;
  std::vector<std::string> predictions;  ///< one agent each, or shards of one where `merge`
  std::vector<std::string> names;  ///< of the agents; empty, or one per agent ("": the file's)
  std::string pairs;
  bool merge = false;
  std::vector<std::string> task_success;  ///< none, one for all agents, or one per agent
  std::string dataset_format;             ///< as `--format` names it; empty: told from the content
  std::string prediction_format;          ///< likewise
  std::string ndh_reference = "path";     ///< path, planner or trusted
  std::uint64_t max_input_bytes = 0;      ///< of one file, decompressed; 0: a quarter of the memory
};

/// One line of the results: an item of the dataset, or a prediction that no item asks for.
struct ItemRow {
  std::string instr_id;
  std::string scan;               ///< empty where the id is unknown
  std::string language;           ///< of the instruction; empty where the dataset has none
  std::uint32_t reference = 0;    ///< number of its reference path: equal paths, equal numbers
  std::uint32_t n_reference = 0;  ///< viewpoints of the reference
  Status status = Status::ok;
  bool in_dataset = true;
  bool lacks_success = false;           ///< no usable value in the task-success file: no SDTW
  std::optional<std::uint32_t> pair{};  ///< row of the scores; nothing: no value
};

/// What confidence intervals take for independent: reference paths (instructions of one path are
/// not), or scans. `none` takes every item for independent; `bootstrap` resamples reference paths.
enum class Interval { path, scan, none, bootstrap };

WARPATH_EXPORT std::string_view name(Interval interval);
/// @throws UsageError that lists the names there are.
WARPATH_EXPORT Interval find_interval(std::string_view name);

/// The mean of one metric over items, as reports state it.
struct Estimate {
  std::optional<double> mean;  ///< nothing where n is 0
  /// Bounds of the 95 % confidence interval; nothing where there are fewer than two clusters.
  std::optional<std::array<double, 2>> ci95;
  std::uint64_t n = 0;         ///< items with a value
  std::uint64_t of = 0;        ///< items that the convention scores
  std::uint64_t clusters = 0;  ///< that the n items lie in
};

/// Everything that is stated of a set of items.
struct ItemSummary {
  ItemStatistics counts;  ///< of items, statuses and 0/0 rules
  MetricMap<Estimate> estimates;

  const Estimate& of(Metric m) const { return estimates[m]; }
};

/// One agent's results.
struct AgentResult {
  std::string name;  ///< given, or the file's name without its endings
  std::string file;
  std::string hash;                ///< of the file's content
  std::string format;              ///< how the file is written: evalai, nested, …
  std::string format_description;  ///< the same in words, with the number of entries
  std::string task_success_hash;   ///< of the file that SDTW took success from, or empty
  std::vector<ItemRow> rows;
  Scores scores;
  ItemSummary summary;
};

/// How items are grouped for a summary each.
enum class GroupBy { none, scan, length, language };

/// @throws UsageError that lists the names there are.
WARPATH_EXPORT GroupBy find_group_by(std::string_view name);

struct Group {
  std::string name;  ///< the scan, the number of viewpoints of the reference, or the language
  ItemSummary summary;
};

/// Summarises the run's items by scan or language (in the order of names) or by length (ascending);
/// no groups for `none`.
WARPATH_EXPORT std::vector<Group> group(const AgentResult& run, GroupBy by,
                                        const Convention& convention, Interval interval);

struct EvalOptions {
  Backend backend = Backend::automatic;
  Interval interval = Interval::path;
  bool strict = false;  ///< refuse items that are merely noted, too
};

/// Reads files once and scores them under any number of conventions.
class WARPATH_EXPORT Evaluator {
 public:
  /// @throws InputError where a file cannot be used, the dataset is a test split (references of one
  ///   viewpoint), or its scans have no graph; UsageError
  explicit Evaluator(EvalFiles files);
  ~Evaluator();

  /// Items of all agents: what the back end is chosen by.
  std::size_t items() const;

  /// Scores every agent, in the order of the files.
  /// @throws InputError that names the first items where the convention refuses items without a
  ///   prediction (`missing`) or without a value (`invalid`), or `strict` those that are noted;
  ///   where no prediction's id is in the dataset, or nothing is scored; CudaError where a device
  ///   fails; std::overflow_error where sums leave their range (1e12 m)
  std::vector<AgentResult> evaluate(const Convention& convention, const EvalOptions& options = {});

  const EvalFiles& files() const;
  std::string dataset_description() const;  ///< "R2R, 1021 items in 56 scans"
  std::string dataset_hash() const;
  std::string graph_hash() const;         ///< of the scans read so far
  std::string graph_description() const;  ///< "plain graph, 1 scan", of the scans read so far
  /// Returns what is worth knowing and changes no score: scans so large that the reference back end
  /// scores them, isolated viewpoints, how files were read.
  std::vector<std::string> warnings() const;

 private:
  std::unique_ptr<Inputs> inputs_;
};

}  // namespace warpath
