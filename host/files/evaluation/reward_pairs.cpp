#include "host/files/evaluation/reward_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "host/core/batch/large_scans.hpp"
#include "host/core/cpu/reward_engine.hpp"
#include "warpath/rewards.hpp"

namespace warpath::evaluation {
namespace {

using batch::DistanceTables;
using batch::LargeTables;
using Rows = std::span<const std::uint32_t>;

// Tells for each scan whether its whole table is made: of small ones, as long as they fit.
std::vector<bool> choose_whole_tables(std::span<const Scan* const> scans,
                                      std::size_t whole_entries) {
  std::vector<bool> chosen;
  std::size_t entries = 0;
  for (const Scan* const scan : scans) {
    const std::size_t own = DistanceTables::entries_needed({&scan, 1}, LargeTables::all);
    chosen.push_back(scan->size() <= DistanceTables::max_viewpoints &&
                     own <= whole_entries - entries);
    if (chosen.back()) entries += own;
  }
  return chosen;
}

// Rewards rows of a batch whose pair k has query k.
class PairRewarder {
 public:
  PairRewarder(const PairBatch& batch, const RewardSettings& settings, const RolloutEnds& ends,
               PairRewards& to)
      : batch_(batch), settings_(settings), ends_(ends), to_(to) {}

  // Rewards rows by tables of their whole scans.
  void reward_by_whole_tables(Rows rows) {
    if (rows.empty()) return;
    const References references = references_of(rows);
    const Rewards rewards(references.scans, references.paths, references.scan_of, settings_,
                          {.goals = references.goals});
    std::vector<std::uint8_t> active(batch_.pairs.size());
    for (const std::uint32_t row : rows) active[row] = 1;
    Batch rollouts;
    rollouts.count = static_cast<std::uint32_t>(batch_.pairs.size());
    rollouts.queries = {batch_.queries.elements.data(), layout_of(batch_.queries.offsets)};
    rollouts.reference = references.of_pair.data();
    rollouts.active = active.data();
    rollouts.stopped = ends_.stopped.data();
    if (!ends_.distance_to_goal.empty()) rollouts.distance_to_goal = ends_.distance_to_goal.data();
    rewards.compute(rollouts, to_.arrays());
  }

  // Rewards rows by compact tables, with the same bits.
  void reward_by_compact_tables(std::vector<std::uint32_t> rows) {
    if (rows.empty()) return;
    batch::LargeScans scans(settings_.convention);
    // For each goal of a part there is a row of its whole scan: 256 MiB of them.
    std::size_t viewpoints = 1;
    for (const std::uint32_t row : rows)
      viewpoints = std::max(viewpoints, batch_.scans[batch_.pairs[row].scan]->size());
    const batch::LargeScanLimits limits{
        .whole_entries = 0,
        .pairs = std::clamp<std::size_t>((std::size_t{1} << 26) / viewpoints, 1, 1024),
        .max_of_pair = DistanceTables::max_large_viewpoints};
    const auto left_out =
        scans.for_each_part(batch_, std::move(rows), limits, nullptr,
                            [&](const batch::PartOnLargeScan& part) { reward_part(part); });
    reward_by_whole_tables(left_out);
  }

 private:
  // The references of some rows, with their scans and goals.
  struct References {
    std::vector<const Scan*> scans;
    PathSet paths, goals;
    std::vector<std::uint32_t> scan_of;
    std::vector<std::uint32_t> of_pair;  // by pair of the batch; 0 for those of no row
  };

  std::vector<Node> goals_of(std::uint32_t row) const {
    if (ends_.goals.size() > 0 && ends_.goals.size_of(row) > 0) {
      const auto goals = ends_.goals[row];
      return {goals.begin(), goals.end()};
    }
    return {batch_.references[batch_.pairs[row].reference].back()};
  }

  References references_of(Rows rows) const {
    References found;
    found.of_pair.resize(batch_.pairs.size());
    std::map<std::uint32_t, std::uint32_t> scan_number;
    std::map<std::pair<std::uint32_t, std::vector<Node>>, std::uint32_t> number;
    for (const std::uint32_t row : rows) {
      const Pair& pair = batch_.pairs[row];
      const auto [place, is_new] = number.try_emplace({pair.reference, goals_of(row)}, 0);
      if (is_new) {
        const auto scan =
            scan_number.try_emplace(pair.scan, static_cast<std::uint32_t>(scan_number.size()));
        if (scan.second) found.scans.push_back(batch_.scans[pair.scan]);
        found.scan_of.push_back(scan.first->second);
        add(batch_.references[pair.reference], found.paths);
        place->second = add(place->first.second, found.goals);
      }
      found.of_pair[row] = place->second;
    }
    return found;
  }

  static std::uint32_t add(std::span<const Node> path, PathSet& to) {
    to.elements.insert(to.elements.end(), path.begin(), path.end());
    return to.end_path();
  }

  void reward_part(const batch::PartOnLargeScan& part) {
    const auto engine = cpu::make_reward_engine(rewards::RewardTables(part, settings_), 0);
    const std::vector<float> goal = distances_to_goals(part);
    std::vector<std::uint32_t> reference_of;
    std::vector<std::uint8_t> stopped;
    for (const Pair& pair : part.view.pairs) reference_of.push_back(pair.reference);
    for (const std::uint32_t row : part.rows) stopped.push_back(ends_.stopped[row]);
    Batch rollouts;
    rollouts.count = static_cast<std::uint32_t>(part.rows.size());
    rollouts.queries = {part.view.queries.elements.data(), layout_of(part.view.queries.offsets)};
    rollouts.reference = reference_of.data();
    rollouts.stopped = stopped.data();
    rollouts.distance_to_goal = goal.data();
    PairRewards made(goal.size());
    engine->compute(rollouts, made.arrays(), {});
    for (const auto column : {&PairRewards::reward, &PairRewards::distance_to_goal,
                              &PairRewards::ndtw, &PairRewards::cls}) {
      for (std::size_t k = 0; k < part.rows.size(); ++k) {
        std::copy_n((made.*column).begin() + part.view.queries.offsets[k],
                    part.view.queries.size_of(k),
                    (to_.*column).begin() + batch_.queries.offsets[part.rows[k]]);
      }
    }
  }

  // Returns the distance of each viewpoint of a part's queries to their goals. They are rounded
  // among all of the scan, so they are taken from whole rows.
  std::vector<float> distances_to_goals(const batch::PartOnLargeScan& part) const {
    std::vector<float> distances;
    if (!ends_.distance_to_goal.empty()) {
      for (const std::uint32_t row : part.rows) {
        const auto first = ends_.distance_to_goal.begin();
        distances.insert(distances.end(), first + place(row), first + place(row + 1));
      }
      return distances;
    }
    const References references = references_of(part.rows);
    const rewards::GoalTables goals(references.scans, references.paths, references.scan_of,
                                    references.goals, settings_);
    for (const std::uint32_t row : part.rows) {
      const float* const to_goal = goals.distances().data() + goals.first(references.of_pair[row]);
      for (const Node node : batch_.queries[row]) distances.push_back(to_goal[node]);
    }
    return distances;
  }

  // Returns where the values of a pair's query begin.
  std::ptrdiff_t place(std::size_t row) const {
    return static_cast<std::ptrdiff_t>(batch_.queries.offsets[row]);
  }

  const PairBatch& batch_;
  const RewardSettings& settings_;
  const RolloutEnds& ends_;
  PairRewards& to_;
};

}  // namespace

Layout layout_of(std::span<const std::uint64_t> offsets) {
  std::uint64_t longest = 1;
  for (std::size_t p = 1; p < offsets.size(); ++p)
    longest = std::max(longest, offsets[p] - offsets[p - 1]);
  return {.offsets = {offsets.data(), sizeof(std::uint64_t)},
          .lengths = {},
          .pitch = 0,
          .max_length = static_cast<std::uint32_t>(longest)};
}

RewardArrays PairRewards::arrays() {
  return {.reward = reward.data(),
          .distance_to_goal = distance_to_goal.data(),
          .ndtw = ndtw.data(),
          .cls = cls.data()};
}

void PairRewards::add_up(std::span<const std::uint64_t> offsets, double discount) {
  ReturnsBatch batch;
  batch.count = static_cast<std::uint32_t>(offsets.size() - 1);
  batch.layout = layout_of(offsets);
  batch.reward = reward.data();
  batch.discount = discount;
  batch.returns = returns.data();
  add_up_rewards(batch);
}

PairRewards reward_pairs(const PairBatch& batch, const RewardSettings& settings,
                         const RolloutEnds& ends, double discount, std::size_t whole_entries) {
  if (batch.pairs.empty()) return {};
  PairRewards made(batch.queries.elements.size());
  const std::vector<bool> is_whole = choose_whole_tables(batch.scans, whole_entries);
  std::vector<std::uint32_t> by_whole, by_compact;
  for (std::uint32_t k = 0; k < batch.pairs.size(); ++k) {
    (is_whole[batch.pairs[k].scan] ? by_whole : by_compact).push_back(k);
  }
  PairRewarder rewarder(batch, settings, ends, made);
  rewarder.reward_by_whole_tables(by_whole);
  rewarder.reward_by_compact_tables(std::move(by_compact));
  made.add_up(batch.queries.offsets, discount);
  return made;
}

Status status_of(const PairRewards& rewards, std::size_t last) {
  if (!std::isfinite(rewards.distance_to_goal[last]) || std::isnan(rewards.ndtw[last])) {
    return Status::unreachable;
  }
  return std::isnan(rewards.cls[last]) ? Status::cls_undefined : Status::ok;
}

}  // namespace warpath::evaluation
