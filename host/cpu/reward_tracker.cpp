#include "host/cpu/reward_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "host/cpu/cpu_kernels.hpp"

namespace warpath::cpu {
namespace {

using namespace kernels;

constexpr std::uint32_t no_reference = std::numeric_limits<std::uint32_t>::max();
constexpr float none = std::numeric_limits<float>::quiet_NaN();

PrefixValues<ScalarLanes> values_of(const EpisodeMemory<ScalarLanes>& memory) {
  return memory.values();
}

}  // namespace

RewardTracker::RewardTracker(const Rewarder& rewarder, std::uint32_t episodes,
                             const RewardArrays& wanted)
    : rewarder_(rewarder),
      arguments_(rewarder.arguments_for(wanted)),
      episodes_(episodes),
      lanes_(static_cast<std::size_t>(rewarder.lanes())),
      groups_((episodes + lanes_ - 1) / lanes_),
      rows_(reward_rows(rewarder.tables().max_reference_length())),
      references_(episodes, no_reference),
      memory_(groups_ * block_floats()) {}

RewardTracker::Memory RewardTracker::memory_of(std::uint32_t episode) const {
  const std::size_t g = episode / lanes_;
  return {memory_.data() + g * block_floats() + episode % lanes_, lanes_, rows_, 1};
}

template <class Body>
void RewardTracker::for_groups(const Body& body) const {
  rewarder_.for_blocks(groups_, [&](std::size_t first, std::size_t end) {
    for (std::size_t g = first; g < end; ++g) body(g);
  });
}

void RewardTracker::reset(std::span<const std::uint32_t> episodes,
                          std::span<const std::uint32_t> references,
                          std::span<const std::uint32_t> starts, const float* distance_to_goal) {
  std::vector<std::int32_t> nodes(episodes_);
  std::vector<std::uint8_t> active(episodes_);
  std::vector<float> goals(distance_to_goal != nullptr ? episodes_ : 0), rewards(episodes_);
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    const std::uint32_t e = episodes[k];
    references_[e] = references[k];
    rewards::store_reference(rewarder_.tables(), references[k], memory_of(e));
    nodes[e] = static_cast<std::int32_t>(starts[k]);
    active[e] = 1;
    if (distance_to_goal != nullptr) goals[e] = distance_to_goal[k];
  }
  step(integers(nodes.data()), active.data(), goals.empty() ? nullptr : goals.data(),
       rewards.data());
}

void RewardTracker::step(const Integers& nodes, const std::uint8_t* active,
                         const float* distance_to_goal, float* rewards) {
  for_groups([&](std::size_t g) { step_group(g, nodes, active, distance_to_goal, rewards); });
}

// Lanes behind the last episode, and those of episodes that are not active, take a viewpoint that
// every scan has and change nothing.
void RewardTracker::step_group(std::size_t g, const Integers& nodes, const std::uint8_t* active,
                               const float* distance_to_goal, float* rewards) const {
  std::int32_t node[max_lanes] = {}, live[max_lanes] = {}, size[max_lanes] = {};
  float goal[max_lanes] = {}, reward[max_lanes];
  const std::size_t first = g * lanes_, count = std::min(lanes_, episodes_ - first);
  std::int32_t some = 0;
  for (std::size_t lane = 0; lane < count; ++lane) {
    const std::size_t e = first + lane;
    live[lane] = active == nullptr || active[e] != 0 ? -1 : 0;
    some |= live[lane];
    if (live[lane] == 0) continue;
    node[lane] = static_cast<std::int32_t>(nodes[e]);
    if (distance_to_goal != nullptr) goal[lane] = distance_to_goal[e];
  }
  if (some == 0) {
    std::fill_n(rewards + first, count, 0.0f);
    return;
  }
  const PathColumns columns{size, node, nullptr, distance_to_goal != nullptr ? goal : nullptr};
  rewarder_.kernels().step(arguments_, group(g), columns, live, reward);
  std::copy_n(reward, count, rewards + first);
}

void RewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask,
                           float* rewards) const {
  for_groups([&](std::size_t g) { finish_group(g, stopped, mask, rewards); });
}

void RewardTracker::finish_group(std::size_t g, const std::uint8_t* stopped,
                                 const std::uint8_t* mask, float* rewards) const {
  const std::size_t first = g * lanes_, count = std::min(lanes_, episodes_ - first);
  float reward[max_lanes], goal[max_lanes], ndtw[max_lanes], cls[max_lanes];
  const bool repeats = arguments_.rules.stop_repeats_node;
  if (repeats) {
    // The values of the path with its last viewpoint once more.
    const EpisodeMemory<ScalarLanes> lane0{group(g).first, lanes_, rows_, 1};
    std::int32_t size[max_lanes];
    std::fill_n(size, lanes_, 1);
    std::vector<float> scratch(block_floats());
    const auto* nodes = reinterpret_cast<const std::int32_t*>(lane0.at(episode_node));
    rewarder_.kernels().extend(arguments_, group(g),
                               {size, nodes, nullptr, lane0.at(episode_goal_distance)},
                               scratch.data(), {reward, goal, ndtw, cls});
  }
  for (std::size_t lane = 0; lane < count; ++lane) {
    const std::size_t e = first + lane;
    const bool stops = stopped == nullptr || stopped[e] != 0;
    PrefixValues<ScalarLanes> last = values_of(memory_of(static_cast<std::uint32_t>(e)));
    if (repeats && stops) {
      last.ndtw = ndtw[lane];
      last.cls = cls[lane];
    }
    const bool ends = mask == nullptr || mask[e] != 0;
    rewards[e] = ends ? end_reward<ScalarLanes, reward_all>(last, stops, arguments_.rules) : 0.0f;
  }
}

void RewardTracker::score_extensions(std::uint32_t candidates, const PathsView& paths,
                                     const RewardArrays& out) const {
  for_groups([&](std::size_t g) {
    const std::size_t first = g * lanes_, count = std::min(lanes_, episodes_ - first);
    std::vector<std::int32_t> size(lanes_), nodes;
    std::vector<float> scratch(reward_rows(rows_) > reward_strip ? block_floats() : 0);
    float reward[max_lanes], goal[max_lanes], ndtw[max_lanes], cls[max_lanes];
    const auto write = [&](float* array, const float* column, std::size_t c) {
      if (array == nullptr) return;
      for (std::size_t lane = 0; lane < count; ++lane) {
        const bool has_path =
            paths.length(static_cast<std::uint32_t>((first + lane) * candidates + c)) > 0;
        array[(first + lane) * candidates + c] = has_path ? column[lane] : none;
      }
    };
    for (std::uint32_t c = 0; c < candidates; ++c) {
      std::int32_t longest = 1;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const std::size_t p = (first + std::min(lane, count - 1)) * candidates + c;
        size[lane] = static_cast<std::int32_t>(paths.length(static_cast<std::uint32_t>(p)));
        longest = std::max(longest, size[lane]);
      }
      nodes.assign(static_cast<std::size_t>(longest) * lanes_, 0);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const Integers path =
            paths.path(static_cast<std::uint32_t>((first + lane) * candidates + c));
        for (std::int32_t t = 0; t < size[lane]; ++t) {
          nodes[t * lanes_ + lane] = static_cast<std::int32_t>(path[t]);
        }
      }
      rewarder_.kernels().extend(
          arguments_, group(g), {size.data(), nodes.data(), nullptr, nullptr},
          scratch.empty() ? nullptr : scratch.data(), {reward, goal, ndtw, cls});
      write(out.reward, reward, c);
      write(out.distance_to_goal, goal, c);
      write(out.ndtw, ndtw, c);
      write(out.cls, cls, c);
    }
  });
}

void RewardTracker::values(const RewardArrays& out) const {
  for (std::uint32_t e = 0; e < episodes_; ++e) {
    const PrefixValues<ScalarLanes> values = values_of(memory_of(e));
    if (out.distance_to_goal != nullptr) out.distance_to_goal[e] = values.goal;
    if (out.ndtw != nullptr) out.ndtw[e] = values.ndtw;
    if (out.cls != nullptr) out.cls[e] = values.cls;
  }
}

// All are read before any is written, so that episodes may change places.
void RewardTracker::fork(std::span<const std::uint32_t> from, std::span<const std::uint32_t> to) {
  const auto fields = static_cast<std::size_t>(episode_fields(rows_, 1));
  std::vector<float> copies(from.size() * fields);
  std::vector<std::uint32_t> references(from.size());
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Memory memory = memory_of(from[k]);
    for (std::size_t f = 0; f < fields; ++f) {
      std::memcpy(&copies[k * fields + f], memory.at(static_cast<int>(f)), sizeof(float));
    }
    references[k] = references_[from[k]];
  }
  for (std::size_t k = 0; k < to.size(); ++k) {
    const Memory memory = memory_of(to[k]);
    for (std::size_t f = 0; f < fields; ++f) {
      std::memcpy(memory.at(static_cast<int>(f)), &copies[k * fields + f], sizeof(float));
    }
    references_[to[k]] = references[k];
  }
}

std::vector<std::byte> RewardTracker::state() const {
  const std::span references = std::as_bytes(std::span(references_));
  const std::span memory = std::as_bytes(std::span(std::as_const(memory_)));
  std::vector<std::byte> bytes(references.begin(), references.end());
  bytes.insert(bytes.end(), memory.begin(), memory.end());
  return bytes;
}

bool RewardTracker::restore(std::span<const std::byte> state) {
  const std::span references = std::as_writable_bytes(std::span(references_));
  const std::span memory = std::as_writable_bytes(std::span(memory_));
  if (state.size() != references.size() + memory.size()) return false;
  std::ranges::copy(state.first(references.size()), references.begin());
  std::ranges::copy(state.subspan(references.size()), memory.begin());
  return true;
}

}  // namespace warpath::cpu
