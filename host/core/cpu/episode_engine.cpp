#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "host/core/batch/check_ids.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/cpu/check_host_batch.hpp"
#include "host/core/cpu/reward_engine.hpp"
#include "host/core/cpu/reward_tracker.hpp"
#include "warpath/error.hpp"

namespace warpath::cpu {
namespace {

// Returns arrays that are not null where a metric is wanted.
RewardArrays wanted(const MetricSet& metrics) {
  static float any = 0.0f;
  RewardArrays arrays;
  if (metrics[Metric::nDTW]) arrays.ndtw = &any;
  if (metrics[Metric::CLS]) arrays.cls = &any;
  return arrays;
}

RewardTracker make_tracker(const Rewarder& rewarder, std::uint32_t episodes,
                           const TrackerOptions& options) {
  const auto longest = static_cast<int>(options.max_reference_length);
  if (longest == 0) return {rewarder, episodes, wanted(options.metrics)};
  return {rewarder, episodes, wanted(options.metrics), longest};
}

// Checks what a call is given and passes it on.
class Episodes final : public rewards::EpisodeEngine {
 public:
  Episodes(const rewards::RewardTables& of, const Rewarder& rewarder, std::uint32_t episodes,
           const TrackerOptions& options)
      : tables_(of),
        max_reference_(options.max_reference_length),
        tracker_(make_tracker(rewarder, episodes, options)) {}

  std::uint32_t episodes() const override { return tracker_.episodes(); }
  std::size_t workspace_bytes(std::uint32_t) const override { return 0; }
  void warm_up(CUstream_st*) const override {}
  void reset(const EpisodeStarts& starts, const Call&) override;
  void step(const PositionsView& next, const std::uint8_t* active, float* rewards,
            const float* distance_to_goal, const Call&) override;
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
              const Call&) const override;
  void score_extensions(std::uint32_t candidates, const PathsView& paths, const RewardArrays& out,
                        const Call&) const override;
  void values(const RewardArrays& out, const Call&) const override;
  void fork(std::uint32_t count, Integers from, Integers to, const Call&) override;
  std::vector<std::byte> state() const override { return tracker_.state(); }
  void restore(std::span<const std::byte> state) override;

 private:
  void reset_on_graphs(const EpisodeStarts& starts);
  void reset_points(const EpisodeStarts& starts);

  // Refuses a call for viewpoints of a tracker of points, or the other way round.
  void check_kind(const void* points, const void* viewpoints, const char* call) const {
    batch::check_kind(tracker_.has_points(), points, viewpoints, call);
  }
  // Refuses to return values that are not kept.
  void check_kept(const RewardArrays& out) const {
    for (const auto& [array, metric, field] :
         {std::tuple(out.ndtw, Metric::nDTW, "ndtw"), std::tuple(out.cls, Metric::CLS, "cls")}) {
      if (array == nullptr || tracker_.keeps(metric)) continue;
      throw InputError({{}, {}, field}, "is not kept by this tracker",
                       "name the metric when it is made");
    }
  }
  // Refuses an episode that does not exist.
  void check_episode(std::int64_t episode) const {
    if (episode >= 0 && episode < tracker_.episodes()) return;
    throw InputError({{}, fmt::format("episode {}", episode)},
                     fmt::format("does not exist: there are {}", tracker_.episodes()),
                     "number episodes from 0");
  }
  // Returns `count` episodes, which exist; without numbers, the first ones.
  std::vector<std::uint32_t> existing(Integers numbers, std::uint32_t count,
                                      const char* field) const {
    batch::check_integers(numbers, field);
    const kernels::IntegerArray view = batch::view_of(numbers);
    std::vector<std::uint32_t> episodes(count);
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::int64_t e = view.exist() ? view.exact(k) : std::int64_t{k};
      check_episode(e);
      episodes[k] = static_cast<std::uint32_t>(e);
    }
    return episodes;
  }
  std::vector<std::uint32_t> named(const EpisodeStarts& starts) const {
    return existing(starts.episode, starts.count, "episode");
  }
  void check_was_reset(std::uint32_t episode) const {
    if (tracker_.was_reset(episode)) return;
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
    for (std::uint32_t e = 0; e < tracker_.episodes(); ++e) {
      if (active != nullptr && active[e] == 0) continue;
      check_was_reset(e);
      check(e);
    }
  }

  // Tells whether every active episode was reset and can take its node, in one loop without a
  // branch.
  bool can_take(const kernels::IntegerArray& nodes, const std::uint8_t* active) const {
    const std::span<const std::uint32_t> viewpoints = tracker_.viewpoints();
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
  bool can_extend(std::uint32_t candidates, const kernels::PathArray& paths) const {
    const std::size_t size = std::size_t{candidates} * paths.layout.pitch;
    const std::span<const std::uint32_t> viewpoints = tracker_.viewpoints();
    for (std::size_t e = 0; e < viewpoints.size(); ++e) {
      if (!batch::are_below(paths.nodes.from(e * size), size, viewpoints[e])) return false;
    }
    return true;
  }

  // Refuses candidates and a layout that cannot be.
  void check_extensions(std::uint32_t candidates, const Layout& layout) const {
    batch::check_layout(layout, "paths.layout");
    if (std::uint64_t{candidates} * tracker_.episodes() <= 0xffffffffu) return;
    throw InputError({{}, {}, "candidates"}, fmt::format("are {}", candidates),
                     "score at most 2^32 continuations at a time");
  }
  // Calls check(episode, path) for every continuation that has an element.
  template <class Check>
  void for_extensions(std::uint32_t candidates, const kernels::PathLayout& layout,
                      const Check& check) const {
    for (std::uint32_t e = 0; e < tracker_.episodes(); ++e) {
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

  void check_node_extensions(std::uint32_t candidates, const PathsView& paths,
                             const RewardArrays& out) const {
    check_kept(out);
    batch::check_integers(paths.viewpoints, "paths.viewpoints");
    if (tracker_.episodes() > 0) batch::check_given(paths.viewpoints.data, "paths.viewpoints");
    check_extensions(candidates, paths.layout);
    const kernels::PathArray view = batch::view_of(paths);
    const std::size_t count = std::size_t{candidates} * tracker_.episodes();
    if (are_gapless(view.layout, count) && can_extend(candidates, view)) return;
    for_extensions(candidates, view.layout, [&](std::uint32_t e, std::uint32_t p) {
      const std::uint32_t size = view.length(p), viewpoints = tracker_.viewpoints()[e];
      const kernels::IntegerArray path = view.path(p);
      if (batch::are_below(path, size, viewpoints)) return;
      for (std::uint32_t t = 0; t < size; ++t) check_node(e, path.exact(t), viewpoints);
    });
  }
  void check_point_extensions(std::uint32_t candidates, const PathsView& paths) const {
    if (tracker_.episodes() > 0) batch::check_given(paths.points, "paths.points");
    check_extensions(candidates, paths.layout);
    const kernels::PathArray view = batch::view_of(paths);
    for_extensions(candidates, view.layout, [&](std::uint32_t e, std::uint32_t p) {
      check_coordinates(view.points_of(p), view.length(p), "episode", e);
    });
  }

  const rewards::RewardTables& tables_;
  const std::uint32_t max_reference_;  // points
  RewardTracker tracker_;
};

void Episodes::reset_on_graphs(const EpisodeStarts& starts) {
  batch::check_integers(starts.reference, "reference");
  batch::check_integers(starts.start.viewpoints, "start");
  if (starts.count > 0) batch::check_given(starts.reference.data, "reference");
  const std::vector<std::uint32_t> episodes = named(starts);
  const kernels::IntegerArray reference_of = batch::view_of(starts.reference),
                              given = batch::view_of(starts.start.viewpoints);
  std::vector<std::uint32_t> references(episodes.size()), first(episodes.size());
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    const std::int64_t r = reference_of.exact(k);
    const auto known = static_cast<std::int64_t>(tables_.references.size());
    if (r < 0 || r >= known) {
      throw InputError({{}, fmt::format("episode {}", episodes[k])},
                       fmt::format("names reference {} of {}", r, known),
                       "number references from 0");
    }
    references[k] = static_cast<std::uint32_t>(r);
    const std::int64_t node =
        given.exist() ? given.exact(k) : std::int64_t{tables_.references[references[k]].front()};
    check_node(episodes[k], node, tables_.viewpoints(references[k]));
    first[k] = static_cast<std::uint32_t>(node);
  }
  tracker_.reset(episodes, references, first, starts.distance_to_goal,
                 batch::view_of(starts.prefix, starts.spl_length));
}

void Episodes::reset_points(const EpisodeStarts& starts) {
  if (starts.count > 0) batch::check_given(starts.references.points, "references.points");
  batch::check_layout(starts.references.layout, "references.layout");
  const std::vector<std::uint32_t> episodes = named(starts);
  const kernels::PathArray view = batch::view_of(starts.references);
  const std::uint32_t room = std::min(max_reference_, view.layout.max_length);
  const float* const given = starts.start.points;
  std::vector<float> first(3 * episodes.size());
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    const auto path = static_cast<std::uint32_t>(k);
    check_reference_length(view.layout, path, room, "episode", episodes[k]);
    check_coordinates(view.points_of(path), view.length(path), "episode", episodes[k]);
    std::copy_n(given != nullptr ? given + 3 * k : view.points_of(path), 3, &first[3 * k]);
    check_coordinates(&first[3 * k], 1, "episode", episodes[k]);
  }
  tracker_.reset(episodes, view, first.data(), starts.distance_to_goal,
                 batch::view_of(starts.prefix, starts.spl_length));
}

void Episodes::reset(const EpisodeStarts& starts, const Call&) {
  check_kind(starts.references.points, starts.reference.data, "reset");
  batch::check_prefix(starts.prefix, tables_.settings);
  batch::check_numbers(batch::view_of(starts.prefix, starts.spl_length), starts.count);
  if (tracker_.has_points())
    reset_points(starts);
  else
    reset_on_graphs(starts);
}

void Episodes::step(const PositionsView& next, const std::uint8_t* active, float* rewards,
                    const float* distance_to_goal, const Call&) {
  check_kind(next.points, next.viewpoints.data, "step");
  const bool points = tracker_.has_points();
  batch::check_integers(next.viewpoints, "nodes");
  if (episodes() > 0) {
    if (points)
      batch::check_given(next.points, "points");
    else
      batch::check_given(next.viewpoints.data, "nodes");
    batch::check_given(rewards, "rewards");
  }
  const kernels::PositionArray view = batch::view_of(next);
  if (points) {
    for_active(active, [&](std::uint32_t e) {
      check_coordinates(next.points + 3 * std::size_t{e}, 1, "episode", e);
    });
  } else if (!can_take(view.nodes, active)) {
    for_active(active, [&](std::uint32_t e) {
      check_node(e, view.nodes.exact(e), tracker_.viewpoints()[e]);
    });
  }
  tracker_.step(view, active, distance_to_goal, rewards);
}

void Episodes::finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
                      const Call&) const {
  if (episodes() > 0) batch::check_given(rewards, "rewards");
  for_active(mask, [](std::uint32_t) {});
  tracker_.finish(stopped, mask, rewards);
}

void Episodes::score_extensions(std::uint32_t candidates, const PathsView& paths,
                                const RewardArrays& out, const Call&) const {
  check_kind(paths.points, paths.viewpoints.data, "score_extensions");
  if (candidates == 0) return;
  if (tracker_.has_points())
    check_point_extensions(candidates, paths);
  else
    check_node_extensions(candidates, paths, out);
  tracker_.score_extensions(candidates, batch::view_of(paths), out);
}

void Episodes::values(const RewardArrays& out, const Call&) const {
  check_kept(out);
  tracker_.values(out);
}

void Episodes::fork(std::uint32_t count, Integers from, Integers to, const Call&) {
  if (count > 0) {
    batch::check_given(from.data, "from");
    batch::check_given(to.data, "to");
  }
  tracker_.fork(existing(from, count, "from"), existing(to, count, "to"));
}

void Episodes::restore(std::span<const std::byte> state) {
  const std::string_view problem = tracker_.restore(state);
  if (problem.empty()) return;
  throw InputError({{}, {}, "state"}, std::string(problem),
                   "restore it into a tracker of as many episodes of the same rewards and metrics");
}

}  // namespace

std::unique_ptr<rewards::EpisodeEngine> make_episode_engine(const rewards::RewardTables& tables,
                                                            const Rewarder& rewarder,
                                                            std::uint32_t episodes,
                                                            const TrackerOptions& options) {
  return std::make_unique<Episodes>(tables, rewarder, episodes, options);
}

}  // namespace warpath::cpu
