#include "kernels/bodies/check_episodes.hpp"
#include "kernels/bodies/reward_episodes.hpp"
#include "kernels/lanes/device_lanes.cuh"
#include "kernels/launch/rewards.cuh"
#include "kernels/rewards/group_advantages.hpp"
#include "kernels/rewards/returns.hpp"

namespace warpath::kernels {

/// Reads the values of episodes, a thread each. Cost: up to three fields in and out, side by side.
__global__ void __launch_bounds__(reward_threads, 1)
    read_values_of_episodes(const __grid_constant__ EpisodeValuesView view) {
  const std::uint32_t e = thread_number();
  if (e < view.episodes.count) write_values<DeviceLanes<1>>(view, e);
}

/// Copies episodes, a thread each. Cost: all fields in and out; scattered on the side that has
/// numbers of episodes.
__global__ void __launch_bounds__(reward_threads, 1)
    copy_episodes_of_threads(const __grid_constant__ CopyEpisodesView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) copy_episode(view, k);
}

/// Adds rewards up, a thread for each rollout, from the end to the start.
/// Cost: two values in and out for each reward, in rows apart.
__global__ void __launch_bounds__(reward_threads, 1)
    add_up_rewards_of_rollouts(const __grid_constant__ ReturnsView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) add_up_rewards(view, k);
}

/// Compares rollouts within their groups, a thread for each group.
/// Cost: a group's rewards in three times, in rows apart. Where `groups` are given, a thread reads
/// the number of every rollout instead, as its neighbours do at the same time: groups times
/// rollouts in all. Under GroupScale::batch it also reads all rewards twice.
__global__ void __launch_bounds__(reward_threads, 1)
    compare_groups_of_threads(const __grid_constant__ GroupsView view) {
  const std::uint32_t g = thread_number();
  if (g < view.group_count) compare_group(view, g);
}

/// Notes which entry names each episode first, a thread for each entry. Cost: an atomic minimum.
__global__ void __launch_bounds__(reward_threads, 1)
    claim_episodes_of_threads(const __grid_constant__ CheckEpisodesView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) claim_episode(view, k);
}

/// Looks for entries with a fault, a thread for each. Memory: a thread reads a few fields of its
/// episode and all of the entry's paths, scattered; an atomic minimum for each bad entry.
/// Precondition: episodes have been claimed, if there are owners.
/// Cost: a read for each element of the paths; for calls that are being debugged.
__global__ void __launch_bounds__(reward_threads, 1)
    check_entries_of_threads(const __grid_constant__ CheckEpisodesView view) {
  const std::uint32_t k = thread_number();
  if (k < view.count) check_entry(view, k);
}

/// Describes the first bad entry, with one thread. Precondition: all entries have been checked.
__global__ void __launch_bounds__(reward_threads, 1)
    describe_entry_of_thread(const __grid_constant__ CheckEpisodesView view) {
  if (thread_number() == 0) describe_entry(view);
}

namespace {

// Episodes have no kernels of their own for what earns changes of nDTW alone, nor for any ends: all
// of theirs know every term.
template <class View>
int start_episodes(const View& view, const RewardShape& shape, Stream stream) {
  switch (shape.set) {
    case RewardSet::points:
      return start_shape<RewardSet::points>(view, shape, stream);
    case RewardSet::all:
    case RewardSet::ends:
      return start_shape<RewardSet::all>(view, shape, stream);
    case RewardSet::ndtw_gain:
    case RewardSet::dtw:
      break;
  }
  return start_shape<RewardSet::dtw>(view, shape, stream);
}

}  // namespace

int reward_rollouts(const RolloutsView& view, const RewardShape& shape, Stream stream) {
  switch (shape.set) {
    case RewardSet::ndtw_gain:
      return start_shape<RewardSet::ndtw_gain>(view, shape, stream);
    case RewardSet::dtw:
      return start_shape<RewardSet::dtw>(view, shape, stream);
    case RewardSet::all:
      return start_shape<RewardSet::all>(view, shape, stream);
    case RewardSet::ends:
      return start_shape<RewardSet::ends>(view, shape, stream);
    case RewardSet::points:
      break;
  }
  return start_shape<RewardSet::points>(view, shape, stream);
}

int reset_episodes(const ResetView& view, const RewardShape& shape, Stream stream) {
  return start_episodes(view, shape, stream);
}
int step_episodes(const StepView& view, const RewardShape& shape, Stream stream) {
  return start_episodes(view, shape, stream);
}
int finish_episodes(const FinishView& view, const RewardShape& shape, Stream stream) {
  return start_episodes(view, shape, stream);
}
int score_extensions(const ExtensionsView& view, const RewardShape& shape, Stream stream) {
  return start_episodes(view, shape, stream);
}

int check_episodes(const CheckEpisodesView& view, Stream stream) {
  if (view.count == 0) return cudaSuccess;
  int code = cudaMemsetAsync(view.first_bad, 0xff, sizeof *view.first_bad, stream);
  if (code == cudaSuccess && view.owner != nullptr) {
    code = start_threads(claim_episodes_of_threads, view, view.count, stream);
  }
  if (code == cudaSuccess) {
    code = start_threads(check_entries_of_threads, view, view.count, stream);
  }
  return code != cudaSuccess ? code : start_threads(describe_entry_of_thread, view, 1, stream);
}

int read_episode_values(const EpisodeValuesView& view, Stream stream) {
  return start_threads(read_values_of_episodes, view, view.episodes.count, stream);
}

int copy_episodes(const CopyEpisodesView& view, Stream stream) {
  return start_threads(copy_episodes_of_threads, view, view.count, stream);
}

int add_up_rewards(const ReturnsView& view, Stream stream) {
  return start_threads(add_up_rewards_of_rollouts, view, view.count, stream);
}

int compare_groups(const GroupsView& view, Stream stream) {
  return start_threads(compare_groups_of_threads, view, view.group_count, stream);
}

}  // namespace warpath::kernels
