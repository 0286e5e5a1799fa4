#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/quantities.hpp"
#include "kernels/views/paths.hpp"
#include "kernels/views/rules.hpp"
#include "kernels/views/shapes.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/views.hpp"

// Defines what the host lays out for rewards in a device's memory, and what the kernels write. An
// episode is one thread's, and so is a rollout whose reference is in strips; others are a group's.

namespace warpath::kernels {

/// Holds RewardSettings as the kernels read them: plain numbers, the same for all lanes.
struct RewardRules {
  Rules metrics;        ///< of nDTW, DTW and CLS
  float success_below;  ///< distances to the goal below it succeed
  float success_radius;
  GoalGain goal_gain;
  float tie;  ///< what a move earns by its sign that leads neither nearer nor away
  float goal_weight;
  float max_goal_gain;  ///< infinite if gains are not clipped
  float miss_radius, miss_penalty;
  float ndtw_weight, cls_weight, dtw_weight;
  float slack, slack_per_metre;
  float without_goal;  ///< what the goal's part is worth where it is no number
  float success, failure, success_ndtw, success_closeness, final_ndtw, final_cls;
  float final_spl, final_distance, distance_scale;
  TimeOut timeout;
  bool success_needs_stop;
  bool end_is_last_move;   ///< the end's worth is added to the last move's
  bool stop_repeats_node;  ///< a stop is scored with the last viewpoint once more
  bool rewards_prefixes;   ///< moves need nDTW, DTW or CLS; else only the end may
};

/// Names what rewards may need of a prefix, one bit each; see Quantity.
inline constexpr unsigned reward_dtw = quantity_dtw,
                          reward_cls = quantity_coverage | quantity_length,
                          reward_all = reward_dtw | reward_cls;
/// Marks kernels of continuous paths, and others that know every term of ends, beside the bits of
/// Quantity.
inline constexpr unsigned reward_of_points = 1U << 8, reward_every_end = 1U << 9;
static_assert(((reward_of_points | reward_every_end) & quantity_all) == 0);
template <unsigned Quantities>
inline constexpr bool is_of_points = (Quantities & reward_of_points) != 0;

/// Lists the rows of the compiled kernels of rewards. Longer references are cut into strips of the
/// last number, which lie in memory.
using RewardRows = RowList<8, 12, 16>;
inline constexpr int reward_strip_rows = RewardRows::at(RewardRows::size - 1);
/// Number of threads that reward a finished rollout whose reference is not in strips: with four,
/// 4096 rollouts are a warp for each scheduler of an H200.
inline constexpr int reward_lanes = 4;

/// Says what a kernel computes. A kernel of more does for a task what one of less does.
enum class RewardSet {
  ndtw_gain,  ///< moves earn nothing but changes of nDTW and DTW, and slack; no values of prefixes
  dtw,        ///< also those, and what depends on the goal
  all,        ///< also CLS, and slack by metre
  ends,       ///< also ends that pay SPL or the distance, or ask for a stop
  points      ///< the same of continuous paths
};
/// Returns the bits of Quantity that the kernels have for their template argument.
constexpr unsigned quantities_of(RewardSet set) {
  if (set == RewardSet::ndtw_gain) return reward_dtw;
  return (set == RewardSet::dtw ? reward_dtw : reward_all) | quantity_goal |
         (set == RewardSet::points ? reward_of_points : 0) |
         (set == RewardSet::ends ? reward_every_end : 0);
}

/// Names one of the kernels that are compiled for a task.
struct RewardShape {
  int rows;        ///< of RewardRows
  bool in_strips;  ///< references may have more viewpoints than rows
  RewardSet set;
};
/// Returns the shape for references of up to n viewpoints.
/// @param quantities that are needed @param prefixes their values are wanted, not rewards alone
constexpr RewardShape reward_shape(int n, unsigned quantities, const RewardRules& rules,
                                   bool prefixes) {
  const int rows = RewardRows::min_rows_for(n);
  const bool is_gain = rules.goal_gain == GoalGain::none && rules.rewards_prefixes && !prefixes;
  const bool every_end =
      rules.final_spl != 0.0f || rules.final_distance != 0.0f || rules.success_needs_stop;
  const RewardSet set = every_end                        ? RewardSet::ends
                        : (quantities & reward_cls) != 0 ? RewardSet::all
                        : is_gain                        ? RewardSet::ndtw_gain
                                                         : RewardSet::dtw;
  return {rows > 0 ? rows : reward_strip_rows, rows == 0, set};
}
/// Returns the shape for continuous paths whose references have up to n points.
constexpr RewardShape point_reward_shape(int n) {
  return {reward_strip_rows, n > reward_strip_rows, RewardSet::points};
}
/// Returns the rules as a kernel's compiler may know them.
template <unsigned Quantities>
WARPATH_HD RewardRules known_rules(const RewardRules& rules) {
  RewardRules known = rules;
  if constexpr (!(Quantities & quantity_goal)) {
    known.goal_gain = GoalGain::none;
    known.rewards_prefixes = true;
  }
  if constexpr (!(Quantities & quantity_length)) known.slack_per_metre = 0.0f;
  if constexpr (!(Quantities & (reward_every_end | reward_of_points))) {
    known.final_spl = known.final_distance = 0.0f;
    known.success_needs_stop = false;
  }
  return known;
}
/// Returns the rows that a shape keeps of each reference of up to n viewpoints.
WARPATH_CONSTEXPR int kept_rows(int rows, bool in_strips, int n) {
  return in_strips ? strips_of_rows(n, rows) * rows : rows;
}

/// Numbers the scalars of an episode.
enum EpisodeField : int {
  episode_reference_size,  ///< |R|; 0: the episode was never reset
  episode_size,            ///< |Q|
  episode_node,            ///< last viewpoint; of points x, y and z in the next two, too
  episode_y,
  episode_z,
  episode_base,              ///< of the scan's table; of points the goal's x, y, z in these three
  episode_pitch,             ///< of it
  episode_goal,              ///< where the distances to the goal begin
  episode_reference_length,  ///< PL(R)
  episode_goal_distance,     ///< of the last viewpoint, as are the next three
  episode_ndtw,
  episode_dtw,
  episode_cls,
  episode_length_high,  ///< PL(Q), a Sum
  episode_length_low,
  episode_corner,         ///< see PrefixState
  episode_prefix,         ///< see LeftOut
  episode_prefix_length,  ///< of the part of Q that LeftOut leaves out
  episode_ideal_length,   ///< SPL's
  episode_scalars
};

/// Returns the fields of an episode. @param axes numbers that a row of the reference takes: 1, or 3
/// for points; 0 if it lies elsewhere
WARPATH_CONSTEXPR int episode_fields(int rows, int axes) {
  return episode_scalars + rows * (axes + 2);
}

/// Holds what the kernels of all episodes share.
struct EpisodeTables {
  const float* distance;  ///< tables of all scans
  const float* goal;      ///< distances to the goals
};

/// Holds what the rewards of a reference need, and where its viewpoints are.
struct alignas(16) RewardReference {
  std::int32_t size;         ///< |R|
  std::int32_t base, pitch;  ///< of the scan's table
  std::int32_t pad;          ///< viewpoints of the scan
  std::int32_t goal;         ///< where the distances to the goal begin
  float length;              ///< PL(R)
  std::uint32_t first;       ///< its first viewpoint in RewardTablesView::nodes
  std::uint32_t unused;
};

/// Says how distances between points are measured.
struct PointMeasure {
  bool flat;       ///< ignores z
  bool goal_flat;  ///< to the goal, does so
  /// Distances to the goal are on the same side of it in single precision as in double.
  double success_radius;
};

/// Leads to what all rewards share.
struct RewardTablesView {
  RewardRules rules;  ///< first, so that scripts/kernel-table finds the convention's choices
  EpisodeTables tables;
  const RewardReference* references;
  const std::uint16_t* nodes;  ///< viewpoints of the references
  PointMeasure measure;
};

/// Holds what a call says of references, one by one.
struct ReferenceArrays {
  IntegerArray prefix;      ///< elements that nDTW and CLS leave out; none: 0
  const float* spl_length;  ///< SPL's length of an ideal path; null: by the convention

  WARPATH_HD int prefix_of(std::uint32_t i) const {
    constexpr std::uint32_t max = 0x7fffffff;
    const std::uint32_t count = prefix.exist() ? prefix[i] : 0;
    return static_cast<int>(count < max ? count : max);
  }
  /// Returns −1 where none is given.
  WARPATH_HD float spl_length_of(std::uint32_t i) const {
    return spl_length != nullptr ? spl_length[i] : -1.0f;
  }
};

/// Holds finished rollouts, of viewpoints or of points.
struct RolloutsView {
  RewardTablesView rewards;
  std::uint32_t count;
  RowsOfReference group{};               ///< if no references are numbered
  IntegerArray reference_of;             ///< none: rollout k has reference group.reference(k)
  const std::uint8_t *active, *stopped;  ///< null: all are
  PathArray queries;
  const float* distance_to_goal;      ///< by element; null: from the tables, or measured
  float *reward, *goal, *ndtw, *cls;  ///< by element; null but for `reward`: not wanted
  /// [field][count], of references in strips: an EpisodeMemory, of points one without axes
  float* memory;
  PathArray references;  ///< of points; references of viewpoints are in `rewards`
  ReferenceArrays of_reference;

  /// Returns the number of rollout k's reference.
  WARPATH_HD std::uint32_t reference(std::uint32_t k) const {
    return reference_of.exist() ? reference_of.by_parts(k) : group.reference(k);
  }
};

/// Holds running episodes: episode e is lane e of an EpisodeMemory, of which all are one block.
struct EpisodesView {
  RewardTablesView rewards;
  float* memory;  ///< [field][count]
  std::uint32_t count;
  int rows, axes;
};

/// Returns the field behind an EpisodeMemory's that holds the number of the reference, or
/// reference_of_points.
WARPATH_CONSTEXPR int reference_field(int rows, int axes) {
  return episode_fields(rows, axes);
}
/// Marks episodes of points that have begun: memory that nobody has written hardly holds it.
inline constexpr std::int32_t reference_of_points = 0x3d9a61c5;
/// Returns the fields of a tracker's episode on the device.
WARPATH_CONSTEXPR int tracker_fields(int rows, int axes) {
  return reference_field(rows, axes) + 1;
}

/// Holds an element for each episode or entry, without a layout.
struct PositionArray {
  IntegerArray nodes;             ///< none: there are no viewpoints
  const float* points = nullptr;  ///< [number][3]; null: there are no points
};

/// Names episodes to begin anew. Entry k is episode episode[k].
struct ResetView {
  EpisodesView episodes;
  std::uint32_t count;
  IntegerArray episode;           ///< none: entry k is episode k
  IntegerArray reference;         ///< of viewpoints: a number for each entry
  PathArray references;           ///< of points: path k is that of entry k
  ReferenceArrays of_reference;   ///< by entry
  PositionArray start;            ///< none: the reference's first element
  const float* distance_to_goal;  ///< by entry; null: from the tables, or measured
};

/// Adds an element to each active episode.
struct StepView {
  EpisodesView episodes;
  PositionArray next;
  const std::uint8_t* active;     ///< null: all are
  const float* distance_to_goal;  ///< null: from the tables, or measured
  float* reward;                  ///< 0 where an episode is not active
};

/// Rewards the ends of episodes, which do not change.
struct FinishView {
  EpisodesView episodes;
  const std::uint8_t *stopped, *mask;  ///< null: all stopped, all end
  float* reward;                       ///< 0 where `mask` is
};

/// Scores continuations: path e · candidates + c is number c of episode e.
struct ExtensionsView {
  EpisodesView episodes;
  std::uint32_t candidates;
  PathArray paths;
  float *reward, *goal, *ndtw, *cls;  ///< [episode][candidate]; null: not wanted
  /// [field][episode][candidate], for references in strips: an EpisodeMemory without axes
  float* memory;
};

/// Reads the values of all episodes.
struct EpisodeValuesView {
  EpisodesView episodes;
  float *goal, *ndtw, *cls;  ///< by episode; null: not wanted
};

/// Copies episodes from one memory to another: entry k is episode from_episode[k] there and
/// to_episode[k] here.
struct CopyEpisodesView {
  std::uint32_t count;
  int fields;
  const float* from;
  float* to;
  std::size_t from_stride, to_stride;     ///< from field to field
  IntegerArray from_episode, to_episode;  ///< none: entry k is episode k
};

/// Holds the rewards of rollouts, laid out as their queries are, and where their returns go.
struct ReturnsView {
  std::uint32_t count;
  PathLayout layout;
  const std::uint8_t* active;  ///< 0: left out; null: none is
  const float* reward;
  const float* value;          ///< V(s_t), by reward; null: 0
  const float* bootstrap;      ///< by rollout: V behind its last reward; null: 0
  float discount, decay;       ///< γ, and λ of the advantages
  float *returns, *advantage;  ///< by reward; may be null
};

/// Holds the rewards of whole rollouts, their groups, and where their advantages go.
struct GroupsView {
  std::uint32_t count, group_count;
  std::uint32_t group_size;  ///< rollouts of a group, which follow each other; 0: `groups` tells
  IntegerArray groups;
  const std::uint8_t* active;  ///< 0: left out; null: none is
  const float* reward;
  GroupBaseline baseline;
  GroupScale scale;
  std::uint32_t ddof;
  double epsilon;
  float *advantage, *mean, *std;  ///< but for the first null: not wanted, as the next
  std::uint8_t* spread;
};

}  // namespace warpath::kernels
