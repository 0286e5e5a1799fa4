#pragma once

#include <cstdint>
#include <span>

#include "warpath/place.hpp"
#include "warpath/views.hpp"

namespace warpath::testing {

using Numbers32 = std::span<const std::uint32_t>;

/// Names episodes to begin, of viewpoints. @param episodes empty: entry k is episode k
inline EpisodeStarts starts_of(Numbers32 episodes, Numbers32 references, Numbers32 starts = {},
                               const float* distance_to_goal = nullptr) {
  EpisodeStarts begun;
  begun.count = static_cast<std::uint32_t>(references.size());
  if (!episodes.empty()) begun.episode = episodes.data();
  begun.reference = references.data();
  if (!starts.empty()) begun.start = starts.data();
  begun.distance_to_goal = distance_to_goal;
  return begun;
}

/// Names the first `count` episodes to begin, of points.
inline EpisodeStarts starts_of(std::uint32_t count, const PathsView& references,
                               const float* starts = nullptr,
                               const float* distance_to_goal = nullptr) {
  return {.count = count,
          .episode = {},
          .reference = {},
          .references = references,
          .start = starts,
          .distance_to_goal = distance_to_goal};
}

/// Returns what a call on a GPU is given. Without a stream it is the default one.
inline Call call_on(CUstream_st* stream, void* workspace = nullptr) {
  return {.workspace = workspace, .stream = stream};
}
/// Returns the same for a call that is checked.
inline Call checked_on(CUstream_st* stream, void* workspace) {
  return {.workspace = workspace, .stream = stream, .check = true};
}

}  // namespace warpath::testing
