#include "host/cpu/reward_tracker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "host/batch/check_ids.hpp"
#include "host/batch/check_views.hpp"
#include "host/scorer/rewards.hpp"
#include "warpath/error.hpp"

namespace warpath {

struct RewardTracker::State {
  // @param max_reference_points 0: the episodes are on graphs
  State(const Rewards::State& of_rewards, std::uint32_t count, const MetricSet& metrics,
        std::uint32_t max_reference_points)
      : rewards(of_rewards), kept_metrics(metrics), max_reference(max_reference_points) {
    begin_anew(count);
  }

  void begin_anew(std::uint32_t episodes) {
    standing = rewards.standing();
    if (max_reference == 0) {
      tracker.emplace(standing->rewarder, episodes, wanted(kept_metrics));
    } else {
      tracker.emplace(standing->rewarder, episodes, wanted(kept_metrics),
                      static_cast<int>(max_reference));
    }
  }
  // Ends all episodes if the rewards have other references than those that they run against.
  // Episodes in continuous space have their own.
  void follow_references() {
    if (max_reference == 0 && rewards.standing() != standing) begin_anew(tracker->episodes());
  }

  const rewards::RewardTables& tables() const { return standing->tables; }

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
    if (tracker->has_points() == points) return;
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
      if (array == nullptr || tracker->keeps(metric)) continue;
      throw InputError({{}, {}, field}, "is not kept by this tracker",
                       "name the metric when it is made");
    }
  }
  // Refuses an episode or a viewpoint that does not exist.
  void check_episode(std::uint32_t episode) const {
    if (episode < tracker->episodes()) return;
    throw InputError({{}, fmt::format("episode {}", episode)},
                     fmt::format("does not exist: there are {}", tracker->episodes()),
                     "number episodes from 0");
  }
  void check_was_reset(std::uint32_t episode) const {
    if (tracker->was_reset(episode)) return;
    throw InputError({{}, fmt::format("episode {}", episode)}, "was not reset",
                     "call reset for it first");
  }
  // Refuses a viewpoint that a scan of so many does not have.
  static void check_node(std::uint32_t episode, std::int64_t node, std::uint32_t viewpoints) {
    if (node >= 0 && node < viewpoints) return;
    throw InputError({{}, fmt::format("episode {}", episode)},
                     fmt::format("names viewpoint {} of {}", node, viewpoints),
                     "number viewpoints from 0, by scan");
  }

  // Calls check(episode) for every active one, which was reset.
  template <class Check>
  void for_active(const std::uint8_t* active, const Check& check) const {
    for (std::uint32_t e = 0; e < tracker->episodes(); ++e) {
      if (active != nullptr && active[e] == 0) continue;
      check_was_reset(e);
      check(e);
    }
  }

  // Tells whether every active episode was reset and can take its node, in one loop without a
  // branch.
  bool can_take(const kernels::Integers& nodes, const std::uint8_t* active) const {
    const std::span<const std::uint32_t> viewpoints = tracker->viewpoints();
    return batch::with_type(nodes, [&]<class T>(const T* node) {
      using Word = batch::Word<T>;
      Word any = 0;
      if (active == nullptr) {
        for (std::size_t e = 0; e < viewpoints.size(); ++e) {
          any |= batch::outside(node[e], viewpoints[e]);
        }
      } else {
        for (std::size_t e = 0; e < viewpoints.size(); ++e) {
          const Word mask = active[e] != 0 ? ~Word{0} : Word{0};
          any |= batch::outside(node[e], viewpoints[e]) & mask;
        }
      }
      return !batch::is_outside(any);
    });
  }

  // Tells whether every path has all `max_length` elements, and lies behind the one before.
  static bool are_gapless(const kernels::PathLayout& layout, std::size_t paths) {
    constexpr std::uint32_t max_signed = 0x7fffffff;
    return !layout.offsets.exist() && layout.pitch == layout.max_length &&
           layout.max_length <= max_signed &&
           batch::are_all(layout.lengths, paths, layout.max_length);
  }
  // Tells whether continuations without gaps have viewpoints that their episodes can take.
  bool can_extend(std::uint32_t candidates, const kernels::PathsView& paths) const {
    const std::size_t size = std::size_t{candidates} * paths.layout.pitch;
    const std::span<const std::uint32_t> viewpoints = tracker->viewpoints();
    for (std::size_t e = 0; e < viewpoints.size(); ++e) {
      if (!batch::are_below(paths.nodes.from(e * size), size, viewpoints[e])) return false;
    }
    return true;
  }

  // Refuses candidates and a layout that cannot be.
  void check_extensions(std::uint32_t candidates, const DeviceLayout& layout) const {
    batch::check_layout(layout, "paths.layout");
    if (std::uint64_t{candidates} * tracker->episodes() <= 0xffffffffu) return;
    throw InputError({{}, {}, "candidates"}, fmt::format("are {}", candidates),
                     "score at most 2^32 continuations at a time");
  }
  // Calls check(episode, path) for every continuation that has an element.
  template <class Check>
  void for_extensions(std::uint32_t candidates, const kernels::PathLayout& layout,
                      const Check& check) const {
    for (std::uint32_t e = 0; e < tracker->episodes(); ++e) {
      for (std::uint32_t p = e * candidates; p < (e + 1) * candidates; ++p) {
        const std::int64_t size = layout.exact_length(p);
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

  const Rewards::State& rewards;
  const MetricSet kept_metrics;
  const std::uint32_t max_reference;  // points
  std::shared_ptr<const Rewards::State::Standing> standing;
  std::optional<cpu::RewardTracker> tracker;
};

RewardTracker::RewardTracker(const Rewards& rewards, std::uint32_t episodes,
                             const MetricSet& metrics) {
  batch::check_count(episodes);
  if (rewards.state_->standing()->tables.references.size() == 0) {
    throw InputError({{}, {}, "rewards"}, "have no references",
                     "make them with references, or use RewardTracker::of_points");
  }
  state_ = std::make_unique<State>(*rewards.state_, episodes, metrics, 0u);
}

RewardTracker::RewardTracker(std::unique_ptr<State> state) : state_(std::move(state)) {}

RewardTracker RewardTracker::of_points(const Rewards& rewards, std::uint32_t episodes,
                                       std::uint32_t max_reference_length,
                                       const MetricSet& metrics) {
  batch::check_count(episodes);
  batch::check_threshold_between_points(rewards.settings().convention);
  constexpr std::uint32_t max_length = 1 << 20;
  if (max_reference_length == 0 || max_reference_length > max_length) {
    throw InputError({{}, {}, "max_reference_length"}, fmt::format("is {}", max_reference_length),
                     fmt::format("give a number from 1 to {}", max_length));
  }
  return RewardTracker(
      std::make_unique<State>(*rewards.state_, episodes, metrics, max_reference_length));
}
RewardTracker::RewardTracker(RewardTracker&&) noexcept = default;
RewardTracker& RewardTracker::operator=(RewardTracker&&) noexcept = default;
RewardTracker::~RewardTracker() = default;

std::uint32_t RewardTracker::episodes() const {
  return state_->tracker->episodes();
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
  state_->follow_references();
  state_->check_kind(false, "reset");
  const auto named = named_or_all(episodes, state_->tracker->episodes());
  if (references.size() != named.size() || (!starts.empty() && starts.size() != named.size())) {
    throw InputError({{}, {}, "reset"},
                     fmt::format("has {} episodes, {} references and {} starts", named.size(),
                                 references.size(), starts.size()),
                     "give a reference, and a start or none at all, for each episode");
  }
  std::vector<std::uint32_t> first(named.size());
  for (std::size_t k = 0; k < named.size(); ++k) {
    state_->check_episode(named[k]);
    if (references[k] >= state_->tables().references.size()) {
      throw InputError({{}, fmt::format("episode {}", named[k])},
                       fmt::format("names reference {} of {}", references[k],
                                   state_->tables().references.size()),
                       "number references from 0");
    }
    first[k] = starts.empty() ? state_->tables().references[references[k]].front() : starts[k];
    State::check_node(named[k], first[k], state_->tables().viewpoints(references[k]));
  }
  state_->tracker->reset(named, references, first, distance_to_goal);
}

void RewardTracker::reset(std::span<const std::uint32_t> episodes, const DevicePoints& references,
                          const float* starts, const float* distance_to_goal) {
  state_->follow_references();
  state_->check_kind(true, "reset");
  const auto named = named_or_all(episodes, state_->tracker->episodes());
  if (!named.empty()) batch::check_given(references.points, "references.points");
  batch::check_layout(references.layout, "references.layout");
  const kernels::PointsView view = batch::view_of(references);
  const std::uint32_t room = std::min(state_->max_reference, view.layout.max_length);
  std::vector<float> first(3 * named.size());
  for (std::size_t k = 0; k < named.size(); ++k) {
    state_->check_episode(named[k]);
    const auto path = static_cast<std::uint32_t>(k);
    scorer::check_reference_length(view.layout, path, room, "episode", named[k]);
    scorer::check_points(view.path(path), view.length(path), "episode", named[k]);
    std::copy_n(starts != nullptr ? starts + 3 * k : view.path(path), 3, &first[3 * k]);
    scorer::check_points(&first[3 * k], 1, "episode", named[k]);
  }
  state_->tracker->reset(named, view, first.data(), distance_to_goal);
}

void RewardTracker::step(DeviceIntegers nodes, const std::uint8_t* active, float* rewards,
                         const float* distance_to_goal) {
  state_->follow_references();
  state_->check_kind(false, "step");
  batch::check_integers(nodes, "nodes");
  if (episodes() > 0) {
    batch::check_given(nodes.data, "nodes");
    batch::check_given(rewards, "rewards");
  }
  const kernels::Integers view = batch::view_of(nodes);
  if (!state_->can_take(view, active)) {
    state_->for_active(active, [&](std::uint32_t e) {
      State::check_node(e, view.exact(e), state_->tracker->viewpoints()[e]);
    });
  }
  state_->tracker->step(view, active, distance_to_goal, rewards);
}

void RewardTracker::step(const float* points, const std::uint8_t* active, float* rewards,
                         const float* distance_to_goal) {
  state_->follow_references();
  state_->check_kind(true, "step");
  if (episodes() > 0) {
    batch::check_given(points, "points");
    batch::check_given(rewards, "rewards");
  }
  state_->for_active(active, [&](std::uint32_t e) {
    scorer::check_points(points + 3 * std::size_t{e}, 1, "episode", e);
  });
  state_->tracker->step(points, active, distance_to_goal, rewards);
}

void RewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask,
                           float* rewards) const {
  state_->follow_references();
  if (episodes() > 0) batch::check_given(rewards, "rewards");
  state_->for_active(mask, [](std::uint32_t) {});
  state_->tracker->finish(stopped, mask, rewards);
}

void RewardTracker::score_extensions(std::uint32_t candidates, const DevicePaths& paths,
                                     const RewardArrays& out) const {
  state_->follow_references();
  state_->check_kind(false, "score_extensions");
  if (candidates == 0) return;
  state_->check_kept(out);
  batch::check_integers(paths.viewpoints, "paths.viewpoints");
  if (episodes() > 0) batch::check_given(paths.viewpoints.data, "paths.viewpoints");
  state_->check_extensions(candidates, paths.layout);
  const kernels::PathsView view = batch::view_of(paths);
  const std::size_t count = std::size_t{candidates} * episodes();
  if (!State::are_gapless(view.layout, count) || !state_->can_extend(candidates, view)) {
    state_->for_extensions(candidates, view.layout, [&](std::uint32_t e, std::uint32_t p) {
      const std::uint32_t size = view.length(p), viewpoints = state_->tracker->viewpoints()[e];
      const kernels::Integers path = view.path(p);
      if (batch::are_below(path, size, viewpoints)) return;
      for (std::uint32_t t = 0; t < size; ++t) State::check_node(e, path.exact(t), viewpoints);
    });
  }
  state_->tracker->score_extensions(candidates, view, out);
}

void RewardTracker::score_extensions(std::uint32_t candidates, const DevicePoints& paths,
                                     const RewardArrays& out) const {
  state_->follow_references();
  state_->check_kind(true, "score_extensions");
  if (candidates == 0) return;
  if (episodes() > 0) batch::check_given(paths.points, "paths.points");
  state_->check_extensions(candidates, paths.layout);
  const kernels::PointsView view = batch::view_of(paths);
  state_->for_extensions(candidates, view.layout, [&](std::uint32_t e, std::uint32_t p) {
    scorer::check_points(view.path(p), view.length(p), "episode", e);
  });
  state_->tracker->score_extensions(candidates, view, out);
}

void RewardTracker::values(const RewardArrays& out) const {
  state_->follow_references();
  state_->check_kept(out);
  state_->tracker->values(out);
}

void RewardTracker::fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
  state_->follow_references();
  if (from.size() != to.size()) {
    throw InputError({{}, {}, "fork"},
                     fmt::format("copies {} episodes to {}", from.size(), to.size()),
                     "give as many of both");
  }
  for (const std::uint32_t e : from) state_->check_episode(e);
  for (const std::uint32_t e : to) state_->check_episode(e);
  state_->tracker->fork(from, to);
}

std::vector<std::byte> RewardTracker::state() const {
  state_->follow_references();
  return state_->tracker->state();
}

void RewardTracker::restore(std::span<const std::byte> state) {
  state_->follow_references();
  const std::string_view problem = state_->tracker->restore(state);
  if (problem.empty()) return;
  throw InputError({{}, {}, "state"}, std::string(problem),
                   "restore it into a tracker of as many episodes of the same rewards and metrics");
}

}  // namespace warpath
