#include "host/core/cpu/summarizer.hpp"

#include "host/core/batch/request.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::cpu {

Summarizer::Summarizer(const PairBatchView& batch, const MetricSet& metrics,
                       const CpuKernels& kernels)
    : batch_(batch),
      kernel_metrics_(batch::kernel_metrics(metrics)),
      asked_flags_(batch::flags_of(metrics)),
      parts_([&kernels] { return ThreadStatistics(kernels); }) {
  for (const Metric m : batch::counted_metrics(metrics))
    counts_.push_back({m, definitions::traits(m).count});
}

void Summarizer::take(const batch::ResultRows& rows, const ResultView& out) {
  ThreadStatistics& part = parts_.local();
  const std::size_t count = rows.rows.size();
  for (const Metric m : kernel_metrics_) part.add(m, {out.column[index_of(m)], count});
  part.count_items({out.flags, count}, asked_flags_);
  if (counts_.empty()) return;
  for (std::size_t k = 0; k < count; ++k) {
    if (out.flags[k] & kernels::flag_unreachable) continue;
    const definitions::PathSizes sizes = batch::sizes_of(batch_, rows.rows[k]);
    for (const Count& count_of : counts_) part.add_count(count_of.metric, sizes.*count_of.size);
  }
}

BatchStatistics Summarizer::total() {
  BatchStatistics total;
  for (ThreadStatistics& part : parts_) total.merge(part.fold());
  return total;
}

}  // namespace warpath::cpu
