#include "host/checks/order.hpp"

#include <utility>

namespace warpath::checks {

Order random_order(Random& random, std::size_t rows) {
  Order order(rows);
  for (std::size_t k = 0; k < rows; ++k) {
    order[k] = k;
    std::swap(order[k], order[random.below(k + 1)]);
  }
  return order;
}

PairBatch reordered(const PairBatch& batch, const Order& order) {
  PairBatch other{batch.scans, batch.references, batch.queries, {}, {}, {}};
  for (const std::size_t row : order) {
    other.pairs.push_back(batch.pairs[row]);
    if (!batch.n_query_raw.empty()) other.n_query_raw.push_back(batch.n_query_raw[row]);
    if (!batch.task_success.empty()) other.task_success.push_back(batch.task_success[row]);
  }
  return other;
}

PointBatch reordered(const PointBatch& batch, const Order& order) {
  PointBatch other{batch.references, batch.queries, {}, {}};
  for (const std::size_t row : order) {
    other.pairs.push_back(batch.pairs[row]);
    if (!batch.task_success.empty()) other.task_success.push_back(batch.task_success[row]);
  }
  return other;
}

Scores in_order(const Scores& scores, const Order& order) {
  Scores result = scores;
  for (std::size_t k = 0; k < order.size(); ++k) {
    for (const Metric m : MetricSet::of_paths()) {
      if (!scores.column[m].empty()) result.column[m][order[k]] = scores.column[m][k];
    }
    result.status[order[k]] = scores.status[k];
    result.zero_rules[order[k]] = scores.zero_rules[k];
  }
  return result;
}

}  // namespace warpath::checks
