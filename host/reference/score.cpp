#include "host/io/progress.hpp"
#include "host/reference/reference.hpp"

namespace warpath::reference {
namespace {

// Rows of shortest-path distances kept at a time, over all scans.
constexpr std::size_t row_budget = std::size_t{256} << 20;

}  // namespace

Scores score(const PairBatch& batch, const Convention& convention) {
  std::vector<Distances> distances;
  for (const Scan* scan : batch.scans) distances.emplace_back(*scan, convention.distance);

  Scores scores(batch.pairs.size());
  std::size_t kept = 0;
  Progress progress("scoring", batch.pairs.size(), "pairs");
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const Pair& pair = batch.pairs[row];
    const auto reference = batch.references[pair.reference];
    const auto query = batch.queries[pair.query];
    Distances& d = distances[pair.scan];

    const std::size_t before = d.bytes();
    const Measures measures = measure(d, reference, query, convention);
    kept += d.bytes() - before;
    if (kept > row_budget) {
      for (Distances& each : distances) each.clear();
      kept = 0;
    }

    std::optional<double> task_success;
    if (!batch.task_success.empty()) task_success = batch.task_success[row];
    finish(measures, reference.size(), query.size(), task_success, convention, scores, row);
    if (scores.status[row] != Status::unreachable) {
      scores.at(Metric::n_query_raw, row) = batch.n_query_raw[row];
    }
    progress.add();
  }
  return scores;
}

}  // namespace warpath::reference
