#include "host/batch/point_results.hpp"

#include "host/batch/request.hpp"

namespace warpath::batch {

kernels::Rules point_rules(const PointBatchView& batch, const Convention& convention,
                           const MetricSet& metrics) {
  kernels::Rules rules = make_rules(metrics, convention, !batch.task_success.empty(), true);
  rules.given_lengths = false;  // a step's length is the same inside CLS
  return rules;
}

template <class T>
PointResults<T>::PointResults(const PointBatchView& batch, const ScoreColumns<T>& columns)
    : batch_(batch), columns_(columns), asked_flags_(flags_of(columns.metrics())) {}

template <class T>
void PointResults<T>::write(std::size_t row, std::uint32_t flags) const {
  flags &= asked_flags_;
  if (columns_.status != nullptr) columns_.status[row] = status_of(flags);
  if (columns_.zero_rules != nullptr) {
    columns_.zero_rules[row] = static_cast<std::uint8_t>(flags & 7);
  }
  using enum Metric;
  const auto set = [&](Metric m, std::size_t count) {
    if (columns_.column[m] != nullptr) columns_.column[m][row] = static_cast<T>(count);
  };
  const PointPair& pair = batch_.pairs[row];
  const std::size_t points = batch_.queries.size_of(pair.query);
  set(steps, points - 1);
  set(n_query, points);
  set(n_query_raw, points);
  set(n_ref, batch_.references.size_of(pair.reference));
}

template class PointResults<float>;
template class PointResults<double>;

}  // namespace warpath::batch
