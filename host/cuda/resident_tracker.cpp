#include "host/cuda/resident_tracker.hpp"

#include <algorithm>

#include "host/batch/check_views.hpp"

namespace warpath::cuda {

using namespace kernels;
using batch::view_of;

namespace {

int rows_of(const ResidentRewards& rewards, const RewardShape& shape) {
  return kept_rows(shape.rows, shape.in_strips, rewards.max_reference_length());
}

}  // namespace

ResidentTracker::ResidentTracker(const ResidentRewards& rewards, std::uint32_t episodes,
                                 void* memory, const RewardArrays& wanted)
    : rewards_(rewards),
      shape_(rewards.shape_for(wanted)),
      view_{.rewards = rewards.view(),
            .memory = static_cast<float*>(memory),
            .count = episodes,
            .rows = rows_of(rewards, shape_)} {}

std::size_t ResidentTracker::bytes(const ResidentRewards& rewards, std::uint32_t episodes) {
  const int rows = rows_of(rewards, rewards.shape_for({}));
  return static_cast<std::size_t>(tracker_fields(rows)) * episodes * sizeof(float);
}

// Copies of all episodes for fork; rows of continuations if references are in strips.
std::size_t ResidentTracker::workspace_bytes(std::uint32_t candidates) const {
  const std::size_t copies = shape_.in_strips ? std::max(candidates, 1u) : 1;
  return copies * static_cast<std::size_t>(tracker_fields(view_.rows)) * view_.count *
         sizeof(float);
}

// Views without episodes start kernels that do nothing.
void ResidentTracker::warm_up(Stream stream) const {
  Device& device = rewards_.device();
  device.launch(ResetEpisodes{.view = {}, .shape = shape_}, stream);
  device.launch(StepEpisodes{.view = {}, .shape = shape_}, stream);
  device.launch(FinishEpisodes{.view = {}, .shape = shape_}, stream);
  device.launch(ScoreExtensions{.view = {}, .shape = shape_}, stream);
  device.launch(EpisodeValuesView{}, stream);
  device.launch(CopyEpisodesView{}, stream);
}

void ResidentTracker::reset(const EpisodeStarts& starts, Stream stream) const {
  if (starts.count == 0) return;
  rewards_.device().launch(ResetEpisodes{.view = {.episodes = view_,
                                                  .count = starts.count,
                                                  .episode = view_of(starts.episode),
                                                  .reference = view_of(starts.reference),
                                                  .start = view_of(starts.start),
                                                  .distance_to_goal = starts.distance_to_goal},
                                         .shape = shape_},
                           stream);
}

void ResidentTracker::step(const Integers& nodes, const std::uint8_t* active,
                           const float* distance_to_goal, float* rewards, Stream stream) const {
  if (view_.count == 0) return;
  rewards_.device().launch(StepEpisodes{.view = {.episodes = view_,
                                                 .nodes = nodes,
                                                 .active = active,
                                                 .distance_to_goal = distance_to_goal,
                                                 .reward = rewards},
                                        .shape = shape_},
                           stream);
}

void ResidentTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
                             Stream stream) const {
  if (view_.count == 0) return;
  rewards_.device().launch(
      FinishEpisodes{
          .view = {.episodes = view_, .stopped = stopped, .mask = mask, .reward = rewards},
          .shape = shape_},
      stream);
}

void ResidentTracker::score_extensions(std::uint32_t candidates, const PathsView& paths,
                                       const RewardArrays& out, void* workspace,
                                       Stream stream) const {
  if (view_.count == 0 || candidates == 0) return;
  rewards_.device().launch(ScoreExtensions{.view = {.episodes = view_,
                                                    .candidates = candidates,
                                                    .paths = paths,
                                                    .reward = out.reward,
                                                    .goal = out.distance_to_goal,
                                                    .ndtw = out.ndtw,
                                                    .cls = out.cls,
                                                    .memory = static_cast<float*>(workspace)},
                                           .shape = shape_},
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
void ResidentTracker::fork(std::uint32_t count, const Integers& from, const Integers& to,
                           void* workspace, Stream stream) const {
  if (count == 0) return;
  auto* copies = static_cast<float*>(workspace);
  CopyEpisodesView copy{.count = count,
                        .fields = tracker_fields(view_.rows),
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

}  // namespace warpath::cuda
