#include "host/files/evaluation/reward_episodes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/definitions/setting_text.hpp"
#include "host/files/evaluation/episode_scores.hpp"
#include "host/files/evaluation/goal_distances.hpp"
#include "host/files/evaluation/mesh_pairs.hpp"
#include "host/files/evaluation/target_scores.hpp"
#include "kernels/metrics/decide.hpp"
#include "warpath/error.hpp"
#include "warpath/rewards.hpp"

namespace warpath::evaluation {
namespace {

// Rewards positions by straight lines, but for the distances to the goal.
PairRewards reward_points(const PackedEpisodes& run, const RewardSettings& settings,
                          const RolloutEnds& ends, double discount) {
  const PointBatch& paths = run.batch;
  const std::vector<float> queries = coordinates_of(paths.queries),
                           references = coordinates_of(paths.references);
  Batch rollouts = batch_of(paths, queries, references);
  rollouts.stopped = ends.stopped.data();
  rollouts.distance_to_goal = ends.distance_to_goal.data();
  PairRewards made(paths.queries.elements.size());
  Rewards(settings).compute(rollouts, made.arrays());
  made.add_up(paths.queries.offsets, discount);
  return made;
}

// Rewards positions by distances over meshes, some pairs at a time: each has a table of its own.
PairRewards reward_over_meshes(const Inputs& inputs, const PackedEpisodes& run,
                               const RewardSettings& settings, const RolloutEnds& ends,
                               double discount) {
  PairRewards made(run.batch.queries.elements.size());
  const auto reward_part = [&](const MeshPairs& part, std::size_t first) {
    const std::size_t place = run.batch.queries.offsets[first];
    const auto part_of = [&](const auto& values, std::size_t begin, std::size_t count) {
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
      return std::vector(from, from + static_cast<std::ptrdiff_t>(count));
    };
    const RolloutEnds of_part{.stopped = part_of(ends.stopped, first, part.batch.pairs.size()),
                              .distance_to_goal = part_of(ends.distance_to_goal, place,
                                                          part.batch.queries.elements.size())};
    const PairRewards rewards = reward_pairs(part.batch, settings, of_part, discount);
    for (const auto column :
         {&PairRewards::reward, &PairRewards::returns, &PairRewards::distance_to_goal,
          &PairRewards::ndtw, &PairRewards::cls}) {
      std::ranges::copy(rewards.*column,
                        (made.*column).begin() + static_cast<std::ptrdiff_t>(place));
    }
  };
  for_each_mesh_part(*inputs.meshes, inputs.dataset, run, reward_part);
  return made;
}

}  // namespace

void check_episode_reward(const Inputs& inputs, const RewardSettings& settings) {
  check_targets(inputs, settings.convention);
  check_over_meshes(inputs, settings.convention);
  if (settings.goal_distance == Distance::euclid_3d) return;
  throw UsageError(
      fmt::format("goal-distance {} of reward {}: {} gives the distances to the goal, in metres: "
                  "say --goal-distance 3d",
                  definitions::Spelling<Distance>::words[static_cast<int>(settings.goal_distance)],
                  settings.preset, inputs.meshes ? "--navmesh" : "--distances"));
}

RolloutEnds episode_ends(const Inputs& inputs, const formats::Predictions& predictions,
                         const PackedEpisodes& run, const RewardSettings& settings) {
  const Convention& convention = settings.convention;
  RolloutEnds ends;
  for (const PairSource& source : run.sources) {
    const std::uint32_t path = predictions.entries[source.entry].trajectory.path;
    const formats::PositionData& data = *predictions.positions;
    ends.stopped.push_back(data.paths[path].is_stopped || convention.stop == Stop::ignored);
    const auto positions = data.points[path];
    const std::vector<double> distances =
        goal_distances(*inputs.dataset.episodes, source.item, data, path, convention, false);
    for (std::size_t k = 0; k < positions.size(); ++k) {
      if (is_left_out(positions, k, convention.repeats)) continue;
      ends.distance_to_goal.push_back(kernels::rounded(distances[k], settings.success_radius));
    }
  }
  return ends;
}

PairRewards reward_episodes(const Inputs& inputs, const PackedEpisodes& run,
                            const RewardSettings& settings, const RolloutEnds& ends,
                            double discount) {
  if (run.batch.pairs.empty()) return {};
  if (inputs.meshes && inputs.meshes->which() == OverMeshes::all) {
    return reward_over_meshes(inputs, run, settings, ends, discount);
  }
  return reward_points(run, settings, ends, discount);
}

PointSet positions_of(const PointSet& paths, const Inputs& inputs, const RewardSettings& settings) {
  PointSet positions = paths;
  for (auto& position : positions.elements) {
    position = placed(position, settings.convention.distance, *inputs.dataset.episodes);
  }
  return positions;
}

std::vector<float> coordinates_of(const PointSet& paths) {
  std::vector<float> coordinates;
  coordinates.reserve(3 * paths.elements.size());
  for (const auto& point : paths.elements) {
    for (const double metres : point) coordinates.push_back(static_cast<float>(metres));
  }
  return coordinates;
}

Batch batch_of(const PointBatch& paths, const std::vector<float>& queries,
               const std::vector<float>& references) {
  Batch batch;
  batch.count = static_cast<std::uint32_t>(paths.pairs.size());
  batch.queries = {queries.data(), layout_of(paths.queries.offsets)};
  batch.references = {references.data(), layout_of(paths.references.offsets)};
  return batch;
}

}  // namespace warpath::evaluation
