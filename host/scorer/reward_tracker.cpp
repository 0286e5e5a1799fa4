#include "host/cpu/reward_tracker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "host/batch/check_views.hpp"
#include "host/scorer/rewards.hpp"
#include "warpath/error.hpp"

namespace warpath {

struct RewardTracker::State {
  State(const Rewards::State& rewards, std::uint32_t episodes, const MetricSet& metrics)
      : tables(rewards.tables), tracker(rewards.rewarder, episodes, wanted(metrics)) {}
  State(const Rewards::State& rewards, std::uint32_t episodes, const MetricSet& metrics,
        int max_reference)
      : tables(rewards.tables),
        tracker(rewards.rewarder, episodes, wanted(metrics), max_reference) {}

  // Returns arrays that are not null where a metric is wanted.
  static RewardArrays wanted(const MetricSet& metrics) {
    static float any = 0.0f;
    RewardArrays arrays;
    if (metrics[Metric::nDTW]) arrays.ndtw = &any;
    if (metrics[Metric::CLS]) arrays.cls = &any;
    return arrays;
  }

  // Refuses a call for viewpoints of a tracker of points, or the other way round.
  void check_kind(bool points, const char* call) const {
    if (tracker.has_points() == points) return;
    throw InputError(
        {{}, {}, call},
        fmt::format("is given {}, and the tracker is one of {}", points ? "points" : "viewpoints",
                    points ? "viewpoints" : "points"),
        "RewardTracker::of_points makes one of points");
  }
  // Refuses to return values that are not kept.
  void check_kept(const RewardArrays& out) const {
    for (const auto& [array, metric, field] :
         {std::tuple(out.ndtw, Metric::nDTW, "ndtw"), std::tuple(out.cls, Metric::CLS, "cls")}) {
      if (array == nullptr || tracker.keeps(metric)) continue;
      throw InputError({{}, {}, field}, "is not kept by this tracker",
                       "name the metric when it is made");
    }
  }
  // Refuses an episode or a viewpoint that does not exist.
  void check_episode(std::uint32_t episode) const {
    if (episode < tracker.episodes()) return;
    throw InputError({{}, fmt::format("episode {}", episode)},
                     fmt::format("does not exist: there are {}", tracker.episodes()),
                     "number episodes from 0");
  }
  void check_was_reset(std::uint32_t episode) const {
    if (tracker.was_reset(episode)) return;
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

  // Calls check(episode, path) for every continuation that has a viewpoint.
  template <class Check>
  void for_extensions(std::uint32_t candidates, const DeviceLayout& layout,
                      const Check& check) const {
    batch::check_layout(layout, "paths.layout");
    if (std::uint64_t{candidates} * tracker.episodes() > 0xffffffffu) {
      throw InputError({{}, {}, "candidates"}, fmt::format("are {}", candidates),
                       "score at most 2^32 continuations at a time");
    }
    const kernels::PathLayout view = batch::view_of(layout);
    for (std::uint32_t e = 0; e < tracker.episodes(); ++e) {
      for (std::uint32_t p = e * candidates; p < (e + 1) * candidates; ++p) {
        const std::int64_t size = view.exact_length(p);
        if (size < 0 || size > layout.max_length) {
          throw InputError({{}, fmt::format("episode {}", e)},
                           fmt::format("has a continuation of length {}", size),
                           "give lengths from 0 to max_length");
        }
        if (size == 0) continue;
        check_was_reset(e);
        check(e, p);
      }
    }
  }

  const rewards::RewardTables& tables;
  cpu::RewardTracker tracker;
};

RewardTracker::RewardTracker(const Rewards& rewards, std::uint32_t episodes,
                             const MetricSet& metrics) {
  batch::check_count(episodes);
  if (rewards.state_->tables.references.size() == 0) {
    throw InputError({{}, {}, "rewards"}, "have no references",
                     "make them with references, or use RewardTracker::of_points");
  }
  state_ = std::make_unique<State>(*rewards.state_, episodes, metrics);
}

RewardTracker::RewardTracker(std::unique_ptr<State> state) : state_(std::move(state)) {}

RewardTracker RewardTracker::of_points(const Rewards& rewards, std::uint32_t episodes,
                                       std::uint32_t max_reference_length,
                                       const MetricSet& metrics) {
  batch::check_count(episodes);
  constexpr std::uint32_t max_length = 1 << 20;
  if (max_reference_length == 0 || max_reference_length > max_length) {
    throw InputError({{}, {}, "max_reference_length"}, fmt::format("is {}", max_reference_length),
                     fmt::format("give a number from 1 to {}", max_length));
  }
  return RewardTracker(std::make_unique<State>(*rewards.state_, episodes, metrics,
                                               static_cast<int>(max_reference_length)));
}
RewardTracker::RewardTracker(RewardTracker&&) noexcept = default;
RewardTracker& RewardTracker::operator=(RewardTracker&&) noexcept = default;
RewardTracker::~RewardTracker() = default;

std::uint32_t RewardTracker::episodes() const {
  return state_->tracker.episodes();
}

namespace {

// Returns the episodes, or all if none are named.
std::vector<std::uint32_t> named_or_all(std::span<const std::uint32_t> episodes,
                                        std::uint32_t count) {
  if (!episodes.empty()) return {episodes.begin(), episodes.end()};
  std::vector<std::uint32_t> all(count);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

void RewardTracker::reset(std::span<const std::uint32_t> episodes,
                          std::span<const std::uint32_t> references,
                          std::span<const std::uint32_t> starts, const float* distance_to_goal) {
  state_->check_kind(false, "reset");
  const auto named = named_or_all(episodes, state_->tracker.episodes());
  if (references.size() != named.size() || (!starts.empty() && starts.size() != named.size())) {
    throw InputError({{}, {}, "reset"},
                     fmt::format("has {} episodes, {} references and {} starts", named.size(),
                                 references.size(), starts.size()),
                     "give a reference, and a start or none at all, for each episode");
  }
  std::vector<std::uint32_t> first(named.size());
  for (std::size_t k = 0; k < named.size(); ++k) {
    state_->check_episode(named[k]);
    if (references[k] >= state_->tables.references.size()) {
      throw InputError(
          {{}, fmt::format("episode {}", named[k])},
          fmt::format("names reference {} of {}", references[k], state_->tables.references.size()),
          "number references from 0");
    }
    first[k] = starts.empty() ? state_->tables.references[references[k]].front() : starts[k];
    state_->check_node(named[k], first[k], references[k]);
  }
  state_->tracker.reset(named, references, first, distance_to_goal);
}

void RewardTracker::reset(std::span<const std::uint32_t> episodes, const DevicePoints& references,
                          const float* starts, const float* distance_to_goal) {
  state_->check_kind(true, "reset");
  batch::check_layout(references.layout, "references.layout");
  const kernels::PointsView view = batch::view_of(references);
  const auto named = named_or_all(episodes, state_->tracker.episodes());
  const auto room = static_cast<std::int64_t>(state_->tracker.max_reference());
  std::vector<float> first(3 * named.size());
  for (std::size_t k = 0; k < named.size(); ++k) {
    state_->check_episode(named[k]);
    const std::string item = fmt::format("episode {}", named[k]);
    const auto path = static_cast<std::uint32_t>(k);
    const std::int64_t n = view.layout.exact_length(path);
    if (n < 1 || n > std::min<std::int64_t>(room, view.layout.max_length)) {
      throw InputError({{}, item}, fmt::format("has a reference of {} points", n),
                       "give from 1 to max_reference_length");
    }
    scorer::check_points(view.path(path), static_cast<std::size_t>(n), item);
    std::copy_n(starts != nullptr ? starts + 3 * k : view.path(path), 3, &first[3 * k]);
    scorer::check_points(&first[3 * k], 1, item);
  }
  state_->tracker.reset(named, view, first.data(), distance_to_goal);
}

void RewardTracker::step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards,
                         const float* distance_to_goal) {
  state_->check_kind(false, "step");
  batch::check_integers(nodes, "nodes");
  if (episodes() > 0) {
    batch::check_given(nodes.data, "nodes");
    batch::check_given(rewards, "rewards");
  }
  const kernels::Integers view = batch::view_of(nodes);
  for (std::uint32_t e = 0; e < state_->tracker.episodes(); ++e) {
    if (active != nullptr && active[e] == 0) continue;
    state_->check_was_reset(e);
    state_->check_node(e, view.exact(e), state_->tracker.reference_of(e));
  }
  state_->tracker.step(view, active, distance_to_goal, rewards);
}

void RewardTracker::step(const float* points, const std::uint8_t* active, float* rewards,
                         const float* distance_to_goal) {
  state_->check_kind(true, "step");
  if (episodes() > 0) {
    batch::check_given(points, "points");
    batch::check_given(rewards, "rewards");
  }
  for (std::uint32_t e = 0; e < state_->tracker.episodes(); ++e) {
    if (active != nullptr && active[e] == 0) continue;
    state_->check_was_reset(e);
    scorer::check_points(points + 3 * std::size_t{e}, 1, fmt::format("episode {}", e));
  }
  state_->tracker.step(points, active, distance_to_goal, rewards);
}

void RewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask,
                           float* rewards) const {
  if (episodes() > 0) batch::check_given(rewards, "rewards");
  for (std::uint32_t e = 0; e < state_->tracker.episodes(); ++e) {
    if (mask == nullptr || mask[e] != 0) state_->check_was_reset(e);
  }
  state_->tracker.finish(stopped, mask, rewards);
}

void RewardTracker::score_extensions(std::uint32_t candidates, const DevicePaths& paths,
                                     const RewardArrays& out) const {
  state_->check_kind(false, "score_extensions");
  if (candidates == 0) return;
  state_->check_kept(out);
  batch::check_integers(paths.viewpoints, "paths.viewpoints");
  if (episodes() > 0) batch::check_given(paths.viewpoints.data, "paths.viewpoints");
  const kernels::PathsView view = batch::view_of(paths);
  state_->for_extensions(candidates, paths.layout, [&](std::uint32_t e, std::uint32_t p) {
    const kernels::Integers path = view.path(p);
    for (std::uint32_t t = 0; t < view.length(p); ++t) {
      state_->check_node(e, path.exact(t), state_->tracker.reference_of(e));
    }
  });
  state_->tracker.score_extensions(candidates, view, out);
}

void RewardTracker::score_extensions(std::uint32_t candidates, const DevicePoints& paths,
                                     const RewardArrays& out) const {
  state_->check_kind(true, "score_extensions");
  if (candidates == 0) return;
  const kernels::PointsView view = batch::view_of(paths);
  state_->for_extensions(candidates, paths.layout, [&](std::uint32_t e, std::uint32_t p) {
    scorer::check_points(view.path(p), view.length(p), fmt::format("episode {}", e));
  });
  state_->tracker.score_extensions(candidates, view, out);
}

void RewardTracker::values(const RewardArrays& out) const {
  state_->check_kept(out);
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
