#include "warpath/rewards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "host/batch/check_views.hpp"
#include "host/cpu/reward_tracker.hpp"
#include "host/cpu/rewards.hpp"
#include "host/rewards/reward_tables.hpp"
#include "warpath/error.hpp"

namespace warpath {

struct Rewards::State {
  State(std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
        const RewardOptions& options)
      : tables(scans, references, scan_of, settings, options.goals),
        rewarder(tables, options.threads) {}

  rewards::RewardTables tables;
  cpu::Rewarder rewarder;
};

namespace {

using kernels::CheckView;
using kernels::PairProblem;

// Views the references of tables as the check of pairs reads them.
struct CheckedReferences {
  explicit CheckedReferences(const rewards::RewardTables& all) : tables(all) {
    for (std::size_t s = 0; s < tables.distances.size(); ++s) {
      scans.push_back(tables.distances[static_cast<std::uint32_t>(s)]);
    }
  }

  CheckView view(const RolloutBatch& batch) const {
    const PathSet& paths = tables.references;
    const auto count = static_cast<std::uint32_t>(paths.size());
    return {{.count = batch.count,
             .reference_of = batch::view_of(batch.reference),
             .active = batch.active,
             .references = {{paths.elements.data(), sizeof(Node)},
                            {{paths.offsets.data(), sizeof(std::uint64_t)}, {}, 0, ~0u}},
             .queries = batch::view_of(batch.queries),
             .scan_of = tables.scan_of.data(),
             .scans = scans.data()},
            count,
            nullptr,
            nullptr};
  }

  const rewards::RewardTables& tables;
  std::vector<kernels::ScanTable> scans;
};

void check_rollouts(const RolloutBatch& batch, const CheckedReferences& references) {
  batch::check_count(batch.count);
  if (batch.count == 0) return;
  batch::check_integers(batch.queries.viewpoints, "queries.viewpoints");
  batch::check_layout(batch.queries.layout, "queries.layout");
  batch::check_integers(batch.reference, "reference");
  const CheckView view = references.view(batch);
  for (std::uint32_t k = 0; k < batch.count; ++k) batch::report(kernels::problem_of(view, k));
}

}  // namespace

Rewards::Rewards(std::span<const Scan* const> scans, const PathSet& references,
                 std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
                 const RewardOptions& options)
    : state_(std::make_unique<State>(scans, references, scan_of, settings, options)) {}
Rewards::Rewards(Rewards&&) noexcept = default;
Rewards& Rewards::operator=(Rewards&&) noexcept = default;
Rewards::~Rewards() = default;

const RewardSettings& Rewards::settings() const {
  return state_->tables.settings;
}

void Rewards::compute(const RolloutBatch& batch, const RewardArrays& out) const {
  check_rollouts(batch, CheckedReferences(state_->tables));
  if (batch.count > 0 && out.reward == nullptr) {
    throw InputError({{}, {}, "reward"}, "is null", "give an array for the rewards");
  }
  state_->rewarder.compute(batch, out);
}

void Rewards::add_up(const ReturnsBatch& batch) {
  const kernels::ReturnsView view = batch::view_of(batch);
  for (std::uint32_t k = 0; k < view.count; ++k) {
    const bool is_active = view.active == nullptr || view.active[k] != 0;
    if (is_active && view.layout.exact_length(k) > view.layout.max_length) {
      throw InputError({{}, fmt::format("rollout {}", k)}, "is longer than max_length",
                       "give the length of the longest");
    }
  }
  for (std::uint32_t k = 0; k < view.count; ++k) kernels::add_up_rewards(view, k);
}

struct RewardTracker::State {
  State(const Rewards::State& rewards, std::uint32_t episodes, const RewardArrays& wanted)
      : tables(rewards.tables), references(tables), tracker(rewards.rewarder, episodes, wanted) {}

  // Refuses an episode or a viewpoint that does not exist.
  void check_episode(std::uint32_t episode) const {
    if (episode < tracker.episodes()) return;
    throw InputError({{}, fmt::format("episode {}", episode)},
                     fmt::format("does not exist: there are {}", tracker.episodes()),
                     "number episodes from 0");
  }
  void check_was_reset(std::uint32_t episode) const {
    if (tracker.reference_of(episode) < tables.references.size()) return;
    throw InputError({{}, fmt::format("episode {}", episode)}, "was not reset",
                     "call reset for it first");
  }
  void check_node(std::uint32_t episode, std::int64_t node, std::uint32_t reference) const {
    const std::uint32_t viewpoints = tables.viewpoints(reference);
    if (node >= 0 && node < viewpoints) return;
    throw InputError({{}, fmt::format("episode {}", episode)},
                     fmt::format("names viewpoint {} of {}", node, viewpoints),
                     "number viewpoints from 0, by scan");
  }

  const rewards::RewardTables& tables;
  const CheckedReferences references;
  cpu::RewardTracker tracker;
};

RewardTracker::RewardTracker(const Rewards& rewards, std::uint32_t episodes,
                             const MetricSet& metrics) {
  batch::check_count(episodes);
  float wanted = 0.0f;
  RewardArrays arrays;
  if (metrics[Metric::nDTW]) arrays.ndtw = &wanted;
  if (metrics[Metric::CLS]) arrays.cls = &wanted;
  state_ = std::make_unique<State>(*rewards.state_, episodes, arrays);
}
RewardTracker::RewardTracker(RewardTracker&&) noexcept = default;
RewardTracker& RewardTracker::operator=(RewardTracker&&) noexcept = default;
RewardTracker::~RewardTracker() = default;

std::uint32_t RewardTracker::episodes() const {
  return state_->tracker.episodes();
}

void RewardTracker::reset(std::span<const std::uint32_t> episodes,
                          std::span<const std::uint32_t> references,
                          std::span<const std::uint32_t> starts, const float* distance_to_goal) {
  std::vector<std::uint32_t> all;
  if (episodes.empty()) {
    all.resize(state_->tracker.episodes());
    std::iota(all.begin(), all.end(), 0u);
    episodes = all;
  }
  if (references.size() != episodes.size() ||
      (!starts.empty() && starts.size() != episodes.size())) {
    throw InputError({{}, {}, "reset"},
                     fmt::format("has {} episodes, {} references and {} starts", episodes.size(),
                                 references.size(), starts.size()),
                     "give a reference, and a start or none at all, for each episode");
  }
  std::vector<std::uint32_t> first(episodes.size());
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    state_->check_episode(episodes[k]);
    if (references[k] >= state_->tables.references.size()) {
      throw InputError(
          {{}, fmt::format("episode {}", episodes[k])},
          fmt::format("names reference {} of {}", references[k], state_->tables.references.size()),
          "number references from 0");
    }
    first[k] = starts.empty() ? state_->tables.references[references[k]].front() : starts[k];
    state_->check_node(episodes[k], first[k], references[k]);
  }
  state_->tracker.reset(episodes, references, first, distance_to_goal);
}

void RewardTracker::step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards,
                         const float* distance_to_goal) {
  batch::check_integers(nodes, "nodes");
  const kernels::Integers view = batch::view_of(nodes);
  for (std::uint32_t e = 0; e < state_->tracker.episodes(); ++e) {
    if (active != nullptr && active[e] == 0) continue;
    state_->check_was_reset(e);
    state_->check_node(e, view.exact(e), state_->tracker.reference_of(e));
  }
  state_->tracker.step(view, active, distance_to_goal, rewards);
}

void RewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask,
                           float* rewards) const {
  for (std::uint32_t e = 0; e < state_->tracker.episodes(); ++e) {
    if (mask == nullptr || mask[e] != 0) state_->check_was_reset(e);
  }
  state_->tracker.finish(stopped, mask, rewards);
}

void RewardTracker::score_extensions(std::uint32_t candidates, const DevicePaths& paths,
                                     const RewardArrays& out) const {
  if (candidates == 0) return;
  batch::check_count(candidates);
  batch::check_integers(paths.viewpoints, "paths.viewpoints");
  batch::check_layout(paths.layout, "paths.layout");
  const kernels::PathsView view = batch::view_of(paths);
  for (std::uint32_t e = 0; e < state_->tracker.episodes(); ++e) {
    for (std::uint32_t c = 0; c < candidates; ++c) {
      const std::uint32_t p = e * candidates + c, size = view.length(p);
      const kernels::Integers path = view.path(p);
      if (size > 0) state_->check_was_reset(e);
      for (std::uint32_t t = 0; t < size; ++t) {
        state_->check_node(e, path.exact(t), state_->tracker.reference_of(e));
      }
    }
  }
  state_->tracker.score_extensions(candidates, view, out);
}

void RewardTracker::values(const RewardArrays& out) const {
  state_->tracker.values(out);
}

void RewardTracker::fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
  if (from.size() != to.size()) {
    throw InputError({{}, {}, "fork"},
                     fmt::format("copies {} episodes to {}", from.size(), to.size()),
                     "give as many of both");
  }
  for (const std::uint32_t e : from) state_->check_episode(e);
  for (const std::uint32_t e : to) state_->check_episode(e);
  state_->tracker.fork(from, to);
}

std::vector<std::byte> RewardTracker::state() const {
  return state_->tracker.state();
}

void RewardTracker::restore(std::span<const std::byte> state) {
  if (state_->tracker.restore(state)) return;
  throw InputError({{}, {}, "state"}, "is not that of such a tracker",
                   "restore it into a tracker of as many episodes of the same rewards");
}

}  // namespace warpath
