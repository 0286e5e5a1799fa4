#include "host/tasks/soon/direction_scores.hpp"

#include <algorithm>

#include "host/tasks/soon/box_hits.hpp"

namespace warpath {
namespace {

// Returns the box of the viewpoint that the query ends at; null if it has none.
const TargetBox* last_box(const GoalPair& pair, std::span<const TargetBox> boxes, Boxes which) {
  const TargetBox* found = nullptr;
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    if (pair.goals[b] != pair.query.back()) continue;
    if (found == nullptr || which == Boxes::last) found = &boxes[b];
  }
  return found;
}

}  // namespace

MetricSet direction_metrics(const Inputs&) {
  using enum Metric;
  return {RGS, SFPL, HE, EE, PE};
}

bool names_directions(const Predictions& predictions) {
  return std::ranges::any_of(predictions.entries,
                             [](const Prediction& p) { return p.direction.has_value(); });
}

void score_direction(const TaskPair& one) {
  const Convention& convention = one.convention;
  const std::optional<Direction>& direction = one.prediction.direction;
  const TargetBox* box =
      last_box(one.pair, one.dataset.boxes[*one.pair.item.goals], convention.boxes);
  bool is_found = false;
  if (box != nullptr && direction) {
    const DirectionErrors errors = errors_of(*box, *direction, convention.angles);
    is_found = is_inside(*box, *direction, convention.angles);
    one.set(Metric::HE, errors.heading);
    one.set(Metric::EE, errors.elevation);
    if (is_found) one.set(Metric::PE, errors.point);
  }
  if (convention.grounding == Grounding::with_success && one.get(Metric::SR) == 0.0) {
    is_found = false;
  }
  one.set(Metric::RGS, is_found);
  one.set(Metric::SFPL, one.get(Metric::RGS) * one.get(Metric::SPL));
}

}  // namespace warpath
