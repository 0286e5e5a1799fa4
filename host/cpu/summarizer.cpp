#include "host/cpu/summarizer.hpp"

#include "host/batch/request.hpp"

namespace warpath::cpu {

Summarizer::Summarizer(const PairBatch& batch, const MetricSet& metrics)
    : batch_(batch),
      metrics_(metrics),
      kernel_metrics_(batch::kernel_metrics(metrics)),
      asked_flags_(batch::flags_of(metrics)) {}

void Summarizer::take(const batch::ResultRows& rows, const ResultView& out) {
  BatchStatistics& part = parts_.local();
  const std::size_t count = rows.rows.size();
  part.summary.items += count;
  for (const Metric m : kernel_metrics_) {
    for (std::size_t k = 0; k < count; ++k) part.add(m, out.column[index_of(m)][k]);
  }
  using enum Metric;
  const auto add = [&](Metric m, std::size_t viewpoints) {
    if (metrics_[m]) part.add(m, static_cast<double>(viewpoints));
  };
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t flags = out.flags[k] & asked_flags_;
    part.summary.count(batch::status_of(flags), kernels::zero_rules_of(flags));
    if (flags & kernels::flag_unreachable) continue;
    const Pair& pair = batch_.pairs[rows.rows[k]];
    const std::size_t query = batch_.queries.size_of(pair.query);
    add(steps, query - 1);
    add(n_query, query);
    add(n_query_raw, batch_.n_query_raw[rows.rows[k]]);
    add(n_ref, batch_.references.size_of(pair.reference));
  }
}

BatchStatistics Summarizer::total() const {
  BatchStatistics total;
  for (const BatchStatistics& part : parts_) total.merge(part);
  return total;
}

}  // namespace warpath::cpu
