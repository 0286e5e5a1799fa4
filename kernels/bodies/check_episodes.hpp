#pragma once

#include "kernels/bodies/device_batch.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/rewards/episode_memory.hpp"
#include "kernels/rewards/left_out.hpp"
#include "kernels/views/checks.hpp"

// Checks what calls of a tracker, and rewards of points, would have to take on trust.

namespace warpath::kernels {

WARPATH_HD std::int64_t episode_of_entry(const CheckEpisodesView& view, std::uint32_t k) {
  return view.episode.exist() ? view.episode.exact(k) : std::int64_t{k};
}
WARPATH_HD bool is_left_out(const CheckEpisodesView& view, std::uint32_t k) {
  return view.active != nullptr && view.active[k] == 0;
}

/// Notes that an entry names its episode. @pre all owners are 2^32 − 1
WARPATH_HD void claim_episode(const CheckEpisodesView& view, std::uint32_t k) {
  const std::int64_t e = episode_of_entry(view, k);
  if (e < 0 || e >= view.episodes.count || is_left_out(view, k)) return;
  lower(view.owner + e, k);
}

/// Tells whether the memory holds an episode that has begun: what it says of its reference must be
/// what a reset writes.
WARPATH_HD bool has_begun(const CheckEpisodesView& view, std::uint32_t e) {
  const EpisodesView& all = view.episodes;
  const EpisodeMemory<ScalarLanes> memory{all.memory + e, all.count, all.rows, all.axes};
  const int r = memory.integer(reference_field(all.rows, all.axes));
  const int size = memory.integer(episode_reference_size);
  if (memory.integer(episode_size) < 1) return false;
  if (all.axes == 3) return r == reference_of_points && size >= 1 && size <= all.rows;
  if (r < 0 || static_cast<std::uint32_t>(r) >= view.references) return false;
  const RewardReference reference = all.rewards.references[r];
  const int node = memory.integer(episode_node);
  const LeftOut<ScalarLanes> left_out(memory.integer(episode_prefix));
  return size == reference.size - rows_left_out(left_out.count, reference.size) &&
         memory.integer(episode_base) == reference.base &&
         memory.integer(episode_pitch) == reference.pitch &&
         memory.integer(episode_goal) == reference.goal && node >= 0 && node < reference.pad;
}

/// Returns what is wrong with the coordinates of n points.
WARPATH_HD EpisodeProblem problem_of_points(const float* points, std::int64_t n, std::int64_t e) {
  for (std::uint32_t i = 0; i < n; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const float x = points[3 * std::size_t{i} + axis];
      if (x <= max_coordinate && x >= -max_coordinate) continue;
      return {EpisodeFault::coordinate, i, e, __builtin_bit_cast(std::uint32_t, x), 0};
    }
  }
  return {EpisodeFault::none, 0, e, 0, 0};
}

WARPATH_HD std::int64_t exact_length_of(const PathLayout& layout, std::uint32_t p) {
  return layout.lengths.exist() || layout.offsets.exist() ? layout.exact_length(p) : 1;
}

/// Returns what is wrong with path p of an episode that has `viewpoints` of them.
WARPATH_HD EpisodeProblem problem_of_path(const CheckEpisodesView& view, std::uint32_t p,
                                          std::int64_t e, std::int64_t viewpoints) {
  const PathLayout& layout = view.paths.layout;
  const std::int64_t n = exact_length_of(layout, p);
  if (n < 0 || n > layout.max_length) {
    return {EpisodeFault::length, 0, e, n, std::int64_t{layout.max_length}};
  }
  if (view.paths.has_points()) return problem_of_points(view.paths.points_of(p), n, e);
  const IntegerArray nodes = view.paths.path(p);
  for (std::uint32_t t = 0; t < n; ++t) {
    const std::int64_t node = nodes.exact(t);
    if (node < 0 || node >= viewpoints) return {EpisodeFault::viewpoint, t, e, node, viewpoints};
  }
  return {EpisodeFault::none, 0, e, 0, 0};
}

/// Returns what is wrong with the new reference of an entry.
WARPATH_HD EpisodeProblem problem_of_reference(const CheckEpisodesView& view, std::uint32_t k,
                                               std::int64_t e) {
  if (view.episodes.axes == 1) {
    const std::int64_t r = view.reference.exact(k);
    if (r >= 0 && r < view.references) return {EpisodeFault::none, 0, e, 0, 0};
    return {EpisodeFault::reference, 0, e, r, std::int64_t{view.references}};
  }
  const PathLayout& layout = view.new_references.layout;
  const std::uint32_t r = view.reference.exist() ? view.reference[k] : view.group.reference(k);
  const std::int64_t n = layout.exact_length(r), limit = layout.max_length;
  if (n < 1 || n > limit) return {EpisodeFault::size, 0, e, n, limit};
  return problem_of_points(view.new_references.points_of(r), n, e);
}

/// Tells whether an entry has a path with an element.
WARPATH_HD bool has_path(const CheckEpisodesView& view, std::uint32_t k) {
  const PathLayout& layout = view.paths.layout;
  for (std::uint32_t c = 0; c < view.paths_of_entry; ++c) {
    if (exact_length_of(layout, k * view.paths_of_entry + c) > 0) return true;
  }
  return false;
}

/// Returns what is wrong with an entry. Nothing is read that might not be there.
WARPATH_HD EpisodeProblem problem_of(const CheckEpisodesView& view, std::uint32_t k) {
  const std::int64_t e = episode_of_entry(view, k);
  EpisodeProblem found{EpisodeFault::none, 0, e, 0, 0};
  if (is_left_out(view, k)) return found;
  if (e < 0 || e >= view.episodes.count) {
    return {EpisodeFault::episode, 0, e, e, std::int64_t{view.episodes.count}};
  }
  if (view.owner != nullptr && view.owner[e] != k) return {EpisodeFault::twice, 0, e, 0, 0};
  std::int64_t viewpoints = 0;
  const auto episode = static_cast<std::uint32_t>(e);
  if (view.begins) {
    found = problem_of_reference(view, k, e);
    if (found.fault != EpisodeFault::none) return found;
    if (view.episodes.axes == 1) {
      viewpoints = view.episodes.rewards.references[view.reference[k]].pad;
    }
  } else if (has_path(view, k)) {
    if (!has_begun(view, episode)) return {EpisodeFault::never_reset, 0, e, 0, 0};
    const EpisodesView& all = view.episodes;
    if (all.axes == 1) {
      const EpisodeMemory<ScalarLanes> memory{all.memory + episode, all.count, all.rows, all.axes};
      viewpoints = all.rewards.references[memory.integer(reference_field(all.rows, 1))].pad;
    }
  }
  if (!view.paths.nodes.exist() && !view.paths.has_points()) return found;
  for (std::uint32_t c = 0; c < view.paths_of_entry && found.fault == EpisodeFault::none; ++c) {
    found = problem_of_path(view, k * view.paths_of_entry + c, e, viewpoints);
  }
  return found;
}

/// Notes an entry that has a fault. @pre *first_bad is 2^32 − 1
WARPATH_HD void check_entry(const CheckEpisodesView& view, std::uint32_t k) {
  if (problem_of(view, k).fault != EpisodeFault::none) lower(view.first_bad, k);
}

/// Describes the fault of the first bad entry, if there is one. @pre check_entry for all entries
WARPATH_HD void describe_entry(const CheckEpisodesView& view) {
  const std::uint32_t k = *view.first_bad;
  *view.problem =
      k < view.count ? problem_of(view, k) : EpisodeProblem{EpisodeFault::none, 0, 0, 0, 0};
}

}  // namespace warpath::kernels
