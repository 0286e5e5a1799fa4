#include "host/core/batch/point_results.hpp"

#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::batch {

kernels::Rules point_rules(const PointBatchView& batch, const Convention& convention,
                           const MetricSet& metrics) {
  kernels::Rules rules = make_rules(metrics, convention, !batch.task_success.empty(), true);
  rules.given_lengths = false;  // steps have the same length inside CLS
  return rules;
}

template <class T>
PointResults<T>::PointResults(const PointBatchView& batch, const ScoreColumns<T>& columns)
    : batch_(batch),
      columns_(columns),
      counts_(counted_metrics(columns.metrics())),
      asked_flags_(flags_of(columns.metrics())) {}

template <class T>
void PointResults<T>::write(std::size_t row, std::uint32_t flags) const {
  flags &= asked_flags_;
  if (columns_.status != nullptr) columns_.status[row] = definitions::status_of(flags);
  if (columns_.zero_rules != nullptr) columns_.zero_rules[row] = kernels::zero_rules_of(flags);
  const PointPair& pair = batch_.pairs[row];
  const std::size_t points = batch_.queries.size_of(pair.query);
  const definitions::PathSizes sizes{
      .reference = batch_.references.size_of(pair.reference), .query = points, .query_raw = points};
  for (const Metric m : counts_) {
    columns_.column[m][row] = static_cast<T>(sizes.*definitions::traits(m).count);
  }
}

template class PointResults<float>;
template class PointResults<double>;

}  // namespace warpath::batch
