#include "host/cpu/rewards.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>

#include "host/batch/check_views.hpp"
#include "host/batch/typed_integers.hpp"
#include "host/cpu/cpu_kernels.hpp"
#include "host/rewards/reward_rules.hpp"

namespace warpath::cpu {
namespace {

using kernels::EpisodeMemory;
using kernels::Integers;
using kernels::ScalarLanes;

constexpr std::size_t groups_in_block = 16;

// Reads rollouts of viewpoints.
struct ViewpointRollouts {
  using Element = std::int32_t;
  static constexpr int axes = 1;

  const rewards::RewardTables& tables;
  const RolloutBatch& batch;
  kernels::PathsView queries = batch::view_of(batch.queries);
  Integers references = batch::view_of(batch.reference);

  std::uint32_t reference_of(std::uint32_t k) const {
    return references.exist() ? references[k] : k;
  }
  int reference_size(std::uint32_t k) const {
    return static_cast<int>(tables.references.size_of(reference_of(k)));
  }
  int rows(int longest) const { return reward_rows(longest); }
  bool gives_goals() const { return batch.distance_to_goal != nullptr; }
  void place_reference(std::uint32_t k, const EpisodeMemory<ScalarLanes>& memory) const {
    rewards::place_reference(tables, reference_of(k), memory);
  }
  // Writes a query to a lane; it repeats its last viewpoint. @param goals null: not wanted
  void stage(std::uint32_t k, std::size_t columns, std::size_t lanes, std::int32_t* nodes,
             float* goals) const {
    const std::size_t size = queries.length(k);
    batch::with_type(queries.path(k), [&](const auto* path) {
      for (std::size_t t = 0; t < size; ++t) nodes[t * lanes] = static_cast<std::int32_t>(path[t]);
      const std::int32_t last = nodes[(size - 1) * lanes];
      for (std::size_t t = size; t < columns; ++t) nodes[t * lanes] = last;
    });
    if (goals == nullptr) return;
    const float* given = batch.distance_to_goal + queries.layout.begin(k);
    for (std::size_t t = 0; t < columns; ++t) goals[t * lanes] = given[std::min(t, size - 1)];
  }
  static PathColumns columns(const std::int32_t* size, const std::int32_t* nodes,
                             const float* goals) {
    return {size, nodes, nullptr, goals};
  }
};

// Reads rollouts in continuous space.
struct PointRollouts {
  using Element = float;
  static constexpr int axes = 3;

  const rewards::RewardTables& tables;
  const PointRolloutBatch& batch;
  kernels::PointMeasure measure = rewards::point_measure(tables.settings);
  kernels::PointsView queries = batch::view_of(batch.queries),
                      references = batch::view_of(batch.references);
  Integers reference = batch::view_of(batch.reference);

  std::uint32_t reference_of(std::uint32_t k) const { return reference.exist() ? reference[k] : k; }
  int reference_size(std::uint32_t k) const {
    return static_cast<int>(references.length(reference_of(k)));
  }
  int rows(int longest) const { return point_rows(longest); }
  bool gives_goals() const { return true; }
  void place_reference(std::uint32_t k, const EpisodeMemory<ScalarLanes>& memory) const {
    kernels::store_points<ScalarLanes>(references.path(reference_of(k)), reference_size(k),
                                       measure.flat, memory);
  }
  void stage(std::uint32_t k, std::size_t columns, std::size_t lanes, float* points,
             float* goals) const {
    const std::size_t size = queries.length(k), first = queries.layout.begin(k);
    const float* goal = references.path(reference_of(k)) + 3 * (reference_size(k) - 1);
    for (std::size_t t = 0; t < columns; ++t) {
      const std::size_t place = std::min(t, size - 1);
      const float* point = queries.path(k) + 3 * place;
      rewards::stage_point(point, measure.flat, points + t * 3 * lanes, lanes);
      goals[t * lanes] = batch.distance_to_goal != nullptr
                             ? batch.distance_to_goal[first + place]
                             : kernels::point_goal_distance(point, goal, measure);
    }
  }
  static PathColumns columns(const std::int32_t* size, const float* points, const float* goals) {
    return {size, nullptr, points, goals};
  }
};

// Holds what a thread needs for a group of rollouts, interleaved as kernels read it: [t][lane].
template <class Rollouts>
class RolloutGroup {
 public:
  RolloutGroup(const Rewarder& rewarder, const RewardArguments& arguments, const Rollouts& rollouts,
               const RewardArrays& out)
      : rewarder_(rewarder),
        arguments_(arguments),
        source_(rollouts),
        layout_(rollouts.queries.layout),
        out_(out),
        lanes_(static_cast<std::size_t>(rewarder.lanes())),
        size_(lanes_),
        stopped_(lanes_) {}

  // Rewards these rollouts, at most one for each lane.
  void reward(std::span<const std::uint32_t> rollouts) {
    stage_references(rollouts);
    const std::size_t columns = stage_queries(rollouts);
    const auto grow = [&](std::vector<float>& column, bool wanted) {
      if (wanted && column.size() < columns * lanes_) column.resize(columns * lanes_);
      return wanted ? column.data() : nullptr;
    };
    const RewardColumns results{grow(reward_, true), grow(goal_, out_.distance_to_goal != nullptr),
                                grow(ndtw_, out_.ndtw != nullptr), grow(cls_, out_.cls != nullptr)};
    const float* goals = source_.gives_goals() ? goals_.data() : nullptr;
    rewarder_.kernels().reward_rollouts(arguments_, {episodes_.data(), rows_, Rollouts::axes},
                                        Rollouts::columns(size_.data(), elements_.data(), goals),
                                        stopped_.data(), results);
    for (std::size_t lane = 0; lane < rollouts.size(); ++lane) {
      write(rollouts[lane], lane, results.reward, out_.reward);
      write(rollouts[lane], lane, results.goal, out_.distance_to_goal);
      write(rollouts[lane], lane, results.ndtw, out_.ndtw);
      write(rollouts[lane], lane, results.cls, out_.cls);
    }
  }

 private:
  void stage_references(std::span<const std::uint32_t> rollouts) {
    int longest = 1;
    for (const std::uint32_t k : rollouts) longest = std::max(longest, source_.reference_size(k));
    rows_ = source_.rows(longest);
    episodes_.resize(lanes_ * kernels::episode_fields(rows_, Rollouts::axes));
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::uint32_t k = rollouts[std::min(lane, rollouts.size() - 1)];
      source_.place_reference(k, {episodes_.data() + lane, lanes_, rows_, Rollouts::axes});
      const auto* stopped = source_.batch.stopped;
      stopped_[lane] = stopped == nullptr || stopped[k] != 0 ? -1 : 0;
      size_[lane] = static_cast<std::int32_t>(layout_.length(k));
    }
  }

  // Interleaves the queries, and returns the columns.
  std::size_t stage_queries(std::span<const std::uint32_t> rollouts) {
    const auto columns = static_cast<std::size_t>(std::ranges::max(size_));
    elements_.resize(columns * lanes_ * Rollouts::axes);
    goals_.resize(source_.gives_goals() ? columns * lanes_ : 0);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      source_.stage(rollouts[std::min(lane, rollouts.size() - 1)], columns, lanes_,
                    elements_.data() + lane, goals_.empty() ? nullptr : goals_.data() + lane);
    }
    return columns;
  }

  // Writes a rollout's results, and zeros up to the end of its row.
  void write(std::uint32_t rollout, std::size_t lane, const float* column, float* array) const {
    if (array == nullptr) return;
    const auto size = static_cast<std::size_t>(size_[lane]);
    float* to = array + layout_.begin(rollout);
    for (std::size_t t = 0; t < size; ++t) to[t] = column[t * lanes_ + lane];
    if (!layout_.offsets.exist()) std::fill(to + size, to + layout_.max_length, 0.0f);
  }

  const Rewarder& rewarder_;
  const RewardArguments& arguments_;
  const Rollouts& source_;
  const kernels::PathLayout layout_;
  const RewardArrays& out_;
  const std::size_t lanes_;
  int rows_ = 0;
  std::vector<float> episodes_, goals_, reward_, goal_, ndtw_, cls_;
  std::vector<typename Rollouts::Element> elements_;
  std::vector<std::int32_t> size_, stopped_;
};

// Returns the active rollouts, the longest first, because lanes wait for the longest of a group.
std::vector<std::uint32_t> by_length(std::uint32_t count, const kernels::PathLayout& layout,
                                     const std::uint8_t* active) {
  std::vector<std::uint32_t> rollouts, lengths;
  rollouts.reserve(count);
  lengths.reserve(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (active != nullptr && active[k] == 0) continue;
    rollouts.push_back(k);
    lengths.push_back(layout.length(k));
  }
  if (rollouts.empty()) return {};
  const std::uint32_t longest = std::ranges::max(lengths);
  std::vector<std::uint32_t> below(longest + std::size_t{2});
  for (const std::uint32_t length : lengths) ++below[longest - length + std::size_t{1}];
  std::partial_sum(below.begin(), below.end(), below.begin());
  std::vector<std::uint32_t> order(rollouts.size());
  for (std::size_t k = 0; k < rollouts.size(); ++k) {
    order[below[longest - lengths[k]]++] = rollouts[k];
  }
  return order;
}

template <class Rollouts>
void reward_all_groups(const Rewarder& rewarder, const Rollouts& rollouts, const RewardArrays& out,
                       const Watch& watch) {
  const auto& batch = rollouts.batch;
  if (batch.count == 0) return;
  const auto order = by_length(batch.count, rollouts.queries.layout, batch.active);
  const RewardArguments arguments = rewarder.arguments_for(out);
  const auto lanes = static_cast<std::size_t>(rewarder.lanes());
  rewarder.for_blocks((order.size() + lanes - 1) / lanes, [&](std::size_t first, std::size_t end) {
    RolloutGroup<Rollouts> group(rewarder, arguments, rollouts, out);
    for (std::size_t g = first; g < end; ++g) {
      const std::size_t k = g * lanes;
      const std::size_t count = std::min(lanes, order.size() - k);
      group.reward(std::span(order).subspan(k, count));
      if (watch) watch(count);
    }
  });
}

}  // namespace

Rewarder::Rewarder(const rewards::RewardTables& tables, int threads, const CpuKernels* kernels)
    : tables_(tables),
      kernels_((kernels != nullptr ? kernels : &chosen_kernels())->rewards),
      lanes_((kernels != nullptr ? kernels : &chosen_kernels())->lanes),
      threads_(threads),
      arguments_{{tables.distances.distance(), tables.goals.distances().data()},
                 rewards::make_rules(tables.settings, tables.distances.are_connected()),
                 rewards::quantities_of(tables.settings)} {
  arguments_ = arguments_for({});
}

RewardArguments Rewarder::arguments_for(const RewardArrays& out) const {
  RewardArguments arguments = arguments_;
  if (out.ndtw != nullptr) arguments.quantities |= kernels::reward_dtw;
  if (out.cls != nullptr) arguments.quantities |= kernels::reward_cls;
  // Only DTW shows that a prefix cannot reach a viewpoint of its reference.
  if (arguments.quantities != 0 && !tables_.distances.are_connected()) {
    arguments.quantities |= kernels::reward_dtw;
  }
  return arguments;
}

void Rewarder::for_blocks(std::size_t count,
                          const std::function<void(std::size_t, std::size_t)>& body) const {
  if (threads_ == 1 || count <= groups_in_block) return body(std::size_t{0}, count);
  tbb::task_arena arena(threads_ > 0 ? threads_ : tbb::task_arena::automatic);
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, groups_in_block),
                      [&](const auto& range) { body(range.begin(), range.end()); });
  });
}

void Rewarder::compute(const RolloutBatch& batch, const RewardArrays& out,
                       const Watch& watch) const {
  reward_all_groups(*this, ViewpointRollouts{.tables = tables_, .batch = batch}, out, watch);
}

void Rewarder::compute(const PointRolloutBatch& batch, const RewardArrays& out,
                       const Watch& watch) const {
  reward_all_groups(*this, PointRollouts{.tables = tables_, .batch = batch}, out, watch);
}

}  // namespace warpath::cpu
