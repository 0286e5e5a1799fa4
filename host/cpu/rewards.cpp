#include "host/cpu/rewards.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>

#include "host/batch/check_views.hpp"
#include "host/cpu/cpu_kernels.hpp"
#include "host/rewards/reward_rules.hpp"

namespace warpath::cpu {
namespace {

using kernels::EpisodeMemory;
using kernels::Integers;
using kernels::ScalarLanes;

constexpr std::size_t groups_in_block = 16;

// Calls body(pointer to the elements) with the type of the integers.
template <class Body>
void with_type(const Integers& integers, const Body& body) {
  switch (integers.width) {
    case 1:
      return body(static_cast<const std::uint8_t*>(integers.data));
    case 2:
      return body(static_cast<const std::uint16_t*>(integers.data));
    case 4:
      return body(static_cast<const std::uint32_t*>(integers.data));
    default:
      return body(static_cast<const std::uint64_t*>(integers.data));
  }
}

// Holds what a thread needs for a group of rollouts, interleaved as kernels read it: [t][lane].
class RolloutGroup {
 public:
  RolloutGroup(const Rewarder& rewarder, const RewardArguments& arguments,
               const RolloutBatch& batch, const RewardArrays& out)
      : rewarder_(rewarder),
        arguments_(arguments),
        batch_(batch),
        queries_(batch::view_of(batch.queries)),
        references_(batch::view_of(batch.reference)),
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
    rewarder_.kernels().reward_rollouts(
        arguments_, {episodes_.data(), rows_},
        {size_.data(), nodes_.data(), batch_.distance_to_goal ? goals_.data() : nullptr},
        stopped_.data(), results);
    for (std::size_t lane = 0; lane < rollouts.size(); ++lane) {
      write(rollouts[lane], lane, results.reward, out_.reward);
      write(rollouts[lane], lane, results.goal, out_.distance_to_goal);
      write(rollouts[lane], lane, results.ndtw, out_.ndtw);
      write(rollouts[lane], lane, results.cls, out_.cls);
    }
  }

 private:
  std::uint32_t reference_of(std::uint32_t rollout) const {
    return references_.exist() ? references_[rollout] : rollout;
  }

  void stage_references(std::span<const std::uint32_t> rollouts) {
    const rewards::RewardTables& tables = rewarder_.tables();
    std::size_t longest = 1;
    for (const std::uint32_t k : rollouts) {
      longest = std::max(longest, tables.references.size_of(reference_of(k)));
    }
    rows_ = reward_rows(static_cast<int>(longest));
    episodes_.resize(lanes_ * kernels::episode_fields(rows_, 1));
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::uint32_t k = rollouts[std::min(lane, rollouts.size() - 1)];
      const EpisodeMemory<ScalarLanes> memory{episodes_.data() + lane, lanes_, rows_, 1};
      rewards::store_reference(tables, reference_of(k), memory);
      stopped_[lane] = batch_.stopped == nullptr || batch_.stopped[k] != 0 ? -1 : 0;
      size_[lane] = static_cast<std::int32_t>(queries_.length(k));
    }
  }

  // Interleaves the queries, each of which repeats its last viewpoint, and returns the columns.
  std::size_t stage_queries(std::span<const std::uint32_t> rollouts) {
    const auto columns = static_cast<std::size_t>(std::ranges::max(size_));
    nodes_.resize(columns * lanes_);
    goals_.resize(batch_.distance_to_goal != nullptr ? columns * lanes_ : 0);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::uint32_t k = rollouts[std::min(lane, rollouts.size() - 1)];
      const auto size = static_cast<std::size_t>(size_[lane]);
      with_type(queries_.path(k), [&](const auto* path) {
        for (std::size_t t = 0; t < columns; ++t) {
          nodes_[t * lanes_ + lane] = static_cast<std::int32_t>(path[std::min(t, size - 1)]);
        }
      });
      const float* goal = batch_.distance_to_goal + queries_.layout.begin(k);
      for (std::size_t t = 0; t < columns && batch_.distance_to_goal != nullptr; ++t) {
        goals_[t * lanes_ + lane] = goal[std::min(t, size - 1)];
      }
    }
    return columns;
  }

  // Writes a rollout's results, and zeros up to the end of its row.
  void write(std::uint32_t rollout, std::size_t lane, const float* column, float* array) const {
    if (array == nullptr) return;
    const auto size = static_cast<std::size_t>(size_[lane]);
    float* to = array + queries_.layout.begin(rollout);
    for (std::size_t t = 0; t < size; ++t) to[t] = column[t * lanes_ + lane];
    if (!queries_.layout.offsets.exist())
      std::fill(to + size, to + queries_.layout.max_length, 0.0f);
  }

  const Rewarder& rewarder_;
  const RewardArguments& arguments_;
  const RolloutBatch& batch_;
  const kernels::PathsView queries_;
  const Integers references_;
  const RewardArrays& out_;
  const std::size_t lanes_;
  int rows_ = 0;
  std::vector<float> episodes_, goals_, reward_, goal_, ndtw_, cls_;
  std::vector<std::int32_t> nodes_, size_, stopped_;
};

// Returns the active rollouts, the longest first, because lanes wait for the longest of a group.
std::vector<std::uint32_t> by_length(const RolloutBatch& batch) {
  const kernels::PathsView queries = batch::view_of(batch.queries);
  std::vector<std::uint32_t> below(queries.layout.max_length + std::size_t{2});
  std::uint32_t active = 0;
  const auto is_active = [&](std::uint32_t k) {
    return batch.active == nullptr || batch.active[k];
  };
  const auto place = [&](std::uint32_t k) { return queries.layout.max_length - queries.length(k); };
  for (std::uint32_t k = 0; k < batch.count; ++k) {
    if (!is_active(k)) continue;
    ++below[place(k) + std::size_t{1}];
    ++active;
  }
  std::partial_sum(below.begin(), below.end(), below.begin());
  std::vector<std::uint32_t> order(active);
  for (std::uint32_t k = 0; k < batch.count; ++k) {
    if (is_active(k)) order[below[place(k)]++] = k;
  }
  return order;
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

void Rewarder::compute(const RolloutBatch& batch, const RewardArrays& out) const {
  const std::vector<std::uint32_t> order = by_length(batch);
  if (order.empty()) return;
  const RewardArguments arguments = arguments_for(out);
  const auto lanes = static_cast<std::size_t>(lanes_);
  for_blocks((order.size() + lanes - 1) / lanes, [&](std::size_t first, std::size_t end) {
    RolloutGroup group(*this, arguments, batch, out);
    for (std::size_t g = first; g < end; ++g) {
      group.reward(std::span(order).subspan(g * lanes, std::min(lanes, order.size() - g * lanes)));
    }
  });
}

}  // namespace warpath::cpu
