#include "host/tasks/reverie/grounding_scores.hpp"

#include <algorithm>

#include "host/reference/reference.hpp"

namespace warpath {

MetricSet grounding_metrics(const Inputs& inputs) {
  const bool has_targets = std::ranges::all_of(
      inputs.dataset.items, [](const Item& item) { return !item.object.empty(); });
  const bool has_objects = inputs.objects || std::ranges::any_of(inputs.agents, [](const auto& a) {
                             return !a.object_key.empty();
                           });
  MetricSet metrics;
  if (has_targets && has_objects) metrics.insert(Metric::RGS).insert(Metric::RGSPL);
  return metrics;
}

void score_grounding(const TaskPair& one) {
  const std::optional<std::string>& object = one.prediction.object;
  const std::string& target = one.pair.item.object;
  if (!object || target.empty()) return;
  double rgs = *object == target;
  if (one.convention.grounding == Grounding::with_success) rgs *= one.get(Metric::SR);
  one.set(Metric::RGS, rgs);
  one.set(Metric::RGSPL,
          reference::weighted_by_length(rgs, one.ideal_length, one.convention, one.scores, one.k));
}

void mark_without_object(const Inputs& inputs, const Predictions& predictions, const PackedRun& run,
                         std::vector<ItemRow>& rows) {
  if (!grounding_metrics(inputs).contains(Metric::RGS)) return;
  for (ItemRow& row : rows) {
    if (row.pair) row.lacks_object = !predictions.entries[run.sources[*row.pair].entry].object;
  }
}

}  // namespace warpath
