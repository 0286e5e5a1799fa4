#include "host/core/cpu/reward_tracker.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "host/core/batch/typed_integers.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "kernels/rewards/point_episode.hpp"

namespace warpath::cpu {
namespace {

using namespace kernels;

constexpr float none = std::numeric_limits<float>::quiet_NaN();

// A state ends with a hash of what stands before it.
constexpr std::size_t hash_words = 2;

std::uint64_t hash_of(std::span<const std::uint32_t> words) {
  return XXH3_64bits(words.data(), words.size_bytes());
}

}  // namespace

// Holds what the kernel reads of a group's continuations, one per lane, interleaved.
struct RewardTracker::StagedPaths {
  StagedPaths(std::size_t all_lanes, int all_axes, std::size_t scratch_floats)
      : lanes(all_lanes), axes(all_axes), size(lanes), scratch(scratch_floats) {}

  // Makes room for paths of up to that many elements, all of which are 0.
  void clear(std::size_t longest) {
    if (axes == 1) nodes.assign(longest * lanes, 0);
    if (axes == 3) points.assign(longest * 3 * lanes, 0.0f);
    if (axes == 3) goals.assign(longest * lanes, 0.0f);
  }
  PathColumns columns() const {
    return {size.data(), nodes.data(), points.data(), axes == 3 ? goals.data() : nullptr};
  }
  // Reads the lengths of n paths.
  void read_lengths(const PathLayout& layout, std::uint32_t first, std::size_t n) {
    lengths.resize(n);
    if (!layout.lengths.exist()) {
      for (std::uint32_t k = 0; k < n; ++k) lengths[k] = layout.length(first + k);
      return;
    }
    batch::with_type(layout.lengths.from(first), [&](const auto* given) {
      for (std::size_t k = 0; k < n; ++k) lengths[k] = static_cast<std::uint32_t>(given[k]);
    });
  }

  const std::size_t lanes;
  const int axes;
  std::vector<std::uint32_t> lengths;     // [lane][candidate]
  std::vector<std::int32_t> size, nodes;  // [lane], [t][lane]
  std::vector<float> points, goals;       // [t][axis][lane], [t][lane]
  std::vector<float> scratch;
};

RewardTracker::RewardTracker(const Rewarder& rewarder, std::uint32_t episodes,
                             const RewardArrays& wanted)
    : RewardTracker(rewarder, episodes, wanted,
                    reward_rows(rewarder.tables().max_reference_length()), 1) {}

RewardTracker::RewardTracker(const Rewarder& rewarder, std::uint32_t episodes,
                             const RewardArrays& wanted, int max_reference)
    : RewardTracker(rewarder, episodes, wanted, strip_rows(max_reference), 3) {}

RewardTracker::RewardTracker(const Rewarder& rewarder, std::uint32_t episodes,
                             const RewardArrays& wanted, int rows, int axes)
    : rewarder_(rewarder),
      arguments_(rewarder.arguments_for(wanted)),
      measure_(rewards::point_measure(rewarder.tables().settings)),
      episodes_(episodes),
      lanes_(static_cast<std::size_t>(rewarder.lanes())),
      groups_((episodes + lanes_ - 1) / lanes_),
      rows_(rows),
      axes_(axes),
      references_(episodes, no_reference),
      viewpoints_(episodes),
      memory_(groups_ * block_floats()) {}

std::size_t RewardTracker::lanes_in(std::size_t g) const {
  return std::min(lanes_, episodes_ - g * lanes_);
}

RewardTracker::Memory RewardTracker::memory_of(std::size_t episode) const {
  const std::size_t g = episode / lanes_;
  return {memory_.data() + g * block_floats() + episode % lanes_, lanes_, rows_, axes_};
}

template <class Body>
void RewardTracker::for_groups(const Body& body) const {
  rewarder_.for_blocks(groups_, [&](std::size_t first, std::size_t end) {
    for (std::size_t g = first; g < end; ++g) body(g);
  });
}

void RewardTracker::set_reference(std::size_t episode, std::uint32_t reference) {
  references_[episode] = reference;
  const bool has_viewpoints = axes_ == 1 && reference != no_reference;
  viewpoints_[episode] = has_viewpoints ? rewarder_.tables().viewpoints(reference) : 0;
}

void RewardTracker::reset(std::span<const std::uint32_t> episodes,
                          std::span<const std::uint32_t> references,
                          std::span<const std::uint32_t> starts, const float* distance_to_goal,
                          const ReferenceArrays& of_reference) {
  std::vector<std::uint32_t> nodes(episodes_);
  std::vector<std::uint8_t> active(episodes_);
  std::vector<float> goals(distance_to_goal != nullptr ? episodes_ : 0), rewards(episodes_);
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    const std::uint32_t e = episodes[k];
    set_reference(e, references[k]);
    rewards::store_reference(rewarder_.tables(), references[k],
                             of_reference.prefix_of(static_cast<std::uint32_t>(k)), memory_of(e));
    nodes[e] = starts[k];
    active[e] = 1;
    if (distance_to_goal != nullptr) goals[e] = distance_to_goal[k];
  }
  step({.nodes = integers(nodes.data())}, active.data(), goals.empty() ? nullptr : goals.data(),
       rewards.data());
  set_ideal_lengths(episodes, of_reference,
                    [&](std::size_t k) { return rewarder_.tables().lengths[references[k]]; });
}

// Sets SPL's lengths of ideal paths, if rewards need them, of episodes that have begun.
template <class Length>
void RewardTracker::set_ideal_lengths(std::span<const std::uint32_t> episodes,
                                      const ReferenceArrays& of_reference, const Length& length) {
  const RewardRules& rules = arguments_.rules;
  if (rules.final_spl == 0.0f) return;
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    const Memory memory = memory_of(episodes[k]);
    const float given = of_reference.spl_length_of(static_cast<std::uint32_t>(k));
    memory.set(episode_ideal_length,
               ideal_length(given, length(k), memory.real(episode_goal_distance), rules));
  }
}

void RewardTracker::reset(std::span<const std::uint32_t> episodes, const PathArray& references,
                          const float* starts, const float* distance_to_goal,
                          const ReferenceArrays& of_reference) {
  std::vector<float> points(3 * std::size_t{episodes_}), rewards(episodes_);
  std::vector<float> goals(distance_to_goal != nullptr ? episodes_ : 0);
  std::vector<std::uint8_t> active(episodes_);
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    const std::uint32_t e = episodes[k];
    const auto path = static_cast<std::uint32_t>(k);
    set_reference(e, 0);
    store_points<ScalarLanes>(references.points_of(path), static_cast<int>(references.length(path)),
                              of_reference.prefix_of(path), measure_.flat, memory_of(e));
    std::copy_n(starts + 3 * k, 3, &points[3 * std::size_t{e}]);
    active[e] = 1;
    if (distance_to_goal != nullptr) goals[e] = distance_to_goal[k];
  }
  step_points(points.data(), active.data(), goals.empty() ? nullptr : goals.data(), rewards.data());
  set_ideal_lengths(episodes, of_reference, [&](std::size_t k) {
    const auto path = static_cast<std::uint32_t>(k);
    return static_cast<float>(
        length_of(references.points_of(path), references.length(path), measure_.flat));
  });
}

// Lanes behind the last episode, and those of episodes that are not active, take a viewpoint that
// every scan has and change nothing.
template <class Stage>
void RewardTracker::step_group(std::size_t g, const std::uint8_t* active, float* rewards,
                               const Stage& stage) const {
  std::int32_t live[max_lanes] = {};
  float reward[max_lanes];
  const std::size_t first = g * lanes_, count = lanes_in(g);
  std::int32_t some = 0;
  for (std::size_t lane = 0; lane < count; ++lane) {
    live[lane] = active == nullptr || active[first + lane] != 0 ? -1 : 0;
    some |= live[lane];
  }
  if (some == 0) {
    std::fill_n(rewards + first, count, 0.0f);
    return;
  }
  rewarder_.kernels().step(arguments_, group(g), stage(first, count, live), live, reward);
  std::copy_n(reward, count, rewards + first);
}

void RewardTracker::step(const PositionArray& next, const std::uint8_t* active,
                         const float* distance_to_goal, float* rewards) {
  if (axes_ == 3) return step_points(next.points, active, distance_to_goal, rewards);
  batch::with_type(next.nodes, [&](const auto* given) {
    for_groups([&](std::size_t g) {
      std::int32_t node[max_lanes] = {};
      float goal[max_lanes] = {};
      step_group(g, active, rewards,
                 [&](std::size_t first, std::size_t count, const std::int32_t* live) {
                   for (std::size_t lane = 0; lane < count; ++lane) {
                     node[lane] = static_cast<std::int32_t>(given[first + lane]) & live[lane];
                   }
                   if (distance_to_goal != nullptr) {
                     std::copy_n(distance_to_goal + first, count, goal);
                   }
                   return PathColumns{nullptr, node, nullptr,
                                      distance_to_goal != nullptr ? goal : nullptr};
                 });
    });
  });
}

void RewardTracker::step_points(const float* points, const std::uint8_t* active,
                                const float* distance_to_goal, float* rewards) {
  for_groups([&](std::size_t g) {
    float point[3 * max_lanes] = {}, goal[max_lanes] = {};
    step_group(
        g, active, rewards, [&](std::size_t first, std::size_t count, const std::int32_t* live) {
          for (std::size_t lane = 0; lane < count; ++lane) {
            if (live[lane] == 0) continue;
            const std::size_t e = first + lane;
            rewards::stage_point(points + 3 * e, measure_.flat, point + lane, lanes_);
            goal[lane] = distance_to_goal != nullptr ? distance_to_goal[e]
                                                     : point_goal_distance<ScalarLanes>(
                                                           points + 3 * e, memory_of(e), measure_);
          }
          return PathColumns{nullptr, nullptr, point, goal};
        });
  });
}

void RewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask,
                           float* rewards) const {
  for_groups([&](std::size_t g) { finish_group(g, stopped, mask, rewards); });
}

void RewardTracker::finish_group(std::size_t g, const std::uint8_t* stopped,
                                 const std::uint8_t* mask, float* rewards) const {
  const std::size_t first = g * lanes_, count = lanes_in(g);
  float reward[max_lanes], ndtw[max_lanes], cls[max_lanes];
  const bool repeats = arguments_.rules.stop_repeats_node;
  if (repeats) {
    // The values of the path with its last viewpoint once more.
    const Memory lane0 = memory_of(first);
    std::int32_t size[max_lanes];
    std::fill_n(size, lanes_, 1);
    std::vector<float> scratch(block_floats());
    const PathColumns last{size, reinterpret_cast<const std::int32_t*>(lane0.at(episode_node)),
                           lane0.at(episode_node), lane0.at(episode_goal_distance)};
    rewarder_.kernels().extend(arguments_, group(g), last, scratch.data(),
                               {reward, nullptr, ndtw, cls});
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    const std::size_t e = first + lane;
    const bool stops = stopped == nullptr || stopped[e] != 0;
    const Memory memory = memory_of(e);
    PrefixValues<ScalarLanes> last = memory.values();
    if (repeats && stops) {
      last.ndtw = ndtw[lane];
      last.cls = cls[lane];
    }
    const bool ends = mask == nullptr || mask[e] != 0;
    rewards[e] = ends ? end_reward<ScalarLanes, reward_all>(last, stops, memory.spl_lengths(),
                                                            arguments_.rules)
                      : 0.0f;
  }
}

void RewardTracker::score_extensions(std::uint32_t candidates, const PathArray& paths,
                                     const RewardArrays& out) const {
  if (axes_ == 3) return score_point_extensions(candidates, paths, out);
  batch::with_type(paths.nodes, [&](const auto* nodes) {
    extend_groups(candidates, paths.layout, out,
                  [&](StagedPaths& staged, std::size_t lane, std::size_t, std::size_t begin) {
                    const auto size = static_cast<std::size_t>(staged.size[lane]);
                    for (std::size_t t = 0; t < size; ++t) {
                      staged.nodes[t * lanes_ + lane] = static_cast<std::int32_t>(nodes[begin + t]);
                    }
                  });
  });
}

void RewardTracker::score_point_extensions(std::uint32_t candidates, const PathArray& paths,
                                           const RewardArrays& out) const {
  extend_groups(candidates, paths.layout, out,
                [&](StagedPaths& staged, std::size_t lane, std::size_t e, std::size_t begin) {
                  const auto size = static_cast<std::size_t>(staged.size[lane]);
                  for (std::size_t t = 0; t < size; ++t) {
                    const float* point = paths.points + 3 * (begin + t);
                    rewards::stage_point(point, measure_.flat,
                                         &staged.points[t * 3 * lanes_ + lane], lanes_);
                    staged.goals[t * lanes_ + lane] =
                        point_goal_distance<ScalarLanes>(point, memory_of(e), measure_);
                  }
                });
}

template <class Stage>
void RewardTracker::extend_groups(std::uint32_t candidates, const PathLayout& layout,
                                  const RewardArrays& out, const Stage& stage) const {
  rewarder_.for_blocks(groups_, [&](std::size_t first, std::size_t end) {
    StagedPaths staged(lanes_, axes_, rows_ > reward_strip ? block_floats() : 0);
    for (std::size_t g = first; g < end; ++g) {
      extend_group(g, candidates, layout, out, stage, staged);
    }
  });
}

template <class Stage>
void RewardTracker::extend_group(std::size_t g, std::uint32_t candidates, const PathLayout& layout,
                                 const RewardArrays& out, const Stage& stage,
                                 StagedPaths& staged) const {
  const std::size_t first = g * lanes_, count = lanes_in(g);
  const auto first_path = static_cast<std::uint32_t>(first * candidates);
  staged.read_lengths(layout, first_path, count * candidates);
  std::ranges::fill(staged.size, 0);
  float reward[max_lanes], goal[max_lanes], ndtw[max_lanes], cls[max_lanes];
  for (std::uint32_t c = 0; c < candidates; ++c) {
    const auto number = [&](std::size_t lane) {
      return first_path + static_cast<std::uint32_t>(lane) * candidates + c;
    };
    for (std::size_t lane = 0; lane < count; ++lane) {
      staged.size[lane] = static_cast<std::int32_t>(staged.lengths[lane * candidates + c]);
    }
    staged.clear(static_cast<std::size_t>(std::max(1, std::ranges::max(staged.size))));
    for (std::size_t lane = 0; lane < count; ++lane) {
      stage(staged, lane, first + lane, layout.begin(number(lane)));
    }
    rewarder_.kernels().extend(
        arguments_, group(g), staged.columns(), staged.scratch.data(),
        {reward, out.distance_to_goal != nullptr ? goal : nullptr, ndtw, cls});
    const auto write = [&](float* array, const float* column) {
      for (std::size_t lane = 0; lane < count && array != nullptr; ++lane) {
        array[number(lane)] = staged.size[lane] > 0 ? column[lane] : none;
      }
    };
    write(out.reward, reward);
    write(out.distance_to_goal, goal);
    write(out.ndtw, ndtw);
    write(out.cls, cls);
  }
}

// Continuous paths are measured whole.
std::uint32_t RewardTracker::kept_quantities() const {
  return axes_ == 3 ? reward_all : arguments_.quantities & reward_all;
}

bool RewardTracker::keeps(Metric metric) const {
  const unsigned needed = metric == Metric::nDTW ? reward_dtw : reward_cls;
  return (kept_quantities() & needed) == needed;
}

void RewardTracker::values(const RewardArrays& out) const {
  for (std::uint32_t e = 0; e < episodes_; ++e) {
    const PrefixValues<ScalarLanes> values = memory_of(e).values();
    if (out.distance_to_goal != nullptr) out.distance_to_goal[e] = values.goal;
    if (out.ndtw != nullptr) out.ndtw[e] = values.ndtw;
    if (out.cls != nullptr) out.cls[e] = values.cls;
  }
}

std::size_t RewardTracker::fields() const {
  return static_cast<std::size_t>(episode_fields(rows_, axes_));
}

// Copies the fields of an episode, side by side, with its reference in front.
void RewardTracker::save(std::size_t episode, std::uint32_t* to) const {
  to[0] = references_[episode];
  const Memory memory = memory_of(episode);
  for (std::size_t f = 0; f < fields(); ++f) {
    std::memcpy(to + 1 + f, memory.at(static_cast<int>(f)), sizeof(float));
  }
}

void RewardTracker::load(std::size_t episode, const std::uint32_t* from) {
  set_reference(episode, from[0]);
  const Memory memory = memory_of(episode);
  for (std::size_t f = 0; f < fields(); ++f) {
    std::memcpy(memory.at(static_cast<int>(f)), from + 1 + f, sizeof(float));
  }
}

// All are read before any is written, so that episodes may change places.
void RewardTracker::fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
  const std::size_t words = 1 + fields();
  std::vector<std::uint32_t> copies(from.size() * words);
  for (std::size_t k = 0; k < from.size(); ++k) save(from[k], &copies[k * words]);
  for (std::size_t k = 0; k < to.size(); ++k) load(to[k], &copies[k * words]);
}

// The first words say what the rest is; nothing in it depends on the number of lanes.
std::vector<std::byte> RewardTracker::state() const {
  const std::size_t words = 1 + fields();
  std::vector<std::uint32_t> all;
  for (const HeadWord& word : head_of_state()) all.push_back(word.value);
  all.resize(head_words + episodes_ * words);
  for (std::size_t e = 0; e < episodes_; ++e) save(e, &all[head_words + e * words]);
  const std::uint64_t hash = hash_of(all);
  all.push_back(static_cast<std::uint32_t>(hash));
  all.push_back(static_cast<std::uint32_t>(hash >> 32));
  const std::span bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

// Settings are those by which the values of a prefix were computed.
std::array<RewardTracker::HeadWord, RewardTracker::head_words> RewardTracker::head_of_state()
    const {
  constexpr std::uint32_t version = 4;
  const auto word = [](auto value) { return static_cast<std::uint32_t>(value); };
  const RewardSettings& settings = rewarder_.tables().settings;
  const Convention& c = settings.convention;
  return {
      {{version, "is no state of a tracker, or one of another version of it"},
       {word(axes_), "is that of points, or of viewpoints, and the tracker is one of the other"},
       {episodes_, "is that of another number of episodes"},
       {word(rows_), "has room for shorter or longer references"},
       {kept_quantities(), {}},  // may be more than are kept here
       {word(c.distance), "was saved under another distance"},
       {word(settings.goal_distance), "was saved under another goal-distance"},
       {std::bit_cast<std::uint32_t>(static_cast<float>(c.threshold)),
        "was saved under another threshold"},
       {word(c.ndtw_norm), "was saved under another ndtw-norm"},
       {word(c.dtw_norm), "was saved under another dtw-norm"},
       {word(c.cls_zero), "was saved under another cls-zero"},
       {settings.final_spl != 0.0 ? 1 + word(c.spl_length) : 0,
        "was saved under another spl-length, or without final-spl"}}};
}

// What an episode has of its reference must be what it would have here: kernels read tables by it.
bool RewardTracker::can_load(const std::uint32_t* from) const {
  if (axes_ == 3) return true;
  if (from[0] == no_reference) {
    return std::all_of(from + 1, from + 1 + fields(), [](std::uint32_t word) { return word == 0; });
  }
  const rewards::RewardTables& tables = rewarder_.tables();
  if (from[0] >= tables.references.size()) return false;
  std::vector<float> here(fields());
  const Memory memory{here.data(), 1, rows_, axes_};
  const auto code = std::bit_cast<std::int32_t>(from[1 + episode_prefix]);
  if (code == std::numeric_limits<std::int32_t>::min()) return false;
  const LeftOut<ScalarLanes> left_out(code);
  rewards::store_reference(tables, from[0], left_out.count, memory);
  const auto is_same = [&](int field) {
    return std::bit_cast<std::uint32_t>(here[static_cast<std::size_t>(field)]) == from[1 + field];
  };
  for (const int field : {episode_reference_size, episode_base, episode_pitch, episode_goal,
                          episode_reference_length, episode_prefix}) {
    if (!is_same(field)) return false;
  }
  for (int row = 0; row < rows_; ++row) {
    if (!is_same(memory.row_field(row))) return false;
  }
  return from[1 + episode_node] < tables.viewpoints(from[0]);
}

std::string_view RewardTracker::restore(std::span<const std::byte> state) {
  const auto head = head_of_state();
  std::vector<std::uint32_t> all(state.size() / sizeof(std::uint32_t));
  if (all.size() < head.size()) return "is no state of a tracker";
  std::memcpy(all.data(), state.data(), all.size() * sizeof all[0]);
  for (std::size_t k = 0; k < head.size(); ++k) {
    if (head[k].problem.empty()) {
      const std::uint32_t missing = head[k].value & ~all[k];
      if ((missing & reward_dtw) != 0) return "has no nDTW, which the tracker keeps";
      if (missing != 0) return "has no CLS, which the tracker keeps";
    } else if (all[k] != head[k].value) {
      return head[k].problem;
    }
  }
  const std::size_t words = 1 + fields();
  const std::size_t end = head.size() + episodes_ * words;
  if (state.size() != (end + hash_words) * sizeof all[0]) {
    return "has another number of bytes than it had when it was saved";
  }
  if (hash_of(std::span(all).first(end)) != (std::uint64_t{all[end + 1]} << 32 | all[end])) {
    return "is damaged: it is not as it was saved";
  }
  for (std::size_t e = 0; e < episodes_; ++e) {
    if (!can_load(&all[head.size() + e * words])) return "is that of other references or scans";
  }
  for (std::size_t e = 0; e < episodes_; ++e) load(e, &all[head.size() + e * words]);
  return {};
}

}  // namespace warpath::cpu
