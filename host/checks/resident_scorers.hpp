#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/core/cuda/resident_scorer.hpp"
#include "host/core/cuda/totals.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/paths.hpp"
#include "warpath/reference_scorer.hpp"

// Gives cuda::ResidentScorer, which takes any device, and ReferenceScorer, which takes the current
// one, the same functions, so that the same checks test both.

namespace warpath::checks {

/// Metrics, and the convention that they are computed under.
struct Request {
  MetricSet metrics;
  Convention convention;
};

/// Holds what both are made with.
struct ScorerInputs {
  /// @param room 0: the batch's references are given; otherwise none are, but there is room for so
  /// many, of the batch's lengths
  ScorerInputs(const PairBatch& batch, std::uint32_t room, const Request& request);

  std::vector<const Scan*> scans;
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  Convention convention;
  ReferenceScorerOptions options;
};

class InternalScorer {
 public:
  InternalScorer(cuda::Device& device, const ScorerInputs& inputs);

  void store(std::uint32_t first, std::uint32_t count, const PathsView& paths,
             const Integers& scan_of, cuda::Stream stream);
  std::size_t workspace_bytes(const Batch& batch) const { return scorer_.workspace_bytes(batch); }
  void warm_up(const Batch& batch, void* workspace, cuda::Stream stream) const;
  void score(const Batch& batch, const ScoreArrays& scores, void* workspace,
             cuda::Stream stream) const {
    scorer_.score(batch, scores, workspace, stream);
  }
  /// Returns the first pair that cannot be scored, as "pair 3"; nothing if all can.
  std::string find_bad_pair(const Batch& batch, void* workspace, cuda::Stream stream) const;
  /// Waits. @throws std::overflow_error
  BatchStatistics statistics(const Batch& batch, void* workspace, cuda::Stream stream) const {
    cuda::DeviceTotals totals(device_, metrics_);
    const cuda::WaitAtEnd wait(device_, stream);
    scorer_.add_to_statistics(batch, totals.view(), workspace, stream);
    device_.wait(stream);
    return totals.read();
  }

 private:
  cuda::Device& device_;
  MetricSet metrics_;
  cuda::ResidentScorer scorer_;
};

/// Has the same functions as InternalScorer. @pre the device is the current one
class PublicScorer {
 public:
  PublicScorer(cuda::Device& device, const ScorerInputs& inputs);

  void store(std::uint32_t first, std::uint32_t count, const PathsView& paths,
             const Integers& scan_of, cuda::Stream stream);
  std::size_t workspace_bytes(const Batch& batch) const { return scorer_.workspace_bytes(batch); }
  void warm_up(const Batch& batch, void* workspace, cuda::Stream stream) const;
  void score(const Batch& batch, const ScoreArrays& scores, void* workspace,
             cuda::Stream stream) const {
    scorer_.score(batch, scores, {.workspace = workspace, .stream = stream});
  }
  std::string find_bad_pair(const Batch& batch, void* workspace, cuda::Stream stream) const;
  BatchStatistics statistics(const Batch& batch, void* workspace, cuda::Stream stream) const {
    const cuda::DeviceArray<char> totals(device_, ReferenceScorer::statistics_bytes());
    const cuda::WaitAtEnd wait(device_, stream);
    scorer_.clear_statistics(totals.data(), stream);
    scorer_.add_to_statistics(batch, totals.data(), {.workspace = workspace, .stream = stream});
    BatchStatistics statistics = scorer_.read_statistics(totals.data(), stream);
    statistics.precision = Precision::none;  // as InternalScorer leaves it
    return statistics;
  }

 private:
  cuda::Device& device_;
  ReferenceScorer scorer_;
};

}  // namespace warpath::checks
