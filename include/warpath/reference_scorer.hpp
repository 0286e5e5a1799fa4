#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/place.hpp"
#include "warpath/scores.hpp"
#include "warpath/views.hpp"

namespace warpath {

class GraphStore;

/// Options of ReferenceScorer.
struct ReferenceScorerOptions {
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  Place place{};
  /// GPU: room for references and for their viewpoints, if write_references is to replace them or
  /// to add some; 0: only set_references replaces them.
  std::uint32_t max_references = 0, max_reference_length = 0;
  /// Keeps tables of distances for all that are given the same store, whose scans are used; null:
  /// each object makes its own.
  std::shared_ptr<const GraphStore> graphs{};
};

/// Scores batches against references that it was given before, e.g. the rollouts of a trainer. The
/// queries lie in host memory or, for Place::gpu(), in that of a GPU. Both places give the `float`
/// values that `Backend::cpu` computes, bit for bit.
///
///     ReferenceScorer scorer(scans, references, scan_of, convention, {.metrics = {Metric::nDTW}});
///     Batch batch;
///     batch.count = 4096;
///     batch.queries = {nodes, {.lengths = lengths, .pitch = 40, .max_length = 40}};
///     ScoreArrays scores;
///     scores.column[Metric::nDTW] = column;  // float[4096]
///     scorer.score(batch, scores);
///
/// On a GPU, where nodes, lengths, column and workspace are device memory:
///
///     ReferenceScorer scorer(scans, references, scan_of, convention, {.place = Place::gpu()});
///     // workspace has scorer.workspace_bytes(batch) bytes
///     scorer.score(batch, scores, {.workspace = workspace, .stream = stream});
///
/// Repeats are kept, whatever the convention says. steps, n_query, n_query_raw and n_ref are not
/// written, because they are known without scoring; statistics have them.
///
/// CUDA graphs: after warm_up for the same count and max_length, score, add_to_statistics,
/// clear_statistics and write_references may be called while the stream is captured (see Call).
///
/// Threads: several may use one object, on a GPU each with its own workspace. It can be moved, not
/// copied. An object of a GPU belongs to that device; its calls leave the caller's current device
/// as it is.
class WARPATH_EXPORT ReferenceScorer {
 public:
  /// Makes the tables of distances, on the host those of up to 4,096 viewpoints: it treats larger
  /// scans as Scorer does. For a GPU it uploads them and the references and waits.
  /// @param scans for a GPU such whose tables have at most 2^30 entries (4 GiB) together, as that
  /// of one scan of 32,767 viewpoints has; for the host they must outlive the object
  /// @param scan_of by reference: index into `scans`
  /// @throws InputError that says which reference or scan cannot be scored, or why there is no
  /// GPU; on a GPU for conventions with lengths by edge inside CLS or with a threshold that single
  /// precision does not reach (see Backend), which the host scores in double precision; CudaError
  ReferenceScorer(std::span<const Scan* const> scans, const PathSet& references,
                  std::span<const std::uint32_t> scan_of, const Convention& convention,
                  const ReferenceScorerOptions& options = {});
  /// Makes an object for continuous paths only.
  explicit ReferenceScorer(const Convention& convention,
                           const ReferenceScorerOptions& options = {});
  ReferenceScorer(ReferenceScorer&&) noexcept;
  ReferenceScorer& operator=(ReferenceScorer&&) noexcept;
  /// @pre on a GPU all work that its calls started is completed, and graphs with it are launched no
  /// more
  ~ReferenceScorer();

  Place place() const;

  /// Takes other references in place of those before. Calls that run in other threads end with
  /// those that they began with.
  /// @param scans,references,scan_of as of the constructor
  /// @pre on a GPU as for the destructor
  /// @throws InputError as the constructor; nothing changes then
  void set_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of);

  /// GPU: starts to write references first … first + count − 1 anew, of the object's scans. Batches
  /// that were started on other streams must have finished. A reference whose scan or viewpoints do
  /// not exist is stored as an empty one, whose pairs get no scores.
  /// @param scan_of [count]: index into the object's scans
  /// @throws InputError if there is no room for so many, or for so long ones
  void write_references(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                        Integers scan_of, CUstream_st* stream);

  /// Returns the bytes that `Call::workspace` needs for up to the batch's count of queries of up to
  /// its max_length, of points also for references of up to theirs; nothing else of the batch is
  /// read. On the host it is 0.
  /// @throws InputError if there are 2^32 points or more
  std::size_t workspace_bytes(const Batch& batch) const;

  /// GPU: starts the kernels of such a batch with nothing to do, so that all are loaded.
  void warm_up(const Batch& batch, const Call& call) const;

  /// Scores every active pair. Scorer says what the metrics of continuous paths mean; decisions are
  /// those of double precision. On a GPU a query longer than max_length is cut, and one without
  /// elements has no scores.
  /// @pre on a GPU coordinates are finite and at most 1e12 m
  /// @throws InputError that names the pair and viewpoint if a query is empty or longer than
  /// max_length, if a viewpoint or reference does not exist, or if a coordinate is no number,
  /// infinite or beyond 1e12 m (a check on a GPU does not read coordinates); that names a field
  /// which cannot be right, such as rows shorter than max_length or a column of another metric; of
  /// points on a GPU, for a threshold below 1e-6 m or above 1e15 m. Nothing is written then.
  /// CudaError if a kernel cannot start
  void score(const Batch& batch, const ScoreArrays& scores, const Call& call = {}) const;

  /// Returns the bytes of GPU memory that add_to_statistics adds to.
  static std::size_t statistics_bytes();
  /// GPU: starts to empty statistics.
  void clear_statistics(void* statistics, CUstream_st* stream) const;
  /// GPU: starts to score every active pair and to add the scores to `statistics`. No score is
  /// kept. On the host take Scorer::statistics.
  void add_to_statistics(const Batch& batch, void* statistics, const Call& call) const;
  /// GPU: waits for the stream and returns the statistics.
  BatchStatistics read_statistics(const void* statistics, CUstream_st* stream) const;

  /// Decodes an entry of `ScoreArrays::flags` in host memory: ok, empty_path, unreachable,
  /// length_undefined, spl_undefined, cls_undefined, dtw_undefined or no_task_success.
  Status status(std::uint32_t flags) const;
  /// Returns the bits of ZeroByZero in an entry of the flags; see contains().
  std::uint8_t zero_rules(std::uint32_t flags) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpath
