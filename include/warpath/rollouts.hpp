#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

struct CUstream_st;  // what a cudaStream_t points to

namespace warpath {

/// Views the paths of a batch of agents in GPU memory. All pointers point to device memory;
/// viewpoints are indices into the scan of their reference.
struct Rollouts {
  std::uint32_t count;
  std::uint32_t max_length;             ///< upper bound of the viewpoints of any rollout
  const std::uint32_t* reference;       ///< [count]: reference that a rollout is scored against
  const std::uint16_t* nodes;           ///< one rollout after the other, none empty
  const std::uint32_t* offsets;         ///< [count + 1]: rollout q is nodes[offsets[q]] …
  const float* task_success = nullptr;  ///< [count]: SDTW's success instead of SR; null: SR
};

/// Names the columns for the scores. All pointers point to device memory.
struct RolloutScores {
  /// By metric: [count], NaN for a rollout without a value; null: not wanted.
  MetricMap<float*> column{};
  std::uint32_t* flags = nullptr;  ///< [count], never null; see RolloutScorer::status
};

/// Scores rollouts that already reside in GPU memory, e.g. as rewards for reinforcement learning.
/// References and distance tables stay on the GPU; a call starts two kernels and returns. Results
/// are the `float` values that `Backend::cpu` computes, bit for bit.
///
///     RolloutScorer scorer(scans, references, scan_of, convention, metrics, 4096);
///     RolloutScores scores;                                     // then, for each batch:
///     scores.column[Metric::nDTW] = rewards;  // float[4096] on the device
///     scores.flags = flags;
///     scorer.score_async(rollouts, scores, workspace, stream);  // workspace_bytes() of memory
///
/// Repeats are kept, whatever the convention says. steps, n_query, n_query_raw and n_ref are not
/// written, because they are known without a kernel.
class WARPATH_EXPORT RolloutScorer {
 public:
  /// Uploads tables and references to the calling thread's current device and waits.
  /// @param scans of up to 4,096 viewpoints
  /// @param scan_of by reference: index into `scans`
  /// @param metrics others are not computed
  /// @param max_rollouts upper bound of the rollouts of a call
  /// @throws InputError that says why there is no device, or which reference or scan cannot be
  /// scored; InputError for conventions with lengths by edge inside CLS or with a threshold that
  /// single precision does not reach (see Backend); CudaError
  RolloutScorer(std::span<const Scan* const> scans, const PathSet& references,
                std::span<const std::uint32_t> scan_of, const Convention& convention,
                const MetricSet& metrics, std::uint32_t max_rollouts);
  RolloutScorer(RolloutScorer&&) noexcept;
  RolloutScorer& operator=(RolloutScorer&&) noexcept;
  /// @pre all work that score_async enqueued is completed, and graphs with it are launched no more
  ~RolloutScorer();

  /// Returns the bytes of 256-byte-aligned device memory that score_async needs for `count`
  /// rollouts of at most `max_length` viewpoints.
  std::size_t workspace_bytes(std::uint32_t count, std::uint32_t max_length) const;

  /// Enqueues the kernels on `stream`, of the device that was current when the scorer was made, and
  /// returns without synchronising or allocating. All memory that is pointed to must remain valid
  /// until the stream has completed this work. The thread's current device remains as it is.
  /// @throws InputError for more rollouts than max_rollouts; CudaError if a kernel cannot start
  void score_async(const Rollouts& rollouts, const RolloutScores& scores, void* workspace,
                   CUstream_st* stream) const;

  /// Decodes an entry of `RolloutScores::flags` after it was copied to the host: ok, unreachable,
  /// spl_undefined, cls_undefined, dtw_undefined or no_task_success.
  Status status(std::uint32_t flags) const;
  /// Returns the bits of ZeroByZero in an entry of the flags; see contains().
  std::uint8_t zero_rules(std::uint32_t flags) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace warpath
