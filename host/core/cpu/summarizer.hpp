#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <vector>

#include "host/core/batch/results.hpp"
#include "host/core/cpu/thread_statistics.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/paths.hpp"

namespace warpath::cpu {

/// Adds up results that are not stored, separately for each thread.
class Summarizer {
 public:
  Summarizer(const PairBatchView& batch, const MetricSet& metrics, const CpuKernels& kernels);

  /// Adds results; any thread may call it. @throws std::overflow_error
  void take(const batch::ResultRows& rows, const ResultView& out);
  /// Returns the statistics over all threads. @throws std::overflow_error
  BatchStatistics total();

 private:
  /// Names a metric that is a number of viewpoints.
  struct Count {
    Metric metric;
    std::size_t definitions::PathSizes::*size;
  };

  const PairBatchView batch_;
  std::vector<Count> counts_;
  const std::vector<Metric> kernel_metrics_;
  const std::uint32_t asked_flags_;
  tbb::enumerable_thread_specific<ThreadStatistics> parts_;
};

}  // namespace warpath::cpu
