#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "warpath/metrics.hpp"

// Views of batches in memory: that of the host, or that of one GPU where the object that is called
// works there. All arrays of a call lie in the same memory and must remain valid until the call, or
// on a GPU the work that it has started, is completed. Integers are read as they lie there: no copy
// of another width is needed.

namespace warpath {

/// An array of integers, aligned to their width. Values are never negative.
struct Integers {
  const void* data = nullptr;
  std::uint8_t bytes = 4;  ///< of each: 1, 2, 4 or 8

  constexpr Integers() = default;
  constexpr Integers(std::nullptr_t) {}
  constexpr Integers(const void* array, std::uint8_t width) : data(array), bytes(width) {}
  constexpr Integers(const std::uint8_t* array) : data(array), bytes(1) {}
  constexpr Integers(const std::uint16_t* array) : data(array), bytes(2) {}
  constexpr Integers(const std::int32_t* array) : data(array), bytes(4) {}
  constexpr Integers(const std::uint32_t* array) : data(array), bytes(4) {}
  constexpr Integers(const std::int64_t* array) : data(array), bytes(8) {}
};

/// Where each of a number of paths lies in one array: one after the other, or in rows of equal
/// length.
///
///     one after the other:  offsets 0 3 5     a b c d e
///     rows (`[B, T]`):      lengths 3 2       a b c .      pitch = T = 4
///                                             d e . .
struct Layout {
  Integers offsets{};       ///< [count + 1], elements; null: path p begins at p * pitch
  Integers lengths{};       ///< [count]; may be null if there are offsets
  std::uint32_t pitch = 0;  ///< of rows, elements; at least max_length
  /// Upper bound of the elements of any path, at least 1; longer paths are scored as if they ended
  /// there.
  std::uint32_t max_length = 0;
};

/// Paths of viewpoints, or continuous paths of points.
struct PathsView {
  Integers viewpoints{};          ///< indices into the scan of the path's reference
  Layout layout{};                ///< in viewpoints or points
  const float* points = nullptr;  ///< [points][3]: x, y and z, metres; null: there are viewpoints

  constexpr PathsView() = default;
  constexpr PathsView(Integers nodes, Layout where = {}) : viewpoints(nodes), layout(where) {}
  constexpr PathsView(const float* coordinates, Layout where = {})
      : layout(where), points(coordinates) {}
};

/// A viewpoint or a point for each of a number of episodes.
struct PositionsView {
  Integers viewpoints{};          ///< [number]
  const float* points = nullptr;  ///< [number][3]: x, y and z, metres; null: there are viewpoints

  constexpr PositionsView() = default;
  template <class Array>
  requires std::constructible_from<Integers, Array>
  constexpr PositionsView(const Array& nodes) : viewpoints(nodes) {}
  constexpr PositionsView(const float* coordinates) : points(coordinates) {}
};

/// Pairs: query k against reference k, reference[k] or reference k / group_size. The object that
/// scores has the references of viewpoints. References of points come with the batch.
struct Batch {
  std::uint32_t count = 0;
  PathsView queries{};
  PathsView references{};             ///< of points; of viewpoints there are none here
  Integers reference{};               ///< [count]; null: query k is of reference k, of as many
  std::uint32_t reference_count = 0;  ///< paths of `references`, if `reference` is given
  /// In place of `reference`: query k is of reference k / group_size, of count / group_size. 0: not
  /// given. Only rewards read it; scores refuse it.
  std::uint32_t group_size = 0;
  const std::uint8_t* active = nullptr;  ///< [count], 0: left out, nothing is written; null: none
  /// [count], 0: a rollout's time was up; null: all stopped. Scores do not depend on it.
  const std::uint8_t* stopped = nullptr;
  /// By element of the queries and laid out as they are: distances to the goal in metres or hops,
  /// such as the geodesic ones of a simulator. Null: those of the navigation graph; of points the
  /// Euclidean ones to the reference's last. Only rewards read it.
  const float* distance_to_goal = nullptr;
  /// [count]: SDTW's success instead of SR; null: SR. Rewards do not read it.
  const float* task_success = nullptr;
  /// By reference: how many first viewpoints or points of the reference and of its queries nDTW and
  /// CLS leave out. If neither has others they are 1, if only one has, 0. Null: none. Only rewards
  /// read it, as they do the next; they refuse it with gains of nDTW, CLS and DTW.
  Integers prefix{};
  /// By reference: the length of an ideal path in SPL, metres, where it is above the distance from
  /// the query's start to the goal. Null: as the convention's `spl_length` says.
  const float* spl_length = nullptr;

  /// Tells whether the paths are continuous: points, or a layout for references of points, are
  /// given.
  constexpr bool has_points() const {
    return queries.points != nullptr || references.points != nullptr ||
           references.layout.max_length > 0;
  }
  /// Returns the number of references. @param standing those of viewpoints
  constexpr std::uint32_t references_of(std::uint32_t standing) const {
    if (!has_points()) return standing;
    if (group_size != 0) return count / group_size;
    return reference.data != nullptr ? reference_count : count;
  }
};

/// Episodes to begin anew.
struct EpisodeStarts {
  std::uint32_t count = 0;
  Integers episode{};      ///< [count], none twice; null: entry k is episode k
  Integers reference{};    ///< [count], of viewpoints: numbers of the object's references
  PathsView references{};  ///< of points: path k is that of entry k; they are copied
  PositionsView start{};   ///< [count]; null: the references' first viewpoints or points
  const float* distance_to_goal = nullptr;  ///< [count], see Batch; may be null
  Integers prefix{};                        ///< [count], see Batch; null: none
  const float* spl_length = nullptr;        ///< [count], see Batch; may be null
};

/// The arrays for the scores of a batch.
struct ScoreArrays {
  /// By metric of the scorer: [count], NaN for a pair without a value; null: not wanted.
  MetricMap<float*> column{};
  std::uint32_t* flags = nullptr;  ///< [count]; see ReferenceScorer::status; may be null
};

/// The arrays for the rewards of a batch. Each is laid out as the queries are: n viewpoints
/// have n entries, and rows are 0 behind them, up to max_length.
///
///     viewpoints   q0   q1   q2   q3   .        rewards of 4 viewpoints in rows of 5
///     rewards      q0→1 q1→2 q2→3 end  0
///     nDTW         q0   q0–1 q0–2 q0–3 0        of the prefix that ends there
struct RewardArrays {
  float* reward = nullptr;            ///< must be given
  float* distance_to_goal = nullptr;  ///< of each viewpoint; null: not wanted, as the next two
  float* ndtw = nullptr;              ///< of each prefix against the whole reference
  float* cls = nullptr;
};

/// Rewards of rollouts to be added up to returns and advantages. With R(n) = V(n) =
/// bootstrap and A(n) = 0 behind the last of a rollout's n rewards:
///
///     R(t) = r(t) + discount · R(t + 1)
///     A(t) = r(t) + discount · V(t + 1) − V(t) + discount · decay · A(t + 1)
///
/// A is the generalized advantage estimate of Schulman et al. 2016, Eq. 16, with γ = discount and
/// λ = decay; A + V are its targets of the values.
struct ReturnsBatch {
  std::uint32_t count = 0;
  Layout layout{};                       ///< of all arrays by reward; that of the queries
  const std::uint8_t* active = nullptr;  ///< [count], 0: left out, nothing is written; null: none
  const float* reward = nullptr;         ///< by reward, as RewardArrays::reward
  const float* value = nullptr;          ///< by reward: V(t), the critic's; null: 0
  /// [count]: V behind the last reward, for rollouts whose time was up; null: 0.
  const float* bootstrap = nullptr;
  double discount = 1.0, decay = 1.0;  ///< from 0 to 1
  float* returns = nullptr;            ///< by reward; null: not wanted, as the next
  float* advantage = nullptr;
};

/// What is taken from a rollout's reward to make its advantage within a group.
enum class GroupBaseline : std::uint8_t {
  mean,   ///< the group's mean
  others  ///< the mean of the others of the group (leave one out, RLOO)
};

/// What the difference is divided by.
enum class GroupScale : std::uint8_t {
  std,    ///< the group's standard deviation + epsilon
  batch,  ///< that of all active rollouts + epsilon
  none
};

/// Rewards of whole rollouts, of which several belong to one item, to be compared within their
/// groups (GRPO). With the n active rewards r of a group and the sum over those:
///
///     mean = Σ r / n        std² = Σ (r − mean)² / (n − ddof), 0 where n ≤ ddof
///     A = (r − baseline) / (scale + epsilon); exactly 0 where all rewards of the group are equal
///
/// so a group of one has 0. Sums are made in double precision in the order of rollouts.
struct GroupBatch {
  std::uint32_t count = 0;       ///< rollouts
  std::uint32_t group_size = 0;  ///< rollouts that follow each other are a group; 0: `groups` tells
  Integers groups{};             ///< [count], in any order, each below group_count
  std::uint32_t group_count = 0;         ///< with `groups`; at most count
  const std::uint8_t* active = nullptr;  ///< [count], 0: in no group, its advantage is 0; null: all
  const float* reward = nullptr;         ///< [count], such as the sums of RewardArrays::reward
  GroupBaseline baseline = GroupBaseline::mean;
  GroupScale scale = GroupScale::std;
  std::uint32_t ddof = 1;          ///< of both standard deviations: 0 or 1
  double epsilon = 1e-6;           ///< at least 0
  float* advantage = nullptr;      ///< [count]; must be given
  float* mean = nullptr;           ///< [groups], NaN where none is active; null: not wanted
  float* std = nullptr;            ///< [groups], of the group whatever the scale; as mean
  std::uint8_t* spread = nullptr;  ///< [groups], 1: some rewards differ; null: not wanted
};

}  // namespace warpath
