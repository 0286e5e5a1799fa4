#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <cstdint>
#include <vector>

#include "host/cpu/isa.hpp"
#include "host/cpu/results.hpp"
#include "warpath/paths.hpp"
#include "warpath/summary.hpp"

namespace warpath::cpu {

/// Adds up results that nobody keeps, for each thread by itself.
class Summarizer {
 public:
  Summarizer(const PairBatch& batch, const MetricSet& metrics);

  /// By any thread. @throws std::overflow_error
  void take(const Rows& rows, const Outputs& out);
  /// Of all threads. @throws std::overflow_error
  BatchSummary total() const;

 private:
  const PairBatch& batch_;
  const MetricSet& metrics_;
  std::vector<int> kernel_metrics_;
  std::uint32_t asked_flags_;
  tbb::enumerable_thread_specific<BatchSummary> parts_;
};

}  // namespace warpath::cpu
