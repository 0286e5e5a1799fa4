#include "host/files/evaluation/reward_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "warpath/rewards.hpp"

namespace warpath::evaluation {
namespace {

// Holds the references that pairs of a batch have. A batch may have others, whose predictions could
// not be scored.
struct PairedReferences {
  explicit PairedReferences(const PairBatch& batch) {
    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> number(batch.references.size(), none);
    for (const Pair& pair : batch.pairs) {
      std::uint32_t& known = number[pair.reference];
      if (known == none) {
        const auto path = batch.references[pair.reference];
        paths.elements.insert(paths.elements.end(), path.begin(), path.end());
        known = paths.end_path();
        scan_of.push_back(pair.scan);
      }
      of_pair.push_back(known);
    }
  }

  PathSet paths;
  std::vector<std::uint32_t> scan_of, of_pair;
};

std::uint32_t max_size(const PathSet& paths) {
  std::size_t size = 1;
  for (std::size_t p = 0; p < paths.size(); ++p) size = std::max(size, paths.size_of(p));
  return static_cast<std::uint32_t>(size);
}

}  // namespace

PairRewards reward_pairs(const PairBatch& batch, const RewardSettings& settings,
                         std::span<const std::uint8_t> stopped, double discount) {
  if (batch.pairs.empty()) return {};
  const PairedReferences references(batch);
  const Rewards rewards(batch.scans, references.paths, references.scan_of, settings);
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  const Layout layout{.offsets = {batch.queries.offsets.data(), sizeof(std::uint64_t)},
                      .lengths = {},
                      .pitch = 0,
                      .max_length = max_size(batch.queries)};
  const std::size_t entries = batch.queries.elements.size();
  PairRewards made;
  for (auto* column :
       {&made.reward, &made.returns, &made.distance_to_goal, &made.ndtw, &made.cls}) {
    column->resize(entries);
  }

  Batch rollouts;
  rollouts.count = count;
  rollouts.queries = {batch.queries.elements.data(), layout};
  rollouts.reference = references.of_pair.data();
  rollouts.stopped = stopped.data();
  rewards.compute(rollouts, {.reward = made.reward.data(),
                             .distance_to_goal = made.distance_to_goal.data(),
                             .ndtw = made.ndtw.data(),
                             .cls = made.cls.data()});
  ReturnsBatch returns;
  returns.count = count;
  returns.layout = layout;
  returns.reward = made.reward.data();
  returns.discount = discount;
  returns.returns = made.returns.data();
  add_up_rewards(returns);
  return made;
}

Status status_of(const PairRewards& rewards, std::size_t last) {
  if (!std::isfinite(rewards.distance_to_goal[last]) || std::isnan(rewards.ndtw[last])) {
    return Status::unreachable;
  }
  return std::isnan(rewards.cls[last]) ? Status::cls_undefined : Status::ok;
}

}  // namespace warpath::evaluation
