#pragma once

#include <array>
#include <span>
#include <vector>

#include "host/files/evaluation/pack.hpp"

namespace warpath::evaluation {

/// Holds an agent's paths of positions, ready to be scored: the batch for the back end, and every
/// episode with its pair or the reason why it has none.
struct PackedEpisodes {
  PointBatch batch;                 ///< positions as `placed` gives them
  std::vector<PairSource> sources;  ///< by pair
  std::vector<ItemRow> rows;
};

/// Returns a position so that the distance 2d, which leaves the third coordinate out, is the
/// horizontal one.
inline std::array<double, 3> placed(const std::array<double, 3>& point, Distance distance,
                                    const formats::EpisodeData& episodes) {
  if (distance != Distance::euclid_2d || episodes.is_z_up) return point;
  return {point[0], point[2], point[1]};
}

/// Tells whether `repeats` leaves position k of a path out, because the one before is the same.
inline bool is_left_out(std::span<const std::array<double, 3>> path, std::size_t k,
                        Repeats repeats) {
  return repeats == Repeats::collapse && k > 0 && path[k] == path[k - 1];
}

/// Tells whether a position is within 0.1 m of an episode's start.
bool is_at_start(const formats::EpisodeData& episodes, std::uint32_t item,
                 const std::array<double, 3>& position);

/// Matches paths with episodes by id and applies the convention's settings for repeats, starts and
/// duplicate ids.
/// @param task_success by id; nullptr: SDTW takes SR.
/// @param needs_oracle whether recorded outcomes need an oracle_success, as OSR does.
/// @throws InputError if an episode lacks the geodesic_distance that others have and the convention
///   asks for; if outcomes are recorded and an entry has none; if `invalid` is error and a path is
///   malformed, a reference is empty, or a path lacks the stop that others have and `stop` is
///   required
PackedEpisodes pack_episodes(const formats::Dataset& dataset,
                             const formats::Predictions& predictions, const Convention& convention,
                             const formats::TaskSuccess* task_success, bool needs_oracle = true);

/// Returns a run of one pair of another run, without rows.
PackedEpisodes only_pair(const PackedEpisodes& run, std::uint32_t pair);

}  // namespace warpath::evaluation
