#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include "host/core/base/progress.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::reference {

Scores score(const PointBatchView& batch, const Convention& convention, const MetricSet& metrics,
             const Watch* watch) {
  Scores scores(batch.pairs.size());
  base::Progress progress("scoring", batch.pairs.size(), "pairs", watch);
  tbb::enumerable_thread_specific<Workspace> workspaces;
  const bool warps = metrics.contains_any({Metric::DTW, Metric::nDTW, Metric::SDTW});
  tbb::parallel_for(std::size_t{0}, batch.pairs.size(), [&](std::size_t row) {
    const auto reference = batch.references[batch.pairs[row].reference];
    const auto query = batch.queries[batch.pairs[row].query];
    std::optional<double> task_success;
    if (!batch.task_success.empty()) task_success = batch.task_success[row];
    const definitions::PathSizes sizes{
        .reference = reference.size(), .query = query.size(), .query_raw = query.size()};
    finish(measure(reference, query, convention, warps, workspaces.local()), sizes, task_success,
           convention, scores, row);
    progress.add();
  });
  restrict_to(metrics, scores);
  return scores;
}

}  // namespace warpath::reference
