#include "host/files/evaluation/reward_agents.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host/core/rewards/reward_rules.hpp"
#include "host/files/evaluation/describe_agents.hpp"
#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/evaluation/pack.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/evaluation/reward_episodes.hpp"
#include "host/files/evaluation/target_scores.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/rewards/reward_rules.hpp"
#include "warpath/error.hpp"
#include "warpath/rewards.hpp"

namespace warpath::evaluation {
namespace {

using Ids = std::unordered_set<std::string>;

// Refuses ids that no item has, which would have no effect.
void check_timed_out(const Ids& ids, const formats::Dataset& dataset) {
  Ids unknown = ids;
  for (const formats::Item& item : dataset.items) unknown.erase(item.id);
  if (unknown.empty()) return;
  throw InputError({dataset.file, *std::ranges::min_element(unknown)},
                   "is no item of the dataset, but --timed-out names it",
                   "name ids of the dataset, e.g. " + dataset.items.front().id);
}

// Adds each prediction's rewards up and compares those of an item. One that lacks a reward or a way
// is in no mean.
void compare_by_item(RewardedAgent& agent) {
  const std::size_t pairs = agent.pairs();
  std::vector<std::uint32_t> item(pairs);
  std::vector<std::uint8_t> active(pairs, 1);
  std::unordered_map<std::string_view, std::uint32_t> numbers;
  for (const ItemRow& row : agent.agent.rows) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    if (!row.pair) continue;
    item[*row.pair] = numbers.try_emplace(row.instr_id, next).first->second;
    active[*row.pair] = row.status != Status::unreachable;
  }
  for (std::size_t k = 0; k < pairs; ++k) {
    const float* const first = agent.rewards.reward.data() + agent.first(k);
    const double sum = std::accumulate(first, first + agent.size(k), 0.0);
    active[k] = active[k] != 0 && std::isfinite(sum);
    agent.total.push_back(active[k] ? static_cast<float>(sum) : std::nanf(""));
  }
  agent.advantage.resize(pairs);
  if (pairs == 0) return;
  group_advantages({.count = static_cast<std::uint32_t>(pairs),
                    .groups = item.data(),
                    .group_count = static_cast<std::uint32_t>(numbers.size()),
                    .active = active.data(),
                    .reward = agent.total.data(),
                    .advantage = agent.advantage.data()});
  for (std::size_t k = 0; k < pairs; ++k) {
    if (active[k] == 0) agent.advantage[k] = std::nanf("");
  }
}

class AgentRewarder {
 public:
  AgentRewarder(Inputs& inputs, const RewardRequest& request)
      : inputs_(inputs),
        request_(request),
        packer_(inputs.dataset, inputs.graphs, inputs.viewpoints),
        timed_out_(request.timed_out.begin(), request.timed_out.end()) {
    check_timed_out(timed_out_, inputs.dataset);
  }

  RewardedAgent reward(std::size_t agent) {
    const Convention& convention = request_.settings.convention;
    const formats::Predictions& predictions = inputs_.agents[agent];
    if (inputs_.files.merge) refuse_disagreeing_shards(inputs_.dataset, predictions, convention);
    if (inputs_.grids) inputs_.grids->refuse_far(agent, convention);
    RewardedAgent made;
    made.agent = describe_agent(inputs_, agent);
    if (inputs_.dataset.has_positions())
      reward_positions(predictions, made);
    else
      reward_viewpoints(predictions, made);
    for (ItemRow& row : made.agent.rows) {
      if (row.pair)
        row.status = more_severe(row.status, status_of(made.rewards, made.last(*row.pair)));
    }
    if (request_.group_by_item) compare_by_item(made);
    refuse_unscored(made.agent, inputs_.dataset, predictions, convention, request_.strict);
    return made;
  }

 private:
  void reward_viewpoints(const formats::Predictions& predictions, RewardedAgent& made) {
    PackedRun packed = packer_.pack(predictions, request_.settings.convention);
    RolloutEnds ends = rollout_ends(inputs_, predictions, packed, request_.settings.convention);
    made.agent.rows = std::move(packed.rows);
    made.batch = std::move(packed.batch);
    end_in_time(made.agent.rows, ends.stopped);
    made.rewards = reward_pairs(made.batch, request_.settings, ends, request_.discount);
    made.stopped = std::move(ends.stopped);
  }

  void reward_positions(const formats::Predictions& predictions, RewardedAgent& made) {
    PackedEpisodes packed =
        pack_episodes(inputs_.dataset, predictions, request_.settings.convention, nullptr, false);
    RolloutEnds ends = episode_ends(inputs_, predictions, packed, request_.settings);
    made.agent.rows = std::move(packed.rows);
    made.positions = positions_of(packed.batch.queries, inputs_, request_.settings);
    end_in_time(made.agent.rows, ends.stopped);
    made.rewards = reward_episodes(inputs_, packed, request_.settings, ends, request_.discount);
    made.stopped = std::move(ends.stopped);
  }

  // Takes the stops from paths whose time was up.
  void end_in_time(const std::vector<ItemRow>& rows, std::vector<std::uint8_t>& stopped) const {
    if (request_.all_timed_out) std::ranges::fill(stopped, std::uint8_t{0});
    for (const ItemRow& row : rows) {
      if (row.pair && timed_out_.contains(row.instr_id)) stopped[*row.pair] = 0;
    }
  }

  Inputs& inputs_;
  const RewardRequest& request_;
  Packer packer_;
  const Ids timed_out_;
};

}  // namespace

void check_reward(const Inputs& inputs, const RewardSettings& settings) {
  check(settings);
  if (inputs.dataset.has_positions()) check_episode_reward(inputs, settings);
  if (!inputs.grids) return;
  refuse_flat_distances(settings.convention.distance, "--distance");
  refuse_flat_distances(settings.goal_distance, "--goal-distance");
}

RolloutEnds rollout_ends(const Inputs& inputs, const formats::Predictions& predictions,
                         const PackedRun& run, const Convention& convention) {
  RolloutEnds ends{std::vector<std::uint8_t>(run.batch.pairs.size(), 1), {}};
  if (!inputs.grids) return ends;
  GoalPairs pairs(inputs, run, convention.distance);
  for (std::size_t k = 0; k < ends.stopped.size(); ++k) {
    const std::uint32_t path = predictions.entries[run.sources[k].entry].trajectory.path;
    ends.stopped[k] =
        predictions.positions->paths[path].is_stopped || convention.stop == Stop::ignored;
    const std::vector<Node> goals = pairs.pair(k).goals;
    ends.goals.elements.insert(ends.goals.elements.end(), goals.begin(), goals.end());
    ends.goals.end_path();
  }
  return ends;
}

bool lacks_reward(const RewardedAgent& rewarded, std::size_t pair) {
  return !std::isfinite(rewarded.rewards.returns[rewarded.first(pair)]);
}

bool is_success(const RewardedAgent& rewarded, std::size_t pair, const RewardSettings& settings) {
  return kernels::succeeds<kernels::ScalarLanes>(
      rewarded.rewards.distance_to_goal[rewarded.last(pair)], rewarded.stopped[pair] != 0,
      rewards::make_rules(settings, false));
}

std::vector<RewardedAgent> reward_agents(Inputs& inputs, const RewardRequest& request) {
  check_reward(inputs, request.settings);
  refuse_test_split(inputs.dataset);
  AgentRewarder rewarder(inputs, request);
  std::vector<RewardedAgent> made;
  std::vector<AgentResult> agents;
  for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
    made.push_back(rewarder.reward(a));
    agents.push_back(std::move(made.back().agent));
  }
  name_agents(agents, inputs.files);
  for (std::size_t a = 0; a < made.size(); ++a) made[a].agent = std::move(agents[a]);
  return made;
}

}  // namespace warpath::evaluation
