#include "host/core/cpu/rewards.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "host/core/batch/arena.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/batch/typed_integers.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/own_tables.hpp"
#include "host/core/cpu/reward_order.hpp"
#include "host/core/rewards/reward_rules.hpp"
#include "kernels/rewards/point_episode.hpp"

namespace warpath::cpu {
namespace {

using kernels::EpisodeMemory;
using kernels::IntegerArray;
using kernels::ScalarLanes;

constexpr std::size_t groups_in_block = 16;

// Reads rollouts of viewpoints.
struct ViewpointRollouts {
  using Element = std::int32_t;
  static constexpr int axes = 1;

  const rewards::RewardTables& tables;
  const Batch& batch;
  kernels::PathArray queries = batch::view_of(batch.queries);
  IntegerArray references = batch::view_of(batch.reference);
  kernels::RowsOfReference group = batch::rows_of_reference(batch);

  std::uint32_t reference_of(std::uint32_t k) const {
    return references.exist() ? references[k] : group.reference(k);
  }
  int reference_size(std::uint32_t k) const {
    return static_cast<int>(tables.references.size_of(reference_of(k)));
  }
  int rows(int longest) const {
    return batch.prefix.data != nullptr ? strip_rows(longest) : reward_rows(longest);
  }
  bool gives_goals() const { return batch.distance_to_goal != nullptr; }
  void place_reference(std::uint32_t k, int prefix,
                       const EpisodeMemory<ScalarLanes>& memory) const {
    rewards::place_reference(tables, reference_of(k), prefix, memory);
  }
  float reference_length(std::uint32_t r) const { return tables.lengths[r]; }
  float start_distance(std::uint32_t k) const {
    if (gives_goals()) return batch.distance_to_goal[queries.layout.begin(k)];
    return tables.goals.distances()[tables.goals.first(reference_of(k)) + queries.path(k)[0]];
  }
  // Writes a query to a row and fills the rest of the columns with its last viewpoint.
  // @param goals null: not wanted
  void stage(std::uint32_t k, std::size_t columns, std::int32_t* nodes, float* goals) const {
    const std::size_t size = queries.length(k);
    batch::with_type(queries.path(k), [&](const auto* path) {
      for (std::size_t t = 0; t < size; ++t) nodes[t] = static_cast<std::int32_t>(path[t]);
    });
    std::fill(nodes + size, nodes + columns, nodes[size - 1]);
    if (goals == nullptr) return;
    std::copy_n(batch.distance_to_goal + queries.layout.begin(k), size, goals);
    std::fill(goals + size, goals + columns, goals[size - 1]);
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
  const Batch& batch;
  kernels::PointMeasure measure = rewards::point_measure(tables.settings);
  kernels::PathArray queries = batch::view_of(batch.queries),
                     references = batch::view_of(batch.references);
  IntegerArray reference = batch::view_of(batch.reference);
  kernels::RowsOfReference group = batch::rows_of_reference(batch);

  std::uint32_t reference_of(std::uint32_t k) const {
    return reference.exist() ? reference[k] : group.reference(k);
  }
  int reference_size(std::uint32_t k) const {
    return static_cast<int>(references.length(reference_of(k)));
  }
  int rows(int longest) const { return strip_rows(longest); }
  bool gives_goals() const { return true; }
  void place_reference(std::uint32_t k, int prefix,
                       const EpisodeMemory<ScalarLanes>& memory) const {
    kernels::store_points<ScalarLanes>(references.points_of(reference_of(k)), reference_size(k),
                                       prefix, measure.flat, memory);
  }
  float reference_length(std::uint32_t r) const {
    return static_cast<float>(
        kernels::length_of(references.points_of(r), references.length(r), measure.flat));
  }
  const float* goal_of(std::uint32_t k) const {
    return references.points_of(reference_of(k)) + 3 * (reference_size(k) - 1);
  }
  float start_distance(std::uint32_t k) const {
    if (batch.distance_to_goal != nullptr) return batch.distance_to_goal[queries.layout.begin(k)];
    return kernels::point_goal_distance(queries.points_of(k), goal_of(k), measure);
  }
  void stage(std::uint32_t k, std::size_t columns, float* points, float* goals) const {
    const std::size_t size = queries.length(k), first = queries.layout.begin(k);
    const float* goal = goal_of(k);
    for (std::size_t t = 0; t < size; ++t) {
      const float* point = queries.points_of(k) + 3 * t;
      rewards::stage_point(point, measure.flat, points + 3 * t, 1);
      goals[t] = batch.distance_to_goal != nullptr
                     ? batch.distance_to_goal[first + t]
                     : kernels::point_goal_distance(point, goal, measure);
    }
    std::fill(goals + size, goals + columns, goals[size - 1]);
    const float* const last = points + 3 * (size - 1);
    for (std::size_t t = size; t < columns; ++t) std::copy_n(last, 3, points + 3 * t);
  }
  static PathColumns columns(const std::int32_t* size, const float* points, const float* goals) {
    return {size, nullptr, points, goals};
  }
};

// Holds what a thread needs for a group of rollouts, interleaved as kernels read it: [t][lane].
template <class Rollouts>
class RolloutGroup {
 public:
  // @param shares_references lanes may read tables of their references' own
  RolloutGroup(const Rewarder& rewarder, const RewardArguments& arguments, const Rollouts& rollouts,
               bool shares_references, const RewardArrays& out)
      : kernels_(rewarder.kernels()),
        arguments_(arguments),
        source_(rollouts),
        layout_(rollouts.queries.layout),
        of_reference_(batch::view_of(rollouts.batch.prefix, rollouts.batch.spl_length)),
        out_(out),
        shares_references_(shares_references),
        own_tables_(rewarder.tables(), rewarder.all_kernels()),
        lanes_(static_cast<std::size_t>(rewarder.lanes())),
        references_(lanes_),
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
    kernels_.reward_rollouts(arguments_, episodes(columns),
                             Rollouts::columns(size_.data(), elements_.data(), goals),
                             stopped_.data(), results);
    write(rollouts, columns, results.reward, out_.reward);
    write(rollouts, columns, results.goal, out_.distance_to_goal);
    write(rollouts, columns, results.ndtw, out_.ndtw);
    write(rollouts, columns, results.cls, out_.cls);
  }

 private:
  void stage_references(std::span<const std::uint32_t> rollouts) {
    int longest = 1;
    for (const std::uint32_t k : rollouts) longest = std::max(longest, source_.reference_size(k));
    rows_ = source_.rows(longest);
    episodes_.resize(lanes_ * kernels::episode_fields(rows_, Rollouts::axes));
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::uint32_t k = rollouts[std::min(lane, rollouts.size() - 1)];
      references_[lane] = source_.reference_of(k);
      place_reference(k, {episodes_.data() + lane, lanes_, rows_, Rollouts::axes});
      const auto* stopped = source_.batch.stopped;
      stopped_[lane] = stopped == nullptr || stopped[k] != 0 ? -1 : 0;
      size_[lane] = static_cast<std::int32_t>(layout_.length(k));
    }
  }

  void place_reference(std::uint32_t k, const EpisodeMemory<ScalarLanes>& memory) const {
    const std::uint32_t r = source_.reference_of(k);
    source_.place_reference(k, of_reference_.prefix_of(r), memory);
    if (arguments_.rules.final_spl == 0.0f) return;
    memory.set(kernels::episode_ideal_length,
               kernels::ideal_length(of_reference_.spl_length_of(r), source_.reference_length(r),
                                     source_.start_distance(k), arguments_.rules));
  }

  EpisodeGroup episodes(std::size_t columns) {
    EpisodeGroup group{episodes_.data(), rows_, Rollouts::axes};
    if (shares_references_ && own_tables_.make(references_, columns, rows_)) {
      group.own = own_tables_.data();
      group.own_first = own_tables_.first();
    }
    return group;
  }

  // Interleaves the queries and returns the number of columns. It is a multiple of the lanes,
  // because whole squares are transposed.
  std::size_t stage_queries(std::span<const std::uint32_t> rollouts) {
    const auto longest = static_cast<std::size_t>(std::ranges::max(size_));
    const std::size_t needed = longest + (arguments_.rules.stop_repeats_node ? 1 : 0);
    const std::size_t columns = (needed + lanes_ - 1) / lanes_ * lanes_;
    const std::size_t pitch = columns * Rollouts::axes;
    const bool gives_goals = source_.gives_goals();
    element_rows_.resize(lanes_ * pitch);
    elements_.resize(lanes_ * pitch);
    float_rows_.resize(lanes_ * columns);
    goals_.resize(gives_goals ? lanes_ * columns : 0);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      source_.stage(rollouts[std::min(lane, rollouts.size() - 1)], columns,
                    element_rows_.data() + lane * pitch,
                    gives_goals ? float_rows_.data() + lane * columns : nullptr);
    }
    kernels_.interleave(element_rows_.data(), pitch, elements_.data());
    if (gives_goals) kernels_.interleave(float_rows_.data(), columns, goals_.data());
    return columns;
  }

  // Writes the rollouts' results, and zeros up to the ends of their rows.
  void write(std::span<const std::uint32_t> rollouts, std::size_t columns, const float* results,
             float* array) {
    if (array == nullptr) return;
    kernels_.separate(results, columns, float_rows_.data());
    for (std::size_t lane = 0; lane < rollouts.size(); ++lane) {
      const auto size = static_cast<std::size_t>(size_[lane]);
      float* const to = array + layout_.begin(rollouts[lane]);
      std::copy_n(float_rows_.data() + lane * columns, size, to);
      if (!layout_.offsets.exist()) std::fill(to + size, to + layout_.max_length, 0.0f);
    }
  }

  const RewardKernels& kernels_;
  const RewardArguments& arguments_;
  const Rollouts& source_;
  const kernels::PathLayout layout_;
  const kernels::ReferenceArrays of_reference_;
  const RewardArrays& out_;
  const bool shares_references_;
  OwnTables own_tables_;
  const std::size_t lanes_;
  std::vector<std::uint32_t> references_;
  int rows_ = 0;
  std::vector<float> episodes_, goals_, reward_, goal_, ndtw_, cls_, float_rows_;
  std::vector<typename Rollouts::Element> element_rows_, elements_;
  std::vector<std::int32_t> size_, stopped_;
};

// Brings rollouts of the same references together, and those of the same scans, as their tables are
// read again and again. Returns whether lanes may share references.
bool order_by_tables(const Rewarder& rewarder, const ViewpointRollouts& source,
                     std::vector<std::uint32_t>& rollouts) {
  const rewards::RewardTables& tables = rewarder.tables();
  const auto lanes = static_cast<std::size_t>(rewarder.lanes());
  if (rollouts.size() <= lanes) return true;
  std::vector<std::uint32_t> keys;
  keys.reserve(rollouts.size());
  for (const std::uint32_t k : rollouts) keys.push_back(source.reference_of(k));
  const bool shares = order_by_reference(keys, source.queries.layout, lanes, rollouts);
  const auto windows = windows_of_scans(tables.distances, rollouts.size() / lanes);
  if (windows.empty()) return shares;
  keys.clear();
  for (const std::uint32_t k : rollouts) {
    keys.push_back(windows[tables.scan_of[source.reference_of(k)]]);
  }
  sort_by_key(keys, rollouts);
  return shares;
}

template <class Rollouts>
void reward_all_groups(const Rewarder& rewarder, const Rollouts& rollouts, const RewardArrays& out,
                       const Watch& watch) {
  const auto& batch = rollouts.batch;
  if (batch.count == 0) return;
  auto order = order_by_length(batch.count, rollouts.queries.layout, batch.active);
  RewardArguments arguments = rewarder.arguments_for(out);
  arguments.leave_out = batch.prefix.data != nullptr;
  bool shares_references = false;
  if constexpr (Rollouts::axes == 1) {
    arguments.quantities = rewarder.quantities_of_rollouts(arguments, out);
    shares_references = order_by_tables(rewarder, rollouts, order) && !arguments.leave_out &&
                        (arguments.quantities & kernels::reward_dtw) != 0;
  }
  const auto lanes = static_cast<std::size_t>(rewarder.lanes());
  rewarder.for_blocks((order.size() + lanes - 1) / lanes, [&](std::size_t first, std::size_t end) {
    RolloutGroup<Rollouts> group(rewarder, arguments, rollouts, shares_references, out);
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
      kernels_(kernels != nullptr ? *kernels : chosen_kernels()),
      threads_(threads),
      arguments_{{tables.distances.distance(), tables.goals.distances().data()},
                 rewards::make_rules(tables.settings, tables.distances.are_connected()),
                 rewards::quantities_of(tables.settings, tables.distances.has_directed()),
                 false} {
  arguments_ = arguments_for({});
}

int Rewarder::lanes() const {
  return kernels_.lanes;
}

const RewardKernels& Rewarder::kernels() const {
  return *kernels_.rewards;
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

// Leaves out the coverage where nothing but the lengths of paths is wanted, as in SPL.
unsigned Rewarder::quantities_of_rollouts(const RewardArguments& arguments,
                                          const RewardArrays& out) const {
  const RewardSettings& settings = tables_.settings;
  const bool is_wanted = settings.cls_weight != 0.0 || settings.final_cls != 0.0 ||
                         out.cls != nullptr || arguments.leave_out ||
                         arguments.quantities != kernels::reward_cls;
  return is_wanted ? arguments.quantities : kernels::quantity_length;
}

void Rewarder::for_blocks(std::size_t count,
                          const std::function<void(std::size_t, std::size_t)>& body) const {
  if (threads_ == 1 || count <= groups_in_block) return body(std::size_t{0}, count);
  tbb::task_arena arena(batch::arena_size(threads_));
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, groups_in_block),
                      [&](const auto& range) { body(range.begin(), range.end()); });
  });
}

void Rewarder::compute(const Batch& batch, const RewardArrays& out, const Watch& watch) const {
  if (batch.has_points()) {
    reward_all_groups(*this, PointRollouts{.tables = tables_, .batch = batch}, out, watch);
  } else {
    reward_all_groups(*this, ViewpointRollouts{.tables = tables_, .batch = batch}, out, watch);
  }
}

}  // namespace warpath::cpu
