#include "host/evaluation/direction_scores.hpp"

#include <algorithm>

#include "host/evaluation/box_hits.hpp"

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

MetricSet direction_metrics() {
  using enum Metric;
  return {RGS, SFPL, HE, EE, PE};
}

bool names_directions(const Predictions& predictions) {
  return std::ranges::any_of(predictions.entries,
                             [](const Prediction& p) { return p.direction.has_value(); });
}

void score_direction(const GoalPair& pair, std::span<const TargetBox> boxes,
                     const std::optional<Direction>& direction, std::size_t k,
                     const Convention& convention, Scores& scores) {
  const TargetBox* box = last_box(pair, boxes, convention.boxes);
  bool is_found = false;
  if (box != nullptr && direction) {
    const DirectionErrors errors = errors_of(*box, *direction, convention.angles);
    is_found = is_inside(*box, *direction, convention.angles);
    scores.at(Metric::HE, k) = errors.heading;
    scores.at(Metric::EE, k) = errors.elevation;
    if (is_found) scores.at(Metric::PE, k) = errors.point;
  }
  if (convention.grounding == Grounding::with_success && scores.at(Metric::SR, k) == 0.0) {
    is_found = false;
  }
  scores.at(Metric::RGS, k) = is_found;
  scores.at(Metric::SFPL, k) = scores.at(Metric::RGS, k) * scores.at(Metric::SPL, k);
}

}  // namespace warpath
