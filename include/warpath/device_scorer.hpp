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
#include "warpath/scores.hpp"
#include "warpath/views.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace warpath {

class GraphStore;

/// Options of DeviceScorer.
struct DeviceScorerOptions {
  MetricSet metrics = MetricSet::of_paths();  ///< other metrics are not computed
  /// Room for references and for their viewpoints, if set_references is to replace them or to add
  /// some; 0: the references that the scorer is made with stay.
  std::uint32_t max_references = 0, max_reference_length = 0;
  /// Keeps tables of distances for all that are given the same store, whose scans are used; null:
  /// each object makes its own.
  std::shared_ptr<const GraphStore> graphs{};
};

/// Scores batches that lie in a GPU's memory, e.g. as rewards for reinforcement learning. Tables
/// and references stay on the GPU. A call starts kernels on the caller's stream and returns: it
/// neither waits nor allocates. Scores are the `float` values that `Backend::cpu` computes, bit for
/// bit.
///
///     DeviceScorer scorer(scans, references, scan_of, convention, {.metrics = {Metric::nDTW}});
///     // nodes, lengths, rewards and workspace are device memory; the workspace has
///     // scorer.workspace_bytes(batch) bytes.
///     Batch batch;
///     batch.count = 4096;
///     batch.queries = {nodes, {.lengths = lengths, .pitch = 40, .max_length = 40}};
///     ScoreArrays scores;
///     scores.column[Metric::nDTW] = rewards;  // float[4096]
///     scorer.score(batch, scores, workspace, stream);
///
/// Repeats are kept, whatever the convention says. steps, n_query, n_query_raw and n_ref are not
/// written, because they are known without a kernel; statistics have them.
///
/// CUDA graphs: after warm_up for the same count and max_length, score, add_to_statistics,
/// clear_statistics and set_references may be called while the stream is captured. A graph repeats
/// the call with the same pointers, count and max_length; the contents of the memory may change.
///
/// A viewpoint that the scan does not have, a reference beyond the last, or a negative length makes
/// a kernel read outside of its memory, which ends the process's use of the GPU; check finds it
/// first. A path longer than `max_length` is cut, and a path without elements gives no scores.
///
/// Threads: several may use one scorer, each with its own workspace. Devices: a scorer belongs to
/// the device that was current when it was made, and its calls leave the caller's current device as
/// it is.
class WARPATH_EXPORT DeviceScorer {
 public:
  /// Uploads tables and references and waits.
  /// @param scans of up to 4,096 viewpoints
  /// @param scan_of by reference: index into `scans`
  /// @throws InputError that says why there is no device, or which reference or scan cannot be
  /// scored; InputError for conventions with lengths by edge inside CLS or with a threshold that
  /// single precision does not reach (see Backend); CudaError
  DeviceScorer(std::span<const Scan* const> scans, const PathSet& references,
               std::span<const std::uint32_t> scan_of, const Convention& convention,
               const DeviceScorerOptions& options = {});
  DeviceScorer(DeviceScorer&&) noexcept;
  DeviceScorer& operator=(DeviceScorer&&) noexcept;
  /// @pre all work that its calls started is completed, and graphs with it are launched no more
  ~DeviceScorer();

  /// Returns the bytes of 256-byte-aligned device memory that a call needs for up to the batch's
  /// count of queries of up to its max_length, of points also for references of up to theirs.
  /// Nothing else of the batch is read.
  /// @throws InputError if there are 2^32 points or more
  std::size_t workspace_bytes(const Batch& batch) const;

  /// Starts the kernels of such a batch with nothing to do, so that all are loaded.
  void warm_up(const Batch& batch, void* workspace, CUstream_st* stream) const;

  /// Starts to score every active pair. Scorer says what the metrics of continuous paths mean;
  /// their coordinates are taken as they are, and decisions are those of double precision.
  /// @pre coordinates are finite and at most 1e12 m
  /// @param workspace of workspace_bytes for such a batch, as in all calls
  /// @throws InputError that names a field which cannot be right, such as rows shorter than
  /// max_length or a column of another metric; of points, for a threshold below 1e-6 m or above
  /// 1e15 m; CudaError if a kernel cannot start
  void score(const Batch& batch, const ScoreArrays& scores, void* workspace,
             CUstream_st* stream) const;

  /// Returns the bytes of device memory that add_to_statistics adds to.
  static std::size_t statistics_bytes();
  /// Starts to empty statistics.
  void clear_statistics(void* statistics, CUstream_st* stream) const;
  /// Starts to score every active pair and to add the scores to `statistics`. No score is kept.
  void add_to_statistics(const Batch& batch, void* statistics, void* workspace,
                         CUstream_st* stream) const;
  /// Waits for the stream and returns the statistics.
  BatchStatistics read_statistics(const void* statistics, CUstream_st* stream) const;

  /// Starts to write references first … first + count − 1 anew. Batches that were started on other
  /// streams must have finished. A reference whose scan or viewpoints do not exist is stored as an
  /// empty one, whose pairs get no scores.
  /// @param scan_of [count]: index into the scorer's scans
  /// @throws InputError if there is no room for so many, or for so long ones
  void set_references(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                      Integers scan_of, CUstream_st* stream);

  /// Reads the whole batch, of points lengths and `reference` alone, waits, and reports what score
  /// would have to take on trust.
  /// @throws InputError that names the first pair that cannot be scored, and why
  void check(const Batch& batch, void* workspace, CUstream_st* stream) const;

  /// Decodes an entry of `ScoreArrays::flags` after it was copied to the host: ok, empty_path,
  /// unreachable, spl_undefined, cls_undefined, dtw_undefined or no_task_success.
  Status status(std::uint32_t flags) const;
  /// Returns the bits of ZeroByZero in an entry of the flags; see contains().
  std::uint8_t zero_rules(std::uint32_t flags) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpath
