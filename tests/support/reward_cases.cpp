#include "tests/support/reward_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/pair_cases.hpp"
#include "warpath/distances.hpp"

namespace warpath::testing {
namespace {

enum class Lengths { anywhere, tenths, units };

// Tenths add up to lengths that differ in the last bit by the order of the terms.
Scan reward_scan(std::mt19937_64& random, Lengths lengths, std::size_t size, bool in_parts) {
  const std::size_t second_part = in_parts ? size - size / 5 : size;
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  std::vector<Edge> edges;
  const auto metres = [&] { return 9.0 * static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto connect = [&](std::size_t a, std::size_t b) {
    for (const Edge& edge : edges) {
      if (edge.from == a && edge.to == b) return;
    }
    Edge edge{static_cast<Node>(a), static_cast<Node>(b), {}};
    if (lengths == Lengths::tenths) edge.weight = 0.1 * static_cast<double>(1 + below(random, 20));
    if (lengths == Lengths::units) edge.weight = 1.0;
    edges.push_back(edge);
  };
  for (std::size_t n = 0; n < size; ++n) {
    const std::size_t first = n < second_part ? 0 : second_part;
    names.push_back(std::to_string(n));
    positions.push_back({metres(), metres(), metres() / 4});
    if (n == first) continue;
    const std::size_t other = first + below(random, n - first);
    if (below(random, 15) == 0) positions[n] = positions[other];
    connect(other, n);
    connect(first + below(random, n - first), n);
  }
  return Scan("scan", std::move(names), std::move(positions), edges);
}

Rollout random_rollout(std::mt19937_64& random, const RewardWorld& world, std::uint32_t reference,
                       std::size_t max_query) {
  const Scan& scan = world.scan(reference);
  const auto r = world.references[reference];
  Rollout rollout{.reference = reference, .nodes = {}};
  const std::size_t size = below(random, 8) == 0 ? 1 : 1 + below(random, max_query);
  const std::size_t same = below(random, std::min(size, r.size()) + 1);
  rollout.nodes.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(same));
  if (same == 0) {
    const bool at_goal = below(random, 2) == 0;
    rollout.nodes = {at_goal ? r.back() : static_cast<Node>(below(random, scan.size()))};
  }
  const std::size_t jump = below(random, 3) == 0 ? 12 : 0;
  const auto more =
      reward_walk(random, scan, rollout.nodes.back(), size - rollout.nodes.size() + 1, jump);
  rollout.nodes.insert(rollout.nodes.end(), more.begin() + 1, more.end());
  rollout.stopped = below(random, 3) != 0;
  rollout.active = below(random, 9) != 0;
  return rollout;
}

// A simulator's distances: some equal, some at the radius, infinite or no number.
std::vector<float> given_goals(std::mt19937_64& random, std::size_t size) {
  std::vector<float> goal(size);
  for (std::size_t t = 0; t < size; ++t) {
    constexpr float often[] = {3.0f, 0.0f, 1.0f, std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()};
    goal[t] = static_cast<float>(random() >> 40) * 0x1p-21f;
    if (below(random, 4) == 0) goal[t] = often[below(random, std::size(often))];
    if (t > 0 && below(random, 5) == 0) goal[t] = goal[t - 1];
  }
  return goal;
}

}  // namespace

std::vector<Node> RewardWorld::goal(std::uint32_t reference, bool in_sets) const {
  if (!in_sets) return {references[reference].back()};
  return {goals[reference].begin(), goals[reference].end()};
}

std::vector<Node> reward_walk(std::mt19937_64& random, const Scan& scan, Node start,
                              std::size_t nodes, std::size_t jump) {
  std::vector<Node> path{start};
  while (path.size() < nodes) {
    const auto next = scan.neighbours(path.back());
    const bool jumps = jump != 0 && below(random, jump) == 0;
    if (jumps)
      path.push_back(static_cast<Node>(below(random, scan.size())));
    else
      path.push_back(next.empty() || below(random, 7) == 0 ? path.back()
                                                           : next[below(random, next.size())]);
  }
  return path;
}

RewardWorld make_reward_world(std::uint64_t seed, const RewardWorldSize& size) {
  std::mt19937_64 random(seed);
  RewardWorld world;
  for (int s = 0; s < 6; ++s) {
    const auto lengths = static_cast<Lengths>(s % 3);
    const std::size_t viewpoints = s == 5 ? 1 : 8 + below(random, 40);
    world.scans.push_back(reward_scan(random, lengths, viewpoints, size.in_parts && s > 2));
    if (size.directed) world.scans.back() = make_directed(world.scans.back(), random);
  }
  for (const Scan& scan : world.scans) world.scan_list.push_back(&scan);
  for (std::size_t r = 0; r < size.references; ++r) {
    const auto s = static_cast<std::uint32_t>(below(random, world.scans.size()));
    const Scan& scan = world.scans[s];
    const auto any = [&] { return static_cast<Node>(below(random, scan.size())); };
    // Most references are as long as those of R2R.
    const std::size_t longest = below(random, 3) == 0 ? size.max_reference : 7;
    const std::size_t n = 1 + below(random, std::min(longest, size.max_reference));
    for (const Node node : reward_walk(random, scan, any(), n, below(random, 5) == 0 ? 9 : 0))
      world.references.elements.push_back(node);
    world.references.end_path();
    for (std::size_t g = 0; g <= below(random, 4); ++g) world.goals.elements.push_back(any());
    world.goals.end_path();
    world.scan_of.push_back(s);
  }
  for (std::size_t k = 0; k < size.rollouts; ++k) {
    const auto reference = static_cast<std::uint32_t>(below(random, size.references));
    world.rollouts.push_back(random_rollout(random, world, reference, size.max_query));
    world.rollouts.back().goal = given_goals(random, world.rollouts.back().nodes.size());
  }
  return world;
}

std::string RolloutForm::name() const {
  return "ids of " + std::to_string(id_bytes) + " bytes, " + (in_rows ? "rows" : "offsets") +
         " of " + std::to_string(length_bytes) + (has_both ? ", both" : "");
}

HostRollouts::Numbers HostRollouts::numbers(const std::vector<std::int64_t>& values,
                                            std::uint8_t width) {
  Numbers made{std::vector<std::uint8_t>(values.size() * width), width};
  for (std::size_t k = 0; k < values.size(); ++k) {
    std::memcpy(made.bytes.data() + k * width, &values[k], width);  // the lowest bytes
  }
  return made;
}

HostRollouts::HostRollouts(const std::vector<Rollout>& rollouts, const RolloutForm& form,
                           bool gives_goals) {
  std::size_t longest = 1;
  for (const Rollout& rollout : rollouts) longest = std::max(longest, rollout.nodes.size());
  const std::size_t pitch = longest + 2;
  std::vector<std::int64_t> nodes, lengths, offsets, reference;
  for (const Rollout& rollout : rollouts) {
    begin_.push_back(nodes.size());
    offsets.push_back(static_cast<std::int64_t>(nodes.size()));
    lengths.push_back(static_cast<std::int64_t>(rollout.nodes.size()));
    nodes.insert(nodes.end(), rollout.nodes.begin(), rollout.nodes.end());
    goal_.insert(goal_.end(), rollout.goal.begin(), rollout.goal.end());
    if (form.in_rows) nodes.resize(begin_.back() + pitch, -1);
    goal_.resize(nodes.size(), RewardResults::untouched);
    reference.push_back(rollout.reference);
    active_.push_back(rollout.active);
    stopped_.push_back(rollout.stopped);
  }
  offsets.push_back(static_cast<std::int64_t>(nodes.size()));
  size_ = nodes.size();
  nodes_ = numbers(nodes, form.id_bytes);
  lengths_ = numbers(lengths, form.length_bytes);
  offsets_ = numbers(offsets, form.length_bytes);
  reference_ = numbers(reference, form.length_bytes);
  Layout layout{.pitch = form.in_rows ? static_cast<std::uint32_t>(pitch) : 0,
                .max_length = static_cast<std::uint32_t>(longest)};
  if (form.in_rows || form.has_both) layout.lengths = lengths_;
  if (!form.in_rows) layout.offsets = offsets_;
  batch_ = {.count = static_cast<std::uint32_t>(rollouts.size()),
            .queries = {nodes_, layout},
            .reference = reference_,
            .active = active_.data(),
            .stopped = stopped_.data(),
            .distance_to_goal = gives_goals ? goal_.data() : nullptr};
}

}  // namespace warpath::testing
