#include "host/core/cuda/resident_rewards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/arena.hpp"
#include "host/core/rewards/reward_rules.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {

using namespace kernels;
using batch::view_of;

namespace {

// Refuses a reference for which nDTW could not be divided without a slow path.
void check_norm(std::size_t r, float length, const Convention& convention) {
  if (convention.ndtw_norm != NdtwNorm::reference_length || length == 0.0f) return;
  const double divisor = length * convention.threshold;
  if (divisor >= 0x1p-100 && divisor <= 0x1p120) return;
  throw InputError(
      {{}, fmt::format("reference {}", r)},
      fmt::format("has a length of {}, by which and the threshold nDTW is divided", length),
      "reward it on the host, or set ndtw-norm to another value");
}

// @param scans where the scans' tables lie on the device
std::vector<RewardReference> references_of(const rewards::RewardTables& tables,
                                           std::span<const ScanTable> scans) {
  const PathSet& paths = tables.references;
  if (paths.elements.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError({{}, {}, "references"}, "have 2^32 viewpoints or more",
                     "give them to several objects");
  }
  std::vector<RewardReference> references(paths.size());
  for (std::uint32_t r = 0; r < paths.size(); ++r) {
    const ScanTable& table = scans[tables.scan_of[r]];
    const float length = tables.lengths[r];
    check_norm(r, length, tables.settings.convention);
    references[r] = {.size = static_cast<std::int32_t>(paths.size_of(r)),
                     .base = static_cast<std::int32_t>(table.base),
                     .pitch = table.pitch,
                     .pad = table.pad,
                     .goal = static_cast<std::int32_t>(tables.goals.first(r)),
                     .length = length,
                     .first = static_cast<std::uint32_t>(paths.offsets[r]),
                     .unused = 0};
  }
  return references;
}

int max_length_of(const PathsView& references) {
  return static_cast<int>(references.layout.max_length);
}

unsigned quantities_for(unsigned quantities, const RewardArrays& out) {
  if (out.ndtw != nullptr) quantities |= reward_dtw;
  if (out.cls != nullptr) quantities |= reward_cls;
  return quantities;
}

}  // namespace

/// Says where arrays lie in the caller's workspace: what a check finds, then rows.
struct ResidentRewards::Workspace {
  std::span<std::uint32_t> first_bad;
  std::span<PairProblem> problem;
  std::span<EpisodeProblem> point_problem;

  explicit Workspace(void* memory) {
    ArenaLayout layout(static_cast<char*>(memory), nullptr, nullptr);
    list(layout);
  }
  /// Returns the rows of references in strips: [field][count].
  static float* rows_in(void* memory) {
    if (memory == nullptr) return nullptr;  // no reference is in strips
    return reinterpret_cast<float*>(static_cast<char*>(memory) + bytes(0, 0));
  }
  static std::size_t bytes(std::size_t fields, std::uint32_t count) {
    ArenaLayout layout;
    Workspace(nullptr).list(layout);
    return layout.bytes().device + fields * count * sizeof(float);
  }

 private:
  void list(ArenaLayout& layout) {
    layout.add_device(first_bad, 1);
    layout.add_device(problem, 1);
    layout.add_device(point_problem, 1);
  }
};

ResidentRewards::ResidentRewards(Device& device, const rewards::RewardTables& tables)
    : device_(device),
      settings_(tables.settings),
      references_(static_cast<std::uint32_t>(tables.references.size())),
      max_reference_length_(tables.max_reference_length()),
      quantities_(rewards::quantities_of(tables.settings, tables.distances.has_directed())),
      tables_(device, tables.distances, tables.distances.size(), UniqueStream(device).get()) {
  const UniqueStream stream(device);
  const PathSet& paths = tables.references;
  goals_ = uploaded<float>(device, tables.goals.distances(), stream.get());
  nodes_ = uploaded<std::uint16_t>(device, paths.elements, stream.get());
  reference_ = uploaded<RewardReference>(device, references_of(tables, tables_.host), stream.get());
  offsets_ = uploaded<std::uint32_t>(device, paths.offsets, stream.get());
  scan_of_ = uploaded<std::uint32_t>(device, tables.scan_of, stream.get());
  view_ = {.rules = rewards::make_rules(tables.settings, tables.distances.are_connected()),
           .tables = {tables_.distance.data(), goals_.data()},
           .references = reference_.data(),
           .nodes = nodes_.data(),
           .measure = rewards::point_measure(tables.settings)};
}

RewardShape ResidentRewards::shape_for(const RewardArrays& out) const {
  const bool prefixes =
      out.distance_to_goal != nullptr || out.ndtw != nullptr || out.cls != nullptr;
  return reward_shape(max_reference_length_, quantities_for(quantities_, out), view_.rules,
                      prefixes);
}

RewardShape ResidentRewards::shape_of(const Batch& batch, const RewardArrays& out) const {
  if (batch.has_points()) return point_reward_shape(max_length_of(batch.references));
  RewardShape shape = shape_for(out);
  // A group's lanes have their rows from its first column on.
  if (batch.prefix.data != nullptr) shape = {reward_strip_rows, true, shape.set};
  return shape;
}

// Only references in strips have rows in memory. Those of points are read where they lie.
std::size_t ResidentRewards::fields_in_memory(const Batch& batch) const {
  const RewardShape shape = shape_of(batch, {});
  if (!shape.in_strips) return 0;
  const int axes = batch.has_points() ? 0 : 1;
  const int longest = axes == 0 ? max_length_of(batch.references) : max_reference_length_;
  return static_cast<std::size_t>(episode_fields(kept_rows(shape.rows, true, longest), axes));
}

std::size_t ResidentRewards::workspace_bytes(const Batch& batch) const {
  return Workspace::bytes(fields_in_memory(batch), batch.count);
}

bool ResidentRewards::writes_workspace(const Batch& batch) const {
  return shape_of(batch, {}).in_strips;
}

void ResidentRewards::compute(const Batch& batch, const RewardArrays& out, void* workspace_at,
                              Stream stream) const {
  if (batch.count == 0) return;
  device_.launch(RewardRollouts{.view = {.rewards = view_,
                                         .count = batch.count,
                                         .group = batch::rows_of_reference(batch),
                                         .reference_of = view_of(batch.reference),
                                         .active = batch.active,
                                         .stopped = batch.stopped,
                                         .queries = view_of(batch.queries),
                                         .distance_to_goal = batch.distance_to_goal,
                                         .reward = out.reward,
                                         .goal = out.distance_to_goal,
                                         .ndtw = out.ndtw,
                                         .cls = out.cls,
                                         .memory = Workspace::rows_in(workspace_at),
                                         .references = view_of(batch.references),
                                         .of_reference = view_of(batch.prefix, batch.spl_length)},
                                .shape = shape_of(batch, out)},
                 stream);
}

void ResidentRewards::add_up(const ReturnsView& view, Stream stream) const {
  if (view.count > 0) device_.launch(view, stream);
}

void ResidentRewards::group_advantages(const GroupsView& view, Stream stream) const {
  if (view.count > 0) device_.launch(view, stream);
}

// A batch without rollouts starts a kernel that does nothing.
void ResidentRewards::warm_up(Stream stream) const {
  float wanted = 0.0f;
  RewardArrays some, all;
  some.ndtw = all.ndtw = all.cls = &wanted;
  for (const RewardArrays& out : {RewardArrays{}, some, all}) {
    if (references_ == 0) break;  // there are rewards of points only
    const RewardShape shape = shape_for(out);
    device_.launch(RewardRollouts{.view = {}, .shape = shape}, stream);
    // What a prefix is left out by.
    device_.launch(RewardRollouts{.view = {}, .shape = {reward_strip_rows, true, shape.set}},
                   stream);
  }
  for (const int length : {1, reward_strip_rows + 1}) {
    device_.launch(RewardRollouts{.view = {}, .shape = point_reward_shape(length)}, stream);
  }
  device_.launch(ReturnsView{}, stream);
  device_.launch(GroupsView{}, stream);
}

PairsView ResidentRewards::pairs(const Batch& batch) const {
  PairsView pairs{.count = batch.count,
                  .reference_of = view_of(batch.reference),
                  .active = batch.active,
                  .references = {{}, view_of(batch.references.layout)},
                  .queries = {{}, view_of(batch.queries.layout)},
                  .scan_of = nullptr,
                  .scans = nullptr};
  if (batch.has_points()) return pairs;
  constexpr std::uint32_t any_length = std::numeric_limits<std::uint32_t>::max();
  pairs.references = {integers(nodes_.data()), {integers(offsets_.data()), {}, 0, any_length}};
  pairs.queries = view_of(batch.queries);
  pairs.scan_of = scan_of_.data();
  pairs.scans = tables_.scans.data();
  return pairs;
}

PairProblem ResidentRewards::check(const Batch& batch, void* workspace_at, Stream stream) const {
  if (batch.count == 0) return {};
  const Workspace memory(workspace_at);
  return check({.pairs = pairs(batch),
                .references = batch.has_points() ? batch::point_references(batch) : references_,
                .group = batch::rows_of_reference(batch),
                .first_bad = memory.first_bad.data(),
                .problem = memory.problem.data()},
               stream);
}

EpisodeProblem ResidentRewards::check_points(const Batch& batch, void* workspace_at,
                                             Stream stream) const {
  if (batch.count == 0) return {};
  const Workspace memory(workspace_at);
  CheckEpisodesView view{};
  view.episodes = {.rewards = view_, .memory = nullptr, .count = batch.count, .rows = 0, .axes = 3};
  view.count = batch.count;
  view.active = batch.active;
  view.begins = true;
  view.reference = view_of(batch.reference);
  view.new_references = view_of(batch.references);
  view.paths = view_of(batch.queries);
  view.paths_of_entry = 1;
  view.group = batch::rows_of_reference(batch);
  view.first_bad = memory.first_bad.data();
  view.problem = memory.point_problem.data();
  return found_by(view, stream);
}

void ResidentRewards::check_numbers(const ReferenceArrays& of_reference, std::uint32_t count,
                                    Stream stream) const {
  ReferenceArrays here = of_reference;
  const std::size_t bytes = std::size_t{count} * of_reference.prefix.width;
  const PinnedArray<std::uint64_t> prefix(device_, bytes / sizeof(std::uint64_t) + 1);
  const PinnedArray<float> lengths(device_, std::size_t{count} + 1);
  const WaitAtEnd wait(device_, stream);
  if (of_reference.prefix.exist() && count > 0) {
    device_.download(prefix.data(), of_reference.prefix.data, bytes, stream);
    here.prefix.data = prefix.data();
  }
  if (of_reference.spl_length != nullptr && count > 0) {
    device_.download(lengths.data(), of_reference.spl_length, count * sizeof(float), stream);
    here.spl_length = lengths.data();
  }
  device_.wait(stream);
  batch::check_numbers(here, count);
}

PairProblem ResidentRewards::check(const CheckView& view, Stream stream) const {
  const PinnedArray<PairProblem> problem(device_, 1);
  const WaitAtEnd wait(device_, stream);
  device_.launch(CheckPairs{view}, stream);
  device_.download(problem.data(), view.problem, sizeof(PairProblem), stream);
  device_.wait(stream);
  return problem[0];
}

EpisodeProblem ResidentRewards::found_by(const CheckEpisodesView& view, Stream stream) const {
  const PinnedArray<EpisodeProblem> problem(device_, 1);
  const WaitAtEnd wait(device_, stream);
  device_.launch(view, stream);
  device_.download(problem.data(), view.problem, sizeof(EpisodeProblem), stream);
  device_.wait(stream);
  return problem[0];
}

}  // namespace warpath::cuda
