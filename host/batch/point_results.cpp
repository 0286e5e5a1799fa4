#include "host/batch/point_results.hpp"

#include "host/batch/request.hpp"

namespace warpath::batch {

kernels::Rules point_rules(const PointBatch& batch, const Convention& convention,
                           const MetricSet& metrics) {
  kernels::Rules rules = make_rules(metrics, convention, !batch.task_success.empty(), true);
  rules.given_lengths = false;  // a step's length is the same inside CLS
  return rules;
}

PointResults::PointResults(const PointBatch& batch, const MetricSet& metrics, Scores& scores)
    : batch_(batch), metrics_(metrics), scores_(scores), asked_flags_(flags_of(metrics)) {}

void PointResults::write(std::size_t row, std::uint32_t flags) const {
  flags &= asked_flags_;
  scores_.status[row] = status_of(flags);
  scores_.zero_rules[row] = kernels::zero_rules_of(flags);
  using enum Metric;
  const auto set = [&](Metric m, std::size_t count) {
    if (metrics_[m]) scores_.at(m, row) = static_cast<double>(count);
  };
  const PointPair& pair = batch_.pairs[row];
  const std::size_t points = batch_.queries.size_of(pair.query);
  set(steps, points - 1);
  set(n_query, points);
  set(n_query_raw, points);
  set(n_ref, batch_.references.size_of(pair.reference));
}

}  // namespace warpath::batch
