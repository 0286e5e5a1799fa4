#include "host/cpu/summarizer.hpp"

#include "host/batch/request.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::cpu {

Summarizer::Summarizer(const PairBatchView& batch, const MetricSet& metrics)
    : batch_(batch),
      counts_(batch::counted_metrics(metrics)),
      kernel_metrics_(batch::kernel_metrics(metrics)),
      asked_flags_(batch::flags_of(metrics)) {}

void Summarizer::take(const batch::ResultRows& rows, const ResultView& out) {
  BatchStatistics& part = parts_.local();
  const std::size_t count = rows.rows.size();
  part.summary.items += count;
  for (const Metric m : kernel_metrics_) {
    for (std::size_t k = 0; k < count; ++k) part.add(m, out.column[index_of(m)][k]);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t flags = out.flags[k] & asked_flags_;
    part.summary.count(status_of(flags), kernels::zero_rules_of(flags));
    if (flags & kernels::flag_unreachable) continue;
    const PathSizes sizes = batch::sizes_of(batch_, rows.rows[k]);
    for (const Metric m : counts_) part.add(m, static_cast<double>(sizes.*traits(m).count));
  }
}

BatchStatistics Summarizer::total() const {
  BatchStatistics total;
  for (const BatchStatistics& part : parts_) total.merge(part);
  return total;
}

}  // namespace warpath::cpu
