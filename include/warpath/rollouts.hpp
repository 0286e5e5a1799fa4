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

/// Paths of a batch of agents that lie on a GPU. All pointers are the device's; viewpoints are
/// indices into the scan of their reference.
struct Rollouts {
  std::uint32_t count;
  std::uint32_t max_length;             ///< viewpoints of the longest, or more
  const std::uint32_t* reference;       ///< [count]: which reference a rollout is scored against
  const std::uint16_t* nodes;           ///< one rollout after the other, none empty
  const std::uint32_t* offsets;         ///< [count + 1]: rollout q is nodes[offsets[q]] …
  const float* task_success = nullptr;  ///< [count]: what SDTW takes instead of SR; null: SR
};

/// Where their scores go. All pointers are the device's.
struct RolloutScores {
  /// By metric: [count], NaN where a rollout has no value; null where nobody asks.
  MetricMap<float*> column{};
  std::uint32_t* flags = nullptr;  ///< [count], never null; see RolloutScorer::status
};

/// Scores rollouts where they are, as rewards of reinforcement learning: references and distance
/// tables stay on the GPU, and a call starts two kernels and returns. The bits of `score` with the
/// back end cpu, but in single precision.
///
///     RolloutScorer scorer(scans, references, scan_of, convention, metrics, 4096);
///     RolloutScores scores;                                     // then, for each batch:
///     scores.column[Metric::nDTW] = rewards;  // float[4096] on the device
///     scores.flags = flags;
///     scorer.score_async(rollouts, scores, workspace, stream);  // workspace_bytes() of memory
///
/// Repeats stay, whatever the convention says; steps, n_query, n_query_raw and n_ref, which are
/// known without a kernel, are not written.
class WARPATH_EXPORT RolloutScorer {
 public:
  /// Returns when all is on the calling thread's current device.
  /// @param scans of up to 4,096 viewpoints
  /// @param scan_of by reference: index into `scans`
  /// @param metrics what is not asked for is not computed
  /// @param max_rollouts of any call
  /// @throws InputError that says why there is no device, which reference or scan cannot be scored,
  ///   or for conventions with lengths by edge inside CLS or a threshold that single precision does
  ///   not reach (see Backend); CudaError
  RolloutScorer(std::span<const Scan* const> scans, const PathSet& references,
                std::span<const std::uint32_t> scan_of, const Convention& convention,
                const MetricSet& metrics, std::uint32_t max_rollouts);
  RolloutScorer(RolloutScorer&&) noexcept;
  RolloutScorer& operator=(RolloutScorer&&) noexcept;
  ~RolloutScorer();

  /// Of the device's memory, 256-byte aligned, that score_async works in.
  std::size_t workspace_bytes(std::uint32_t count, std::uint32_t max_length) const;

  /// Starts scoring on a stream and returns: no waiting, no allocation. What all pointers lead to
  /// has to stay until the stream has done its work.
  /// @throws InputError for more rollouts than max_rollouts; CudaError where a kernel cannot start
  void score_async(const Rollouts& rollouts, const RolloutScores& scores, void* workspace,
                   CUstream_st* stream) const;

  /// What flags say that were read back: ok, unreachable, spl_undefined, cls_undefined,
  /// dtw_undefined or no_task_success.
  Status status(std::uint32_t flags) const;
  /// Bits of ZeroByZero, see contains().
  std::uint8_t zero_rules(std::uint32_t flags) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace warpath
