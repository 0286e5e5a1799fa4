#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "warpath/convention.hpp"
#include "warpath/export.hpp"

// Defines rewards for reinforcement learning of navigation agents, from the metrics of the prefixes
// of a query.

namespace warpath {

/// Chooses what a move earns for g, the distance to the goal before it minus that after it:
/// nothing, g, g held between −`max_goal_gain` and `max_goal_gain`, or its sign.
enum class GoalGain { none, metres, clipped, sign };
/// Chooses the sign of g = 0: 0, −1 (Discrete-Continuous-VLN's else-branch), or no value (EnvDrop,
/// VLN-HAMT and Recurrent-VLN-BERT stop with an error).
enum class Tie { zero, minus_one, undefined };
/// Chooses what a rollout earns at its end if it did not stop: what a stop there would; nothing
/// (trainers that estimate the rest with their critic); or the reward of the end in place of that
/// of its last move (VALAN, BabyWalk).
enum class TimeOut { as_stop, nothing, replaces_move };
/// Chooses where the reward of the end goes: to a column of its own, or added to the last move's.
enum class EndColumn { own, last_move };
/// Chooses the path by which nDTW and CLS of an end with a stop are taken: the query, or the query
/// with its last viewpoint once more (BabyWalk, where a stop repeats it).
enum class StopPath { query, repeats_last };

/// Every choice in which rewards differ. With the prefixes Q_t of the query (its first t
/// viewpoints), g_t = d(q_t, goal), the least where the goal is a set, and nDTW, CLS and DTW of
/// Q_t against the whole reference:
///
///     move t -> t+1    goal_weight · gain(g_t − g_t+1)
///                      − miss_penalty · (1 − g_t)   if g_t <= miss_radius and g_t+1 > g_t
///                      + ndtw_weight · (nDTW(Q_t+1) − nDTW(Q_t))
///                      + cls_weight · (CLS(Q_t+1) − CLS(Q_t))
///                      + dtw_weight · (DTW(Q_t) − DTW(Q_t+1))
///                      + min(slack, slack_per_metre · d(q_t, q_t+1))
///     end, success     success + success_ndtw · nDTW + success_closeness · (1 − g /
///                      success_radius) + final_spl · SPL
///          failure     failure
///          both        + final_ndtw · nDTW + final_cls · CLS
///                      + final_distance · (1 − g / distance_scale)
///
/// The second line is a part of the goal's gain: without one, miss_penalty has to be 0. The last is
/// never clipped.
///
/// The defaults are the preset `ndtw-gain`. A reward is a plain value: copy a preset and change
/// fields, or use `RewardSetting` to change them by name. `convention` gives the tables and
/// variants of nDTW, CLS and DTW, and those of SPL, whose success is the reward's own; of the rest
/// only its threshold, d_th, is read. A distance to the goal is in units of `goal_distance`, which
/// may differ from the convention's.
struct RewardSettings {
  std::string preset = "ndtw-gain";  ///< the preset that the other fields began as
  Convention convention{};
  Distance goal_distance = Distance::euclid_3d;
  double success_radius = 3.0;               ///< 0: success is to be at the goal
  Compare success_at = Compare::less_equal;  ///< how g is compared with success_radius
  /// Whether success asks for a stop. It matters where `timeout` pays an end.
  Stop success_stop = Stop::ignored;
  GoalGain goal_gain = GoalGain::none;
  double goal_weight = 1.0;
  double max_goal_gain = 1.0;  ///< of `clipped`, > 0
  Tie tie = Tie::zero;
  double miss_radius = 1.0, miss_penalty = 0.0;
  double ndtw_weight = 1.0, cls_weight = 0.0, dtw_weight = 0.0;
  double slack = 0.0, slack_per_metre = 0.0;  ///< both at most 0
  /// What replaces goal_weight · gain(…) where a distance is infinite or no number.
  double without_goal = std::numeric_limits<double>::quiet_NaN();
  double success = 0.0, failure = 0.0, success_ndtw = 0.0, success_closeness = 1.0;
  double final_ndtw = 0.0, final_cls = 0.0;
  double final_spl = 0.0;  ///< SPL is 0 where the end fails
  double final_distance = 0.0;
  double distance_scale = 6.0;  ///< of `final_distance`, > 0
  TimeOut timeout = TimeOut::as_stop;
  EndColumn end_column = EndColumn::own;
  StopPath stop_path = StopPath::query;
};

/// Rewards that reproduce a paper or a public code base.
struct RewardPreset {
  RewardSettings settings;  ///< its member `preset` is the name
  std::string_view source;  ///< the paper's equation, or the function that it reproduces
  std::string_view note;    ///< what its users should know; may be empty
};

/// Returns all presets. Any thread may call it.
WARPATH_EXPORT std::span<const RewardPreset> reward_presets();

/// Finds a preset by its name, letter case aside. @throws UsageError that lists the names.
WARPATH_EXPORT const RewardPreset& find_reward_preset(std::string_view name);

/// Describes one field of RewardSettings by name. Setting says what the members mean.
struct RewardSetting {
  std::string_view name, values, accepted, help;
  std::string (*get)(const RewardSettings&);
  void (*set)(RewardSettings&, std::string_view value);
  bool (*is_valid)(const RewardSettings&);
};

/// Returns all settings but those of the convention, in the order of RewardSettings' fields.
WARPATH_EXPORT std::span<const RewardSetting> reward_settings();

/// Checks rewards whose fields a program has set. Every call that rewards does so.
/// @throws InputError that names the first field whose value is out of range
WARPATH_EXPORT void check(const RewardSettings& settings);

}  // namespace warpath
