#include "host/evaluation/grounding_scores.hpp"

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

void score_grounding(const GoalPair& pair, const Prediction& prediction, double ideal_length,
                     const Convention& convention, Scores& scores, std::size_t k) {
  if (!prediction.object || pair.item.object.empty()) return;
  double rgs = *prediction.object == pair.item.object;
  if (convention.grounding == Grounding::with_success) rgs *= scores.at(Metric::SR, k);
  scores.at(Metric::RGS, k) = rgs;
  scores.at(Metric::RGSPL, k) =
      reference::weighted_by_length(rgs, ideal_length, convention, scores, k);
}

void mark_without_object(const Inputs& inputs, const Predictions& predictions, const PackedRun& run,
                         std::vector<ItemRow>& rows) {
  if (!grounding_metrics(inputs).contains(Metric::RGS)) return;
  for (ItemRow& row : rows) {
    if (row.pair) row.lacks_object = !predictions.entries[run.sources[*row.pair].entry].object;
  }
}

}  // namespace warpath
