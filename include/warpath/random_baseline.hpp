#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpath/backend.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/evaluate.hpp"
#include "warpath/export.hpp"
#include "warpath/random_walks.hpp"
#include "warpath/watch.hpp"

namespace warpath {

/// Numbers the definition of random walks, which reports state: a seed gives the same walks in
/// every release with the same number.
inline constexpr int walk_definition = 1;

/// The files that random walks are made from. "-" is standard input, except for `graphs`.
struct RandomBaselineFiles {
  std::string graphs{};      ///< folder of scans, or one file
  std::string dataset;       ///< file of items, against whose references walks are scored
  std::string steps_from{};  ///< dataset whose references' edges are counted; empty: `dataset`
  std::optional<std::uint32_t> steps{};  ///< instead: every walk takes that many steps
  std::string dataset_format{};          ///< name of a format, or empty: told from the content
  std::string ndh_reference = "path";    ///< reference of NDH's items: path, planner or trusted
  std::uint64_t max_input_bytes = 0;     ///< limit of each file; see EvalFiles
  std::shared_ptr<const GraphStore> graph_store{};  ///< instead of `graphs`; null: none
  InputTexts texts{};                               ///< stand in for files; see EvalFiles
  const evaluation::SharedWork* shared = nullptr;   ///< other processes; see EvalFiles
};

/// Options of RandomBaseline.
struct RandomBaselineOptions {
  std::uint64_t first = 0, walks = 0;  ///< walks first … first + walks − 1
  Backend backend = Backend::automatic;
  MetricSet metrics = MetricSet::of_paths();
  int threads = 0;  ///< 0: all cores
  /// Is asked about once a second; true ends the run after the walks that are done.
  std::function<bool()> is_stopped{};
  /// Is called as walks are done, and may end the call by an exception.
  Watch watch{};
};

/// Statistics of random walks.
struct RandomBaselineResult {
  std::uint64_t walks = 0;     ///< the first of those asked for: all of them unless it was stopped
  BatchStatistics statistics;  ///< of these walks
  ItemSummary summary;         ///< the same as estimates: intervals of the sampling of the walks
  ResolvedBackend backend{};
};

/// Reads the files of a random baseline once and scores its walks under any number of conventions.
/// The references are the paths of the dataset in the file's order: of each entry that lists the
/// instructions of a path (R2R, R4R, REVERIE), whether or not another entry has the same path, and
/// of the items of other datasets the distinct ones. Walk k takes
/// its reference and its steps as RandomWalks says; the counts of steps have the number of edges of
/// each item's reference, a path once for each of its instructions.
///
/// It can be neither copied nor moved. One thread at a time may use it; scoring itself uses all
/// cores.
class WARPATH_EXPORT RandomBaseline {
 public:
  /// @throws InputError if a file cannot be used, the dataset is a test split (its references have
  ///   one viewpoint), a scan has no graph, or a reference is empty, names a viewpoint that its
  ///   scan does not have, or begins at one without neighbours; UsageError if a format or NDH
  ///   reference has no such name, or `steps` and `steps_from` are both given.
  explicit RandomBaseline(RandomBaselineFiles files, std::uint64_t seed,
                          WalkSample sample = WalkSample::cycle);
  ~RandomBaseline();
  RandomBaseline(const RandomBaseline&) = delete;
  RandomBaseline& operator=(const RandomBaseline&) = delete;

  const RandomBaselineFiles& files() const;
  const RandomWalks& walks() const;

  /// Scores walks. The result does not depend on the back end (in single precision), the number of
  /// threads, or into which parts the walks are divided.
  ///
  /// Where a reference joins viewpoints that no path of the graph joins, its walks have no values:
  /// the convention's `invalid` refuses them, leaves them out, or counts them as failures.
  /// @throws InputError that names the first such reference, if `invalid` is error; InputError,
  ///   CudaError, std::overflow_error as WalkScorer::statistics.
  RandomBaselineResult statistics(const Convention& convention,
                                  const RandomBaselineOptions& options) const;

  /// Appends walks first … first + count − 1 to the text of a pairs file, with the ids walk_0,
  /// walk_1, …, as `EvalFiles::pairs` reads them.
  void append_pairs(std::uint64_t first, std::uint64_t count, std::string& lines) const;

  /// Describes what was read.
  InputDescription description() const;
  /// Returns a description of the paths whose steps were counted: "the references of 14025 items of
  /// FILE".
  std::string steps_description() const;
  /// Returns the hash of the content of the file that the steps were counted in; empty if their
  /// number was given.
  std::string steps_hash() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpath
