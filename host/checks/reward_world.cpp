#include "host/checks/reward_world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "host/checks/scans.hpp"
#include "warpath/distances.hpp"

namespace warpath::checks {
namespace {

enum class Lengths { anywhere, tenths, units };

// Tenths add up to lengths that differ in the last bit by the order of the terms.
Scan reward_scan(Random& random, Lengths lengths, std::size_t size, bool in_parts) {
  const std::size_t second_part = in_parts ? size - size / 5 : size;
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  std::vector<Edge> edges;
  const auto metres = [&] { return 9.0 * random.unit(); };
  const auto connect = [&](std::size_t a, std::size_t b) {
    for (const Edge& edge : edges) {
      if (edge.from == a && edge.to == b) return;
    }
    Edge edge{static_cast<Node>(a), static_cast<Node>(b), {}};
    if (lengths == Lengths::tenths) edge.weight = 0.1 * static_cast<double>(1 + random.below(20));
    if (lengths == Lengths::units) edge.weight = 1.0;
    edges.push_back(edge);
  };
  for (std::size_t n = 0; n < size; ++n) {
    const std::size_t first = n < second_part ? 0 : second_part;
    names.push_back(std::to_string(n));
    positions.push_back({metres(), metres(), metres() / 4});
    if (n == first) continue;
    const std::size_t other = first + random.below(n - first);
    if (random.below(15) == 0) positions[n] = positions[other];
    connect(other, n);
    connect(first + random.below(n - first), n);
  }
  return Scan("scan", std::move(names), std::move(positions), edges);
}

Rollout random_rollout(Random& random, const RewardWorld& world, std::uint32_t reference,
                       std::size_t max_query) {
  const Scan& scan = world.scan(reference);
  const auto r = world.references[reference];
  Rollout rollout{.reference = reference, .nodes = {}};
  const std::size_t size = random.below(8) == 0 ? 1 : 1 + random.below(max_query);
  const std::size_t same = random.below(std::min(size, r.size()) + 1);
  rollout.nodes.assign(r.begin(), r.begin() + static_cast<std::ptrdiff_t>(same));
  if (same == 0) {
    const bool at_goal = random.below(2) == 0;
    rollout.nodes = {at_goal ? r.back() : static_cast<Node>(random.below(scan.size()))};
  }
  const double jump = random.below(3) == 0 ? 1.0 / 12 : 0.0;
  const auto more = walk(random, scan, rollout.nodes.back(), size - rollout.nodes.size() + 1,
                         {.stay = 1.0 / 7, .jump = jump});
  rollout.nodes.insert(rollout.nodes.end(), more.begin() + 1, more.end());
  rollout.stopped = random.below(3) != 0;
  rollout.active = random.below(9) != 0;
  return rollout;
}

// A simulator's distances: some equal, some at the radius, infinite or no number.
std::vector<float> given_goals(Random& random, std::size_t size) {
  std::vector<float> goal(size);
  for (std::size_t t = 0; t < size; ++t) {
    constexpr float often[] = {3.0f, 0.0f, 1.0f, std::numeric_limits<float>::infinity(),
                               std::numeric_limits<float>::quiet_NaN()};
    goal[t] = static_cast<float>(8.0 * random.unit());
    if (random.below(4) == 0) goal[t] = often[random.below(std::size(often))];
    if (t > 0 && random.below(5) == 0) goal[t] = goal[t - 1];
  }
  return goal;
}

}  // namespace

std::vector<Node> RewardWorld::goal(std::uint32_t reference, bool in_sets) const {
  if (!in_sets) return {references[reference].back()};
  return {goals[reference].begin(), goals[reference].end()};
}

RewardWorld make_reward_world(std::uint64_t seed, const RewardWorldSize& size) {
  Random random(seed);
  RewardWorld world;
  for (int s = 0; s < 6; ++s) {
    const auto lengths = static_cast<Lengths>(s % 3);
    const std::size_t viewpoints = s == 5 ? 1 : 8 + random.below(size.max_viewpoints - 7);
    world.scans.push_back(reward_scan(random, lengths, viewpoints, size.in_parts && s > 2));
    if (size.directed) world.scans.back() = make_directed(random, world.scans.back());
  }
  for (const Scan& scan : world.scans) world.scan_list.push_back(&scan);
  for (std::size_t r = 0; r < size.references; ++r) {
    const auto s = static_cast<std::uint32_t>(random.below(world.scans.size()));
    const Scan& scan = world.scans[s];
    const auto any = [&] { return static_cast<Node>(random.below(scan.size())); };
    // Most references are as long as those of R2R.
    const std::size_t longest = random.below(3) == 0 ? size.max_reference : 7;
    const std::size_t n = 1 + random.below(std::min(longest, size.max_reference));
    const double jump = random.below(5) == 0 ? 1.0 / 9 : 0.0;
    add_path(world.references, walk(random, scan, any(), n, {.stay = 1.0 / 7, .jump = jump}));
    for (std::size_t g = 0; g <= random.below(4); ++g) world.goals.elements.push_back(any());
    world.goals.end_path();
    world.scan_of.push_back(s);
  }
  for (std::size_t k = 0; k < size.rollouts; ++k) {
    const auto reference = static_cast<std::uint32_t>(random.below(size.references));
    world.rollouts.push_back(random_rollout(random, world, reference, size.max_query));
    world.rollouts.back().goal = given_goals(random, world.rollouts.back().nodes.size());
  }
  return world;
}

HostRollouts::HostRollouts(const std::vector<Rollout>& rollouts, const Form& form,
                           bool gives_goals) {
  std::vector<std::int64_t> reference;
  for (const Rollout& rollout : rollouts) {
    paths_.viewpoints.insert(paths_.viewpoints.end(), rollout.nodes.begin(), rollout.nodes.end());
    paths_.end_path();
    reference.push_back(rollout.reference);
    active_.push_back(rollout.active);
    stopped_.push_back(rollout.stopped);
  }
  paths_ = paths_.laid_out(form.in_rows);
  goal_.assign(size(), FloatsOnDevice::unwritten);
  for (std::size_t k = 0; k < rollouts.size(); ++k) {
    std::ranges::copy(rollouts[k].goal, goal_.begin() + static_cast<std::ptrdiff_t>(begin(k)));
  }
  viewpoints_ = {paths_.viewpoints, form.id_bytes};
  lengths_ = {paths_.lengths, form.number_bytes};
  offsets_ = {paths_.offsets, form.number_bytes};
  reference_ = {reference, form.number_bytes};
  Layout layout{.pitch = paths_.pitch, .max_length = paths_.max_length};
  if (form.in_rows || form.has_both) layout.lengths = lengths_;
  if (!form.in_rows) layout.offsets = offsets_;
  batch_ = {.count = static_cast<std::uint32_t>(rollouts.size()),
            .queries = {viewpoints_, layout},
            .reference = reference_,
            .active = active_.data(),
            .stopped = stopped_.data(),
            .distance_to_goal = gives_goals ? goal_.data() : nullptr};
}

}  // namespace warpath::checks
