#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/backend.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/input_texts.hpp"
#include "warpath/position_distances.hpp"
#include "warpath/scores.hpp"
#include "warpath/watch.hpp"

namespace warpath::evaluation {
class SharedWork;
struct Inputs;
}  // namespace warpath::evaluation

namespace warpath {

/// The files of an evaluation: either `dataset` with `predictions`, or `pairs`. "-" is
/// standard input, except for `graphs`. Any file may be gzipped. Graphs and texts may also lie in
/// memory:
///
///     EvalFiles files;
///     files.graph_store = store;
///     files.dataset = "R2R_val_seen.json";
///     files.predictions = {"agent"};
///     files.texts["agent"] = R"([{"instr_id": "5593_0", "trajectory": [["a"], ["b"]]}])";
struct EvalFiles {
  std::string graphs;                    ///< folder of scans, or one file
  std::string dataset;                   ///< file of items
  std::vector<std::string> predictions;  ///< one file per agent, or shards of one where `merge`
  std::vector<std::string> names;        ///< none, or one per agent; "" takes the file's name
  std::string pairs;                     ///< file of pairs, instead of `dataset` and `predictions`
  bool merge = false;                    ///< all predictions are of one agent
  bool runs = false;  ///< predictions of one name are runs of one agent, such as of several seeds
  std::vector<std::string> task_success;  ///< none, one file for all agents, or one per agent
  /// Boxes that say which objects are visible from where (REVERIE): a folder, or one file; empty:
  /// none.
  std::string objects;
  std::string dataset_format;     ///< name of a format, or empty: told from the content
  std::string prediction_format;  ///< name of a format, or empty: told from the content
  /// Reference of NDH's items: path (also called player), planner or trusted; or all: every agent
  /// then has a result for each of the three.
  std::string ndh_reference = "path";
  /// Positions that take the place of the graphs': {scan: {viewpoint: [x, y, z]}}, lines of scan,
  /// viewpoint, x, y, z, a .house file, or a folder of these. Empty: none.
  std::string coordinates;
  /// The items are sub-instructions, FGR2R's or Landmark-RxR's: INSTR_ID_0, INSTR_ID_1, …
  bool sub_instructions = false;
  std::uint64_t max_input_bytes = 0;  ///< limit of each file, decompressed; 0: a quarter of the
                                      ///< machine's memory
  /// Graphs instead of those that `graphs` names; null: none.
  std::shared_ptr<const GraphStore> graph_store{};
  /// Other processes that run the same evaluation (python -m warpath.distributed); null: none.
  const evaluation::SharedWork* shared = nullptr;
  /// Texts that stand in for files, except for `graphs`. They are not kept once they are read.
  InputTexts texts{};
  /// Of VLN-CE: file of dense references ({episode: {locations}}); empty: each episode's
  /// reference_path. A dataset of episodes needs no graphs.
  std::string ground_truth{};
  /// Of VLN-CE: files of distances to the goal ({episode: [one for each position]}), none, one for
  /// all agents, or one per agent.
  std::vector<std::string> distances{};
  /// Of VLN-CE: a `.navmesh` file of habitat-sim, or a folder that has one for each scan. Distances
  /// to the goal go over these meshes, as habitat-sim's PathFinder measures them. Empty: none.
  std::string navmesh{};
  /// The version of habitat-sim whose distances these are, to the last bit: 0.1.7 (and all up to
  /// 0.3.2) or 0.3.4 (from 0.3.3 on).
  std::string habitat = "0.1.7";
  /// Which distances go over the meshes: those to the goal, as in VLN-CE, or all of the metrics.
  std::string geodesic = "goal";
  /// A grid, or a folder that has one for each scan: positions of episodes or pairs then stand for
  /// the nearest cells, which are viewpoints, and all distances go over the grid. Empty: none.
  std::string grid{};
  /// Neighbours of a cell, 4 or 8, or fmm: distances by fast marching, see Connect.
  std::string connect = "8";
  double snap = 1.0;  ///< how far a position may be from its cell's centre, metres
  /// Tours (IVLN): a file {split: {scan: [[id, …], …]}}; empty: none, or those of the dataset.
  std::string tours{};
  /// Which split of a file with several holds the tours; empty: the one whose ids the dataset has.
  std::string split{};
  /// The caller reads summaries, no rows and scores of single items: a large pairs file is scored
  /// in windows, of which only one is in memory. Where it turns out that the file has to be read
  /// whole (two pairs have one id, a line is faulty, pairs are refused), a watch counts anew.
  bool summaries_only = false;
};

/// Describes the outcome of one item of the dataset, or of one prediction whose id is not in the
/// dataset.
struct ItemRow {
  std::string instr_id;           ///< id by which prediction and item are matched
  std::string scan;               ///< empty if the id is unknown
  std::string language;           ///< of the instruction; empty if the dataset has none
  std::uint32_t reference = 0;    ///< number of the reference; equal for equal paths of a scan
  std::uint32_t n_reference = 0;  ///< viewpoints of the reference
  Status status = Status::ok;     ///< the most severe status of the item
  bool in_dataset = true;         ///< false: a prediction whose id is not in the dataset
  bool lacks_success = false;     ///< the task-success file has no usable value: no SDTW
  bool lacks_object = false;      ///< REVERIE: its prediction does not say which object: no RGS
  std::optional<std::uint32_t> pair{};  ///< row of `AgentResult::scores`; nothing: no value
  std::optional<std::uint32_t> tour{};  ///< number in `AgentResult::tours`; nothing: in none
  bool counts_in_tour = false;          ///< means over tours have a share for it
};

/// Describes the outcome of one tour: episodes of one scan, which an agent walks one after the
/// other and without forgetting.
struct TourRow {
  std::string name;            ///< as its file calls it, or its number in the file, from 0
  std::string scan;            ///< of its episodes
  std::uint32_t episodes = 0;  ///< that are scored
  double weight = 0.0;         ///< in means over tours; all add up to 1
  std::uint64_t n_query = 0;   ///< viewpoints or positions of all its queries
  std::uint64_t n_ref = 0;     ///< the same of its references
  double dtw = 0.0;            ///< cost of the best alignment; infinite: there is none
  MetricMap<double> values{};  ///< of the metrics of tours; NaN: no value
};

/// Describes a metric that the caller computes. Its column joins tables, intervals and files.
struct OwnMetric {
  /// A letter, then up to 39 letters, digits and _ . + @ -; unlike those of metrics and of other
  /// columns.
  std::string name;
  /// A fraction counts 0 for a failed item where the convention says so (`missing`, `invalid`).
  Unit unit = Unit::fraction;
  Better better = Better::neither;
};

/// The paths of one item, as the convention has them scored: of viewpoints or of positions.
struct ItemPaths {
  const std::string& file;  ///< of the predictions
  const ItemRow& row;
  const Scan* scan = nullptr;              ///< null: the paths are of positions
  std::span<const Node> reference, query;  ///< viewpoints of the scan
  /// Metres, as files have them.
  std::vector<std::array<double, 3>> reference_positions{}, query_positions{};
  /// Returns the distance from one viewpoint of the scan to another in metres (edges under hops),
  /// or +inf if there is no way. A position goes by its number: those of the reference, then those
  /// of the query.
  std::function<double(std::uint32_t from, std::uint32_t to)> distance{};
};

/// The value of one metric of the caller for one item.
struct OwnValue {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not defined
  bool is_truth = false;                                    ///< 1 for true, 0 for false
};

/// The metrics that a caller computes.
struct OwnMetrics {
  std::vector<OwnMetric> metrics;
  /// Writes a value for each metric. Is called for every item that has a value of other metrics,
  /// one after the other, by the thread that evaluates, and may end the call by an exception.
  std::function<void(const ItemPaths& paths, std::span<OwnValue> values)> compute{};
};

/// A metric of the caller with its values for an agent.
struct OwnColumn {
  OwnMetric metric;
  std::vector<double> values;  ///< by row of `AgentResult::rows`; NaN: no value
  bool is_rate = false;        ///< no value is other than true or false
};

/// Chooses how confidence intervals cluster items that depend on each other: by reference path (its
/// instructions share a path), by scan, or not at all. `bootstrap` resamples reference paths. Where
/// there are tours, these take the place of paths.
/// Where there are tours, these take the place of reference paths.
enum class Interval { path, scan, none, bootstrap };

/// Returns the name as `--ci` spells it.
WARPATH_EXPORT std::string_view name(Interval interval);
/// Finds an interval by its name. @throws UsageError that lists the names.
WARPATH_EXPORT Interval find_interval(std::string_view name);

/// The mean of one metric over items, as reports state it.
struct Estimate {
  std::optional<double> mean;  ///< absent if n is 0
  /// Lower and upper bound of the 95 % confidence interval; absent for fewer than two clusters.
  std::optional<std::array<double, 2>> ci95;
  std::uint64_t n = 0;         ///< items that the mean is over
  std::uint64_t of = 0;        ///< items that the convention scores
  std::uint64_t clusters = 0;  ///< clusters that the n items lie in
};

/// Everything that reports state about a set of items.
struct ItemSummary {
  ItemStatistics counts;  ///< items, statuses and 0/0 rules
  MetricMap<Estimate> estimates;
  std::vector<Estimate> own{};  ///< of the caller's metrics, in their order

  /// Returns the estimate of one metric.
  const Estimate& of(Metric m) const { return estimates[m]; }
};

/// The results of one agent under one convention.
struct AgentResult {
  std::string name;                ///< as given, or the file's name without its endings; with
                                   ///< several references: "agent [planner]"
  std::string run_of{};            ///< of several runs of an agent: its name; otherwise empty
  std::string reference;           ///< player, planner or trusted, with all three; otherwise empty
  std::string file;                ///< file of predictions, the first one of several shards
  std::string hash;                ///< hash of the file's content
  std::string format;              ///< name of the file's format: evalai, nested, …
  std::string format_description;  ///< the format in words, with the number of predictions
  std::string task_success_hash;   ///< hash of the task-success file; empty if there is none
  std::optional<PositionDistances> distances;  ///< of positions; nothing: paths are of viewpoints
  std::string published;         ///< how the metrics that an RxR follower file gives compare with
                                 ///< these, in a sentence; empty if it gives none
  std::vector<ItemRow> rows;     ///< the items in the dataset's order, then predictions that
                                 ///< no item asks for; of a file that was scored in windows, the
                                 ///< first item of each status, and no scores
  std::vector<TourRow> tours;    ///< in the order of their file; empty: there are none
  Scores scores;                 ///< one row per pair; see ItemRow::pair
  std::vector<OwnColumn> own{};  ///< the caller's metrics, in their order
  ItemSummary summary;           ///< of all items that the convention scores
};

/// The results of several runs of one agent.
struct RunGroup {
  std::string agent;              ///< its name
  std::string reference;          ///< as AgentResult::reference
  std::vector<std::size_t> runs;  ///< where its runs are among the results
  /// Over the items of all runs. An interval is over items: those of one path in all runs are one
  /// cluster.
  ItemSummary summary;
  /// Standard deviations of the runs' means, by n − 1; nothing where a run has no mean.
  MetricMap<std::optional<double>> deviations;
  std::vector<std::optional<double>> own_deviations{};  ///< of the caller's metrics
};

/// Summarises the agents that have several runs (see EvalFiles::runs), in the order of the results.
/// @param convention the one that the agents were evaluated under.
/// @throws UsageError for Interval::none, because an item's runs depend on each other.
WARPATH_EXPORT std::vector<RunGroup> group_runs(const std::vector<AgentResult>& results,
                                                const Convention& convention, Interval interval);

/// Chooses how items are grouped; each group gets a summary of its own.
enum class GroupBy { none, scan, length, language };

/// Finds a grouping by its name. @throws UsageError that lists the names.
WARPATH_EXPORT GroupBy find_group_by(std::string_view name);

/// The summary of one group of items.
struct Group {
  std::string name;     ///< the scan, the number of viewpoints of the reference, or the language
  ItemSummary summary;  ///< of the group's items
};

/// Summarises an agent's items by scan or language (in the order of the names) or by length
/// (ascending). Returns no groups for `GroupBy::none`.
/// @param convention the one that the agent was evaluated under.
WARPATH_EXPORT std::vector<Group> group(const AgentResult& run, GroupBy by,
                                        const Convention& convention, Interval interval);

/// The options of an evaluation that do not change the score of any pair.
struct EvalOptions {
  Backend backend = Backend::automatic;
  Interval interval = Interval::path;
  bool strict = false;  ///< also refuse items whose status is only a note (see Status)
  /// Metrics that the caller reads. A prediction that lacks what only others need is not refused.
  MetricSet metrics = MetricSet::all();
  /// Is called as pairs are scored, those of one agent after those of another, and may end the call
  /// by an exception. An item without a pair is not counted.
  Watch watch{};
  OwnMetrics own{};  ///< metrics that the caller computes
};

/// Describes what an evaluation has read.
struct InputDescription {
  bool is_pairs = false;     ///< the dataset is a pairs file, which contains the predictions too
  std::string dataset_file;  ///< its path, or "standard input"
  std::string dataset_hash;  ///< of its content, as all hashes
  std::string dataset_description;  ///< "R2R, 1021 items in 56 scans"
  /// R2R, R4R, REVERIE, NDH, RxR, SOON or VLN-CE; empty where several tasks have the dataset's
  /// form.
  std::string task;
  std::string reference;          ///< of NDH: path, planner, trusted or all; otherwise empty
  bool sub_instructions = false;  ///< the items are sub-instructions
  std::string format;             ///< of the dataset, where it was given and not told
  std::string split;              ///< of tours; empty: there are none
  std::string graphs_path;        ///< or "graphs in memory"
  std::string graphs_hash;        ///< of all scans that were read
  std::string graphs_detection;   ///< "plain graph, 1 scan"
  /// Boxes: "boxes of version 1, 16880 visible objects …"; empty if there are none.
  std::string objects_path, objects_hash, objects_description;
  /// Tours: "26 tours of 123 items, split val_seen"; empty if there are none.
  std::string tours_file, tours_description;
  std::vector<std::string> task_success_files;
  /// Warnings that do not affect any score, one sentence each: isolated viewpoints, how files were
  /// read.
  std::vector<std::string> warnings;
};

/// Reads the files of an evaluation once and scores them under any number of conventions. It can be
/// neither copied nor moved. One thread at a time may use it; scoring itself uses all cores.
///
///     EvalFiles files;
///     files.graphs = "connectivity";
///     files.dataset = "R2R_val_seen.json";
///     files.predictions = {"agent.json"};
///     Evaluator evaluator(files);
///     const auto agents = evaluator.evaluate(find_preset("r2r").convention);
///     const std::optional<double> spl = agents[0].summary.of(Metric::SPL).mean;
class WARPATH_EXPORT Evaluator {
 public:
  /// Reads all files. Graphs are read when a scan is first needed.
  /// @throws InputError if a file cannot be used, the dataset is a test split (its references have
  ///   one viewpoint), or one of its scans has no graph; UsageError if the files do not make an
  ///   evaluation, or a format has no such name.
  explicit Evaluator(EvalFiles files);
  /// Takes files that are read already, by functions that are not public.
  /// @throws InputError if the dataset is a test split.
  explicit Evaluator(std::unique_ptr<evaluation::Inputs> inputs);
  ~Evaluator();

  /// Returns the back end that `evaluate` takes, and why.
  ResolvedBackend resolve(Backend backend, const Convention& convention) const;

  /// Returns the number of items over all agents, from which `Backend::automatic` is resolved; of a
  /// file that is scored in windows, before it was scored, at least so many as decide that.
  std::size_t items() const;

  /// Returns the metrics that results have: those of paths, and those of the dataset's task.
  MetricSet metrics() const;

  /// Scores every agent; returns a result for each, in the order of the files.
  /// @throws InputError for a value of a metric of the caller that is infinite or beyond 1e9, or
  ///   a fraction outside [0, 1]; UsageError for a name that none can have;
  ///   InputError that names the first items if the convention refuses items without a
  ///   prediction (`missing`) or without a value (`invalid`), or `strict` refuses those with a
  ///   note; InputError if no prediction's id is in the dataset, or nothing is scored; InputError
  ///   where the source of the preset fails: a path of fewer than three instructions
  ///   (`instructions`), an unknown id among predictions that are taken as they come (`missing` is
  ///   skip, `duplicates` each), SPL of 0/0 (`spl_zero`); CudaError if a device fails;
  ///   std::overflow_error if sums leave their range (lengths of 1e12 m).
  std::vector<AgentResult> evaluate(const Convention& convention, const EvalOptions& options = {});

  /// Returns the files that the evaluator was made from, without the texts. `graphs` is the path of
  /// the store, or "graphs in memory".
  const EvalFiles& files() const;
  /// Describes what was read. Graphs are read when a scan is first needed, so after `evaluate`.
  InputDescription description() const;

 private:
  std::unique_ptr<evaluation::Inputs> inputs_;
};

}  // namespace warpath
