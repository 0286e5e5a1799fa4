#include "warpath/reward_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host/core/definitions/setting_text.hpp"

namespace warpath::definitions {

WARPATH_SPELLING(GoalGain, "none", "metres", "clipped", "sign")
WARPATH_SPELLING(Tie, "zero", "minus-one", "undefined")
WARPATH_SPELLING(TimeOut, "as-stop", "nothing", "replaces-move")
WARPATH_SPELLING(EndColumn, "own", "last-move")
WARPATH_SPELLING(StopPath, "query", "repeats-last")

}  // namespace warpath::definitions

namespace warpath {
namespace {

using S = RewardSettings;

template <auto field>
RewardSetting reward_word_setting(std::string_view name, std::string_view help) {
  return definitions::make_word_setting<RewardSetting, field>(name, help);
}

/// Range of a number.
enum class Numbers { any, from_zero, above_zero, to_zero, or_nan };

constexpr std::string_view text_of(Numbers range) {
  switch (range) {
    case Numbers::from_zero:
      return "the numbers from 0 up";
    case Numbers::above_zero:
      return "the numbers above 0";
    case Numbers::to_zero:
      return "the numbers from 0 down";
    case Numbers::or_nan:
      return "the numbers, and nan";
    case Numbers::any:
      break;
  }
  return "the numbers";
}

bool contains(Numbers range, double x) {
  if (std::isnan(x)) return range == Numbers::or_nan;
  if (!(std::abs(x) <= 1e30)) return false;
  return range == Numbers::from_zero    ? x >= 0.0
         : range == Numbers::above_zero ? x > 0.0
         : range == Numbers::to_zero    ? x <= 0.0
                                        : true;
}

template <auto field, Numbers range>
RewardSetting number_setting(std::string_view name, std::string_view help) {
  return {name,
          "NUMBER",
          text_of(range),
          help,
          [](const S& s) { return fmt::format("{}", s.*field); },
          [](S& s, std::string_view value) {
            const auto number = definitions::read_number(value);
            if (!number || !contains(range, *number)) definitions::reject(value, text_of(range));
            s.*field = *number;
          },
          [](const S& s) { return contains(range, s.*field); }};
}

// Returns settings that reward nothing yet.
S named_settings(std::string_view preset) {
  S settings;
  settings.preset = preset;
  settings.ndtw_weight = settings.success_closeness = 0.0;
  return settings;
}

// The papers.
void add_papers(std::vector<RewardPreset>& all) {
  S goal = named_settings("goal");
  goal.goal_gain = GoalGain::metres;
  goal.success = 1.0;
  goal.failure = -1.0;
  all.push_back({goal, "Ilharco et al. 2019 (nDTW), goal-oriented reward",
                 "the decrease of the distance; +1 or -1 at the end"});

  S goal_cls = goal;
  goal_cls.preset = "goal-cls-paper";
  goal_cls.failure = 0.0;
  all.push_back({goal_cls, "Jain et al. 2019 (CLS), goal-oriented reward, Eq. 11",
                 "the decrease of the distance; 1[success] at the end"});

  const S gain;  // the default
  all.push_back({gain, "Ilharco et al. 2019 (nDTW), fidelity-oriented reward",
                 "the gain of nDTW; 1 - d/d_th at the end if successful, else 0"});

  S cls = named_settings("cls");
  cls.final_cls = 1.0;
  cls.success = 1.0;
  all.push_back({cls, "Jain et al. 2019 (CLS), fidelity-oriented reward, Eq. 12",
                 "0 before the end, then 1[success] + CLS"});

  S cls_gain = named_settings("cls-gain");
  cls_gain.cls_weight = 1.0;
  cls_gain.success = 1.0;
  all.push_back({cls_gain, "the same, shaped: the gain of CLS",
                 "our own definition; 1[success] at the end. A wrong move may raise CLS"});
}

void add_valan(std::vector<RewardPreset>& all) {
  S goal = named_settings("valan-goal");
  goal.goal_gain = GoalGain::clipped;
  goal.success_radius = 0.0;
  goal.success = 4.0;
  goal.failure = -4.0;
  goal.timeout = TimeOut::replaces_move;
  all.push_back({goal, "google-research valan r2r/env_config.py distance_to_goal, NDH's _to_room",
                 "success is the goal itself; its own distances are of .house files"});

  S dtw = named_settings("valan-dtw");
  dtw.dtw_weight = 1.0;
  dtw.timeout = TimeOut::nothing;
  all.push_back({dtw, "google-research valan r2r/env_config.py dense_dtw",
                 "the decrease of DTW in metres; nothing at the end"});
}

void add_critics(std::vector<RewardPreset>& all) {
  S envdrop = named_settings("envdrop");
  envdrop.goal_gain = GoalGain::sign;
  envdrop.tie = Tie::undefined;
  envdrop.success_at = Compare::less;
  envdrop.success = 2.0;
  envdrop.failure = -2.0;
  envdrop.timeout = TimeOut::nothing;
  all.push_back({envdrop, "R2R-EnvDrop r2r_src/agent.py rollout",
                 "it raises an error where a move keeps the distance; here NaN"});

  S hamt = envdrop;
  hamt.preset = "hamt";
  hamt.ndtw_weight = 1.0;
  hamt.miss_penalty = 2.0;
  hamt.success_ndtw = 2.0;
  all.push_back({hamt, "VLN-HAMT finetune_src/r2r/agent_cmt.py rollout", "R2R, R4R, RxR"});

  S recurrent = hamt;
  recurrent.preset = "recurrent-vln-bert";
  recurrent.convention.distance = Distance::hops;
  all.push_back({recurrent, "Recurrent-VLN-BERT r2r_src/agent.py rollout",
                 "distances to the goal in metres, nDTW in hops"});

  S cvdn = envdrop;
  cvdn.preset = "hamt-cvdn";
  cvdn.tie = Tie::zero;
  cvdn.success_radius = 0.0;
  cvdn.success_at = Compare::less_equal;
  all.push_back({cvdn, "VLN-HAMT finetune_src/cvdn/agent.py rollout",
                 "the goal is the set of end panoramas"});

  S reverie = cvdn;
  reverie.preset = "hamt-reverie";
  all.push_back({reverie, "VLN-HAMT finetune_src/reverie/agent.py rollout",
                 "the goal is the set of viewpoints that see the object"});

  S dcvln = envdrop;
  dcvln.preset = "dc-vln";
  dcvln.tie = Tie::minus_one;
  dcvln.timeout = TimeOut::as_stop;
  dcvln.without_goal = -1.0;
  all.push_back({dcvln, "Discrete-Continuous-VLN ss_trainer_VLNBERT.py train_ml",
                 "published commented out in part; the last action is forced to be a stop"});
}

void add_babywalk(std::vector<RewardPreset>& all) {
  S end = named_settings("");  // what its four have in common
  end.success_at = Compare::less;
  end.success = 1.0;
  end.timeout = TimeOut::replaces_move;
  end.stop_path = StopPath::repeats_last;
  end.convention.cls_zero = ClsZero::undefined;

  S dis = end;
  dis.preset = "babywalk-dis";
  dis.goal_gain = GoalGain::metres;
  dis.goal_weight = 0.1;
  all.push_back({dis, "BabyWalk simulator/envs/env.py, reward_type dis", ""});

  S cls = end;
  cls.preset = "babywalk-cls";
  cls.final_cls = 1.0;
  all.push_back({cls, "the same, reward_type cls", ""});

  S dtw = end;
  dtw.preset = "babywalk-dtw";
  dtw.final_ndtw = 1.0;
  all.push_back({dtw, "the same, reward_type dtw", ""});

  S mix = end;
  mix.preset = "babywalk-mix";
  mix.success = 0.0;
  mix.success_ndtw = 1.0;
  mix.final_cls = 1.0;
  all.push_back({mix, "the same, reward_type mix", "its lists have one more 0 in front"});
}

// Rewards of groups of rollouts (GRPO), all of which is paid at the end.
void add_groups(std::vector<RewardPreset>& all) {
  S r2r = named_settings("etp-r1-r2r");
  r2r.success_radius = 1.5;
  r2r.success = 1.0;
  r2r.final_spl = 1.0;
  r2r.final_distance = 1.0;
  all.push_back({r2r, "ETP-R1 vlnce_baselines/GRPO_trainer_ETP_R1.py, R2R",
                 "success at 1.5 m, with or without a stop; its SPL of a start at the goal is 0/0, "
                 "which leaves a whole group without values: here spl-zero decides"});

  S rxr = r2r;
  rxr.preset = "etp-r1-rxr";
  rxr.success = 0.0;
  rxr.success_ndtw = 1.0;
  rxr.final_ndtw = 1.0;
  rxr.convention.spl_length = SplLength::reference;
  all.push_back({rxr, "the same, RxR",
                 "it takes 0.25 m for each forward step of the reference as SPL's length: give it "
                 "as spl_length"});

  S activevln = named_settings("activevln");
  activevln.success_closeness = 15.0;
  activevln.timeout = TimeOut::nothing;
  all.push_back(
      {activevln, "ActiveVLN vlnce_server/env.py",
       "as trained; its configured defaults are success-closeness=10 and final-ndtw=5, where "
       "prefix is the length of the history"});

  S rlinf = named_settings("rlinf");
  rlinf.success = 5.0;
  rlinf.failure = 5.0;
  rlinf.timeout = TimeOut::nothing;
  all.push_back({rlinf, "RLinf rlinf/envs/habitat/habitat_env.py",
                 "any stop; its next episode starts with -5, for the reward before it is not "
                 "cleared"});

  S budvln = named_settings("budvln");
  budvln.goal_gain = GoalGain::sign;
  budvln.goal_weight = 0.05;
  budvln.tie = Tie::minus_one;
  budvln.success_at = Compare::less;
  budvln.success_stop = Stop::required;
  budvln.success = 1.0;
  budvln.failure = -1.0;
  budvln.final_spl = 1.0;
  budvln.final_distance = 1.0;
  budvln.timeout = TimeOut::replaces_move;
  all.push_back({budvln, "BudVLN streamvln/rewards/vln_reward.py, as it is meant",
                 "2 success + SPL - g/6 at the end; its steps are actions, here moves; neither its "
                 "collisions nor its limit of 10 are there"});

  S as_run = budvln;
  as_run.preset = "budvln-as-run";
  as_run.success = 2.0;
  as_run.final_spl = 0.0;
  all.push_back({as_run, "the same, as it runs",
                 "SPL is always 1, for its metrics lack the agent's path length"});
}

std::vector<RewardPreset> make_presets() {
  std::vector<RewardPreset> all;
  add_papers(all);
  add_valan(all);
  add_critics(all);
  add_babywalk(all);
  S waypoint = named_settings("vlnce-waypoint");
  waypoint.goal_gain = GoalGain::metres;
  waypoint.without_goal = -1.0;
  waypoint.slack = -0.05;
  waypoint.slack_per_metre = -0.2;
  waypoint.success_at = Compare::less;
  waypoint.success = 2.45;
  waypoint.failure = -0.05;
  waypoint.timeout = TimeOut::nothing;
  all.push_back({waypoint, "VLN-CE habitat_extensions/measures.py WaypointRewardMeasure",
                 "the length of a move is that between its ends; the source takes the predicted "
                 "one. Distances to the goal come from the simulator"});
  add_groups(all);
  return all;
}

}  // namespace

std::span<const RewardPreset> reward_presets() {
  static const std::vector<RewardPreset> all = make_presets();
  return all;
}

const RewardPreset& find_reward_preset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RewardPreset& preset : reward_presets()) {
    if (base::equal_letters(preset.settings.preset, name)) return preset;
    names.push_back(preset.settings.preset);
  }
  throw UsageError(base::no_such("reward", name, names));
}

std::span<const RewardSetting> reward_settings() {
  using enum Numbers;
  static const std::vector<RewardSetting> all{
      reward_word_setting<&S::goal_distance>("goal-distance",
                                             "distances to the goal: 3-D, 2-D, edges"),
      number_setting<&S::success_radius, from_zero>("success-radius", "0: at the goal itself"),
      reward_word_setting<&S::success_at>("success-at", "distance below, or at most, the radius"),
      reward_word_setting<&S::success_stop>("success-stop",
                                            "whether success asks for a stop, where a time-out is "
                                            "paid"),
      reward_word_setting<&S::goal_gain>("goal-gain",
                                         "what a move earns for coming nearer to the goal"),
      number_setting<&S::goal_weight, any>("goal-weight", "its factor"),
      number_setting<&S::max_goal_gain, above_zero>("max-goal-gain", "limit of clipped gains"),
      reward_word_setting<&S::tie>("tie", "the sign of a move that keeps the distance"),
      number_setting<&S::miss_radius, from_zero>("miss-radius",
                                                 "moves away from nearer than it are punished"),
      number_setting<&S::miss_penalty, any>("miss-penalty", "factor of 1 - distance"),
      number_setting<&S::ndtw_weight, any>("ndtw-weight", "factor of the gain of nDTW"),
      number_setting<&S::cls_weight, any>("cls-weight", "factor of the gain of CLS"),
      number_setting<&S::dtw_weight, any>("dtw-weight", "factor of the decrease of DTW"),
      number_setting<&S::slack, to_zero>("slack", "highest cost of a move"),
      number_setting<&S::slack_per_metre, to_zero>("slack-per-metre",
                                                   "cost of a move's length, if lower"),
      number_setting<&S::without_goal, or_nan>("without-goal", "gain where a distance is infinite"),
      number_setting<&S::success, any>("success", "reward of an end that succeeds"),
      number_setting<&S::failure, any>("failure", "reward of an end that fails"),
      number_setting<&S::success_ndtw, any>("success-ndtw", "nDTW's factor in success"),
      number_setting<&S::success_closeness, any>(
          "success-closeness", "factor of 1 - distance / success-radius in success"),
      number_setting<&S::final_ndtw, any>("final-ndtw", "nDTW's factor in any end"),
      number_setting<&S::final_cls, any>("final-cls", "CLS's factor in any end"),
      number_setting<&S::final_spl, any>("final-spl", "SPL's factor, which is 0 in a failure"),
      number_setting<&S::final_distance, any>("final-distance",
                                              "factor of 1 - distance / distance-scale in any end"),
      number_setting<&S::distance_scale, above_zero>("distance-scale", "where that is 0"),
      reward_word_setting<&S::timeout>("timeout", "the end without a stop"),
      reward_word_setting<&S::end_column>("end-column", "where the reward of the end goes"),
      reward_word_setting<&S::stop_path>("stop-path", "path that a stop is scored by"),
  };
  return all;
}

void check(const RewardSettings& settings) {
  check_of_paths(settings.convention);
  const auto refuse = [&](std::string field, std::string_view remedy) {
    std::ranges::replace(field, '-', '_');
    throw InputError({"reward", settings.preset, field}, "the value is out of range", remedy);
  };
  for (const RewardSetting& setting : reward_settings()) {
    if (setting.is_valid(settings)) continue;
    refuse(std::string(setting.name), fmt::format("set it to one of {}", setting.accepted));
  }
  if (settings.convention.cls_step == ClsStep::edge) {
    refuse("cls-step", "rewards take the shortest path as a step's length: set it to shortest");
  }
  if (settings.convention.cls_length != ClsLength::edges) {
    refuse("cls-length", "rewards take the lengths of paths inside CLS: set it to edges");
  }
  if (settings.convention.ndtw_threshold != 0.0) {
    refuse("ndtw-threshold", "rewards divide by the threshold in nDTW, too: set it to 0");
  }
  if (settings.success_closeness != 0.0 && settings.success_radius == 0.0) {
    refuse("success-closeness", "it needs a success radius above 0");
  }
  if (settings.miss_penalty != 0.0 && settings.goal_gain == GoalGain::none) {
    refuse("miss-penalty", "it is a part of the goal's gain: set it to 0, or choose a goal gain");
  }
}

}  // namespace warpath
