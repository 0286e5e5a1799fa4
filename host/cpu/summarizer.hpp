#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <vector>

#include "host/batch/results.hpp"
#include "host/cpu/cpu_kernels.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/paths.hpp"

namespace warpath::cpu {

/// Adds up results that are not stored, separately for each thread.
class Summarizer {
 public:
  Summarizer(const PairBatchView& batch, const MetricSet& metrics);

  /// Adds results; any thread may call it. @throws std::overflow_error
  void take(const batch::ResultRows& rows, const ResultView& out);
  /// Returns the statistics over all threads. @throws std::overflow_error
  BatchStatistics total() const;

 private:
  const PairBatchView batch_;
  const MetricSet counts_;
  std::vector<Metric> kernel_metrics_;
  std::uint32_t asked_flags_;
  tbb::enumerable_thread_specific<BatchStatistics> parts_;
};

}  // namespace warpath::cpu
