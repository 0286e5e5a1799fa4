#include "host/core/rewards/reward_rules.hpp"

#include <cmath>
#include <limits>

#include "host/core/batch/request.hpp"

namespace warpath::rewards {
namespace {

float success_limit(const RewardSettings& settings) {
  const auto radius = static_cast<float>(settings.success_radius);
  if (settings.success_at == Compare::less) return radius;
  return std::nextafter(radius, std::numeric_limits<float>::infinity());
}

float worth_of(Tie tie) {
  if (tie == Tie::zero) return 0.0f;
  return tie == Tie::minus_one ? -1.0f : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace

kernels::RewardRules make_rules(const RewardSettings& s, bool connected) {
  const auto single = [](double value) { return static_cast<float>(value); };
  const MetricSet metrics{Metric::nDTW, Metric::CLS};
  return {.metrics = batch::make_rules(metrics, s.convention, false, connected),
          .success_below = success_limit(s),
          .success_radius = single(s.success_radius),
          .goal_gain = s.goal_gain,
          .tie = worth_of(s.tie),
          .goal_weight = single(s.goal_weight),
          .max_goal_gain = s.goal_gain == GoalGain::clipped
                               ? single(s.max_goal_gain)
                               : std::numeric_limits<float>::infinity(),
          .miss_radius = single(s.miss_radius),
          .miss_penalty = single(s.miss_penalty),
          .ndtw_weight = single(s.ndtw_weight),
          .cls_weight = single(s.cls_weight),
          .dtw_weight = single(s.dtw_weight),
          .slack = single(s.slack),
          .slack_per_metre = single(s.slack_per_metre),
          .without_goal = single(s.without_goal),
          .success = single(s.success),
          .failure = single(s.failure),
          .success_ndtw = single(s.success_ndtw),
          .success_closeness = single(s.success_closeness),
          .final_ndtw = single(s.final_ndtw),
          .final_cls = single(s.final_cls),
          .final_spl = single(s.final_spl),
          .final_distance = single(s.final_distance),
          .distance_scale = single(s.distance_scale),
          .timeout = s.timeout,
          .success_needs_stop = s.success_stop == Stop::required,
          .end_is_last_move = s.end_column == EndColumn::last_move,
          .stop_repeats_node = s.stop_path == StopPath::repeats_last,
          .rewards_prefixes = s.ndtw_weight != 0.0 || s.cls_weight != 0.0 || s.dtw_weight != 0.0};
}

unsigned quantities_of(const RewardSettings& s, bool directed) {
  unsigned quantities = directed ? kernels::reward_all : 0;
  if (s.ndtw_weight != 0.0 || s.dtw_weight != 0.0 || s.success_ndtw != 0.0 || s.final_ndtw != 0.0)
    quantities |= kernels::reward_dtw;
  if (s.cls_weight != 0.0 || s.final_cls != 0.0 || s.slack_per_metre != 0.0 || s.final_spl != 0.0)
    quantities |= kernels::reward_cls;
  return quantities;
}

}  // namespace warpath::rewards
