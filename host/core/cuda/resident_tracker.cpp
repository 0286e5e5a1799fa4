#include "host/core/cuda/resident_tracker.hpp"

#include <algorithm>
#include <span>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/arena.hpp"

namespace warpath::cuda {

using namespace kernels;
using batch::view_of;

namespace {

int rows_of(const ResidentRewards& rewards, const RewardShape& shape) {
  return kept_rows(shape.rows, shape.in_strips, rewards.max_reference_length());
}

std::size_t bytes_for(int rows, int axes, std::uint32_t episodes) {
  return static_cast<std::size_t>(tracker_fields(rows, axes)) * episodes * sizeof(float);
}

}  // namespace

ResidentTracker::ResidentTracker(const ResidentRewards& rewards, std::uint32_t episodes,
                                 void* memory, const RewardArrays& wanted)
    : ResidentTracker(rewards, episodes, memory, rewards.shape_for(wanted),
                      rewards.max_reference_length(), 1) {}

ResidentTracker ResidentTracker::of_points(const ResidentRewards& rewards, std::uint32_t episodes,
                                           void* memory, int max_reference) {
  return {rewards, episodes, memory, point_reward_shape(max_reference), max_reference, 3};
}

ResidentTracker::ResidentTracker(const ResidentRewards& rewards, std::uint32_t episodes,
                                 void* memory, const RewardShape& shape, int max_reference,
                                 int axes)
    : rewards_(rewards),
      shape_(shape),
      max_reference_(max_reference),
      view_{.rewards = rewards.view(),
            .memory = static_cast<float*>(memory),
            .count = episodes,
            .rows = kept_rows(shape.rows, shape.in_strips, max_reference),
            .axes = axes} {}

std::size_t ResidentTracker::bytes(const ResidentRewards& rewards, std::uint32_t episodes) {
  return bytes_for(rows_of(rewards, rewards.shape_for({})), 1, episodes);
}

std::size_t ResidentTracker::bytes_of_points(std::uint32_t episodes, int max_reference) {
  const RewardShape shape = point_reward_shape(max_reference);
  return bytes_for(kept_rows(shape.rows, shape.in_strips, max_reference), 3, episodes);
}

/// Names the arrays of a check in the caller's workspace.
struct ResidentTracker::CheckMemory {
  std::span<std::uint32_t> first_bad, owner;
  std::span<EpisodeProblem> problem;

  void list(ArenaLayout& layout, std::uint32_t episodes) {
    layout.add_device(first_bad, 1);
    layout.add_device(problem, 1);
    layout.add_device(owner, episodes);
  }
};

// Copies of all episodes for fork; rows of continuations if references are in strips.
std::size_t ResidentTracker::workspace_bytes(std::uint32_t candidates) const {
  const auto row_fields = static_cast<std::size_t>(episode_fields(view_.rows, 0));
  const std::size_t rows = shape_.in_strips ? row_fields * candidates : 0;
  ArenaLayout layout;
  CheckMemory().list(layout, view_.count);
  return std::max(std::max(rows, fields()) * view_.count * sizeof(float), layout.bytes().device);
}

std::size_t ResidentTracker::fields() const {
  return static_cast<std::size_t>(tracker_fields(view_.rows, view_.axes));
}

// Views without episodes start kernels that do nothing.
void ResidentTracker::warm_up(Stream stream) const {
  start(ResetView{}, stream);
  start(StepView{}, stream);
  start(ExtensionsView{}, stream);
  start(FinishView{}, stream);
  rewards_.device().launch(EpisodeValuesView{}, stream);
  rewards_.device().launch(CopyEpisodesView{}, stream);
}

template <class View>
void ResidentTracker::start(const View& view, Stream stream) const {
  rewards_.device().launch(RewardWork<View>{.view = view, .shape = shape_}, stream);
}

void ResidentTracker::reset(const EpisodeStarts& starts, Stream stream) const {
  if (starts.count == 0) return;
  start(ResetView{.episodes = view_,
                  .count = starts.count,
                  .episode = view_of(starts.episode),
                  .reference = view_of(starts.reference),
                  .references = view_of(starts.references),
                  .of_reference = view_of(starts.prefix, starts.spl_length),
                  .start = view_of(starts.start),
                  .distance_to_goal = starts.distance_to_goal},
        stream);
}

void ResidentTracker::step(const PositionArray& next, const std::uint8_t* active,
                           const float* distance_to_goal, float* rewards, Stream stream) const {
  if (view_.count == 0) return;
  start(StepView{.episodes = view_,
                 .next = next,
                 .active = active,
                 .distance_to_goal = distance_to_goal,
                 .reward = rewards},
        stream);
}

void ResidentTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
                             Stream stream) const {
  if (view_.count == 0) return;
  start(FinishView{.episodes = view_, .stopped = stopped, .mask = mask, .reward = rewards}, stream);
}

void ResidentTracker::score_extensions(std::uint32_t candidates, const PathArray& paths,
                                       const RewardArrays& out, void* workspace,
                                       Stream stream) const {
  if (view_.count == 0 || candidates == 0) return;
  start(ExtensionsView{.episodes = view_,
                       .candidates = candidates,
                       .paths = paths,
                       .reward = out.reward,
                       .goal = out.distance_to_goal,
                       .ndtw = out.ndtw,
                       .cls = out.cls,
                       .memory = static_cast<float*>(workspace)},
        stream);
}

void ResidentTracker::values(const RewardArrays& out, Stream stream) const {
  if (view_.count == 0) return;
  rewards_.device().launch(
      EpisodeValuesView{
          .episodes = view_, .goal = out.distance_to_goal, .ndtw = out.ndtw, .cls = out.cls},
      stream);
}

// All are read before any is written, so that episodes may change places.
void ResidentTracker::fork(std::uint32_t count, const IntegerArray& from, const IntegerArray& to,
                           void* workspace, Stream stream) const {
  if (count == 0) return;
  auto* copies = static_cast<float*>(workspace);
  CopyEpisodesView copy{.count = count,
                        .fields = tracker_fields(view_.rows, view_.axes),
                        .from = view_.memory,
                        .to = copies,
                        .from_stride = view_.count,
                        .to_stride = count,
                        .from_episode = from,
                        .to_episode = {}};
  rewards_.device().launch(copy, stream);
  copy.from = copies;
  copy.to = view_.memory;
  copy.from_stride = count;
  copy.to_stride = view_.count;
  copy.from_episode = {};
  copy.to_episode = to;
  rewards_.device().launch(copy, stream);
}

// ---------------------------------------------------------------- checks

namespace {

// Lays out one element for each entry.
PathArray single_elements(const PositionArray& elements) {
  constexpr PathLayout layout{.offsets = {}, .lengths = {}, .pitch = 1, .max_length = 1};
  return {elements.nodes, layout, elements.points};
}

}  // namespace

EpisodeProblem ResidentTracker::check(CheckEpisodesView view, bool once, void* workspace,
                                      Stream stream) const {
  if (view.count == 0) return {};
  CheckMemory memory;
  ArenaLayout layout(static_cast<char*>(workspace), nullptr, nullptr);
  memory.list(layout, view_.count);
  view.episodes = view_;
  view.references = rewards_.references();
  view.first_bad = memory.first_bad.data();
  view.problem = memory.problem.data();
  if (once) {
    view.owner = memory.owner.data();
    rewards_.device().fill(view.owner, 0xff, memory.owner.size_bytes(), stream);
  }
  return rewards_.found_by(view, stream);
}

EpisodeProblem ResidentTracker::check_reset(const EpisodeStarts& starts, void* workspace,
                                            Stream stream) const {
  rewards_.check_numbers(view_of(starts.prefix, starts.spl_length), starts.count, stream);
  CheckEpisodesView view{};
  view.count = starts.count;
  view.episode = view_of(starts.episode);
  view.begins = true;
  if (!has_points()) view.reference = view_of(starts.reference);
  view.new_references = view_of(starts.references);
  view.paths = single_elements(view_of(starts.start));
  view.paths_of_entry = 1;
  return check(view, true, workspace, stream);
}

CheckEpisodesView ResidentTracker::every_episode(const std::uint8_t* active,
                                                 std::uint32_t paths) const {
  CheckEpisodesView view{};
  view.count = view_.count;
  view.active = active;
  view.paths_of_entry = paths;
  return view;
}

EpisodeProblem ResidentTracker::check_step(const PositionArray& next, const std::uint8_t* active,
                                           void* workspace, Stream stream) const {
  CheckEpisodesView view = every_episode(active, 1);
  view.paths = single_elements(next);
  return check(view, false, workspace, stream);
}

// An end reads an episode, but no path.
EpisodeProblem ResidentTracker::check_finish(const std::uint8_t* mask, void* workspace,
                                             Stream stream) const {
  return check_step(PositionArray{}, mask, workspace, stream);
}

EpisodeProblem ResidentTracker::check_extensions(std::uint32_t candidates, const PathArray& paths,
                                                 void* workspace, Stream stream) const {
  CheckEpisodesView view = every_episode(nullptr, candidates);
  view.paths = paths;
  return check(view, false, workspace, stream);
}

// Copies read an episode whatever its memory holds.
EpisodeProblem ResidentTracker::check_fork(std::uint32_t count, const IntegerArray& episodes,
                                           bool once, void* workspace, Stream stream) const {
  CheckEpisodesView view{};
  view.count = count;
  view.episode = episodes;
  return check(view, once, workspace, stream);
}

}  // namespace warpath::cuda
