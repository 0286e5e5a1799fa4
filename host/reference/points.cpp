#include <cmath>

#include "host/reference/reference.hpp"

namespace warpath::reference {
namespace {

// Takes away what was not asked for. Without columns of their own the metrics that a status or a
// rule is about do not show it.
class Restriction {
 public:
  explicit Restriction(const MetricSet& metrics) : metrics_(metrics) {
    if (is_wanted(Metric::SPL)) rules_ |= zero_spl;
    if (is_wanted(Metric::LS) || is_wanted(Metric::CLS)) rules_ |= zero_ls;
    if (is_wanted(Metric::SED)) rules_ |= zero_sed;
  }

  void apply(Scores& scores) const {
    for (std::size_t row = 0; row < scores.size(); ++row) {
      scores.status[row] = status(scores, row);
      scores.zero_rules[row] &= rules_;
    }
    for (int m = 0; m < metric_count; ++m) {
      if (!metrics_[m]) scores.column[m] = {};
    }
  }

 private:
  bool is_wanted(Metric m) const { return metrics_[static_cast<int>(m)]; }

  Status status(const Scores& scores, std::size_t row) const {
    using enum Metric;
    const auto lacks = [&](Metric m) { return is_wanted(m) && std::isnan(scores.at(m, row)); };
    if (lacks(SPL)) return Status::spl_undefined;
    if (lacks(LS) || lacks(CLS)) return Status::cls_undefined;
    if (lacks(DTW)) return Status::dtw_undefined;
    return lacks(SDTW) ? Status::no_task_success : Status::ok;
  }

  MetricSet metrics_;
  std::uint8_t rules_ = 0;
};

}  // namespace

Scores score(const PointBatch& batch, const Convention& convention, const MetricSet& metrics) {
  Scores scores(batch.pairs.size());
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const auto reference = batch.references[batch.pairs[row].reference];
    const auto query = batch.queries[batch.pairs[row].query];
    std::optional<double> task_success;
    if (!batch.task_success.empty()) task_success = batch.task_success[row];
    finish(measure(reference, query, convention), reference.size(), query.size(), task_success,
           convention, scores, row);
    scores.at(Metric::n_query_raw, row) = static_cast<double>(query.size());
  }
  if (!metrics.all()) Restriction(metrics).apply(scores);
  return scores;
}

}  // namespace warpath::reference
