#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "warpath/backend.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"
#include "warpath/watch.hpp"

namespace warpath {

class GraphStore;

struct ScorerOptions {
  Backend backend = Backend::automatic;
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  int threads = 0;                            ///< 0: all cores
  /// Limit of the device memory of a call, in bytes, with what the scorer keeps there. 0:
  /// WARPATH_GPU_MEMORY (MiB) or, if it is not set, half of the free memory.
  std::size_t memory_limit = 0;
  /// False: the caller guarantees everything that a checked call would verify. A batch that breaks
  /// this guarantee causes reads outside of memory.
  bool check_input = true;
  /// Keeps tables of distances for all that are given the same store, whose scans are used; null:
  /// each object makes its own.
  std::shared_ptr<const GraphStore> graphs{};
};

/// Scores batches of pairs repeatedly: keeps the scans' distance tables and its working memory
/// between calls; on a GPU, the tables and the references of the latest batch, too. (Working memory
/// of the GPU is kept for all scorers, see release_gpu_memory.) On a scan of more than 4,096
/// viewpoints each call searches the distances that its pairs read. Once it pays, the scorer makes
/// and keeps the table of the whole scan, if that takes up to 2 GiB (23,169 viewpoints) with those
/// of other such scans, and up to a quarter of the memory of a GPU. ScorerOptions::graphs keeps it
/// for others, too, and may have one already.
///
///     ScorerOptions options{.metrics = {Metric::nDTW, Metric::SR}};
///     Scorer scorer(scans, find_preset("r2r").convention, options);
///     Scores scores = scorer.score(batch);
///     double first = scores.at(Metric::nDTW, 0);
///
/// Pairs of viewpoint paths: viewpoints are indices into their scan; a pair's `scan` is an index
/// into the scorer's scans (a batch's own `scans` are ignored).
///
/// Evaluations of files have some settings of the convention for themselves. Ignored here are
/// `positions`, `start`, `adjacency`, `instructions`, `missing`, `invalid` and `duplicates`, which
/// choose what is read; `grounding`, `boxes` and `angles` of tasks; `stop`, `start_distance`,
/// `lookup`, `oracle_stop` and `oracle_start` of episodes.
///
/// The constructor refuses the values of `goal`, `spl_length`, `ndtw` and `dtw_radius` that
/// check_of_paths() refuses: goal sets, means of Gaussians and FastDTW.
///
/// Pairs of continuous paths: each metric's equation with the Euclidean distance of two points as
/// d, also between any two points of a path, so PL is the sum of the steps. (VLN-CE's own NE and
/// SPL take the distance on the navigation mesh, which needs the simulator.) Of the convention:
/// * `distance`: 2d leaves the third coordinate out; hops have no meaning here and count as 3d;
/// * `repeats`: collapse drops immediate repeats of identical coordinates from the queries;
/// * for the edit distance, two points are the same viewpoint if all three coordinates are
///   identical (under 2d too), and the two points of a step are an edge;
/// * `cls-step` is ignored: the length of a step, even of a repeat, is the distance of its points.
///
/// Precision: every back end decides against the threshold as double precision does.
///
/// | back end  | viewpoints                      | points                                         |
/// |-----------|---------------------------------|------------------------------------------------|
/// | reference | double                          | double                                         |
/// | cpu, cuda | distances rounded once, sums in | NE, ONE, SP, GP, PL: distances in double; DTW, |
/// |           | double-single; scores in single | PC, AD, MD: coordinates rounded to single,     |
/// |           |                                 | relative to the centre of the reference: off   |
/// |           |                                 | by 2^-24 of the points' distance from it, and  |
/// |           |                                 | up to 1e-15 m                                  |
///
/// The edit distance is exact everywhere. `automatic` uses cpu for points, because the benefit of a
/// GPU depends on their lengths.
///
/// Errors of all calls: InputError that names pair and field if a path is empty, a scan, path or
/// viewpoint index is out of range, a coordinate is NaN, infinite or beyond 1e12 m, or
/// `n_query_raw` or `task_success` does not have one element per pair; InputError if cuda is asked
/// for and there is no device, or not even one pair fits into its memory; CudaError if the device
/// fails, or if an error of other CUDA calls of the thread is pending, which remains so.
///
/// Threads: several may call one scorer at the same time. A scorer can be moved, not copied.
///
/// GPUs: a scorer of `cuda` works on the current CUDA device of the thread that makes it, one of
/// `automatic` on that of the thread whose call first takes a GPU. Its calls leave the current
/// device of their thread as it was. It may be destroyed while a stream captures a graph.
class WARPATH_EXPORT Scorer {
 public:
  /// Makes a scorer. The scans' distance tables are made when a batch first needs them.
  /// @param scans must outlive the scorer; none are needed for continuous paths
  /// @throws InputError if the convention or the options have a value out of range
  Scorer(std::span<const Scan* const> scans, const Convention& convention,
         const ScorerOptions& options = {});
  Scorer(Scorer&&) noexcept;
  Scorer& operator=(Scorer&&) noexcept;
  ~Scorer();

  /// Scores every pair and returns a column of doubles for each of the scorer's metrics; row k is
  /// pair k.
  /// @param watch is called as pairs are done, and may end the call by an exception (watch.hpp), in
  ///   all calls of this class
  Scores score(const PairBatchView& batch, const Watch& watch = {}) const;
  Scores score(const PointBatchView& batch, const Watch& watch = {}) const;

  /// Scores every pair into the caller's columns, each of batch.pairs.size() elements. Only metrics
  /// that have a column are computed, whatever the scorer's options say. If a call throws, some
  /// rows may have been written.
  void score(const PairBatchView& batch, const ScoreColumns<float>& columns,
             const Watch& watch = {}) const;
  void score(const PairBatchView& batch, const ScoreColumns<double>& columns,
             const Watch& watch = {}) const;
  void score(const PointBatchView& batch, const ScoreColumns<float>& columns,
             const Watch& watch = {}) const;
  void score(const PointBatchView& batch, const ScoreColumns<double>& columns,
             const Watch& watch = {}) const;

  /// Scores every pair and returns only statistics per metric (count, mean, 95 % interval, minimum,
  /// maximum, histogram). cpu and cuda store no per-pair score of viewpoint paths, so memory does
  /// not grow with the batch, and return the same bits. Intervals treat pairs as independent.
  /// @throws std::overflow_error if sums leave their range (1e12 m)
  BatchStatistics statistics(const PairBatchView& batch, const Watch& watch = {}) const;
  BatchStatistics statistics(const PointBatchView& batch, const Watch& watch = {}) const;

  /// Returns the back end that scores a batch of `pairs` pairs of viewpoint paths, and why.
  ResolvedBackend backend(std::size_t pairs) const;

  struct State;  ///< for the implementation only

 private:
  std::unique_ptr<State> state_;
};

/// Scores one batch with a Scorer of its own. @throws as Scorer
WARPATH_EXPORT Scores score(const PairBatchView& batch, const Convention& convention,
                            Backend backend = Backend::automatic,
                            const MetricSet& metrics = MetricSet::of_paths());
WARPATH_EXPORT Scores score(const PointBatchView& batch, const Convention& convention,
                            Backend backend = Backend::automatic,
                            const MetricSet& metrics = MetricSet::of_paths());

/// Returns the statistics of one batch with a Scorer of its own. @throws as Scorer::statistics
WARPATH_EXPORT BatchStatistics statistics(const PairBatchView& batch, const Convention& convention,
                                          Backend backend = Backend::automatic,
                                          const MetricSet& metrics = MetricSet::of_paths());
WARPATH_EXPORT BatchStatistics statistics(const PointBatchView& batch, const Convention& convention,
                                          Backend backend = Backend::automatic,
                                          const MetricSet& metrics = MetricSet::of_paths());

}  // namespace warpath
