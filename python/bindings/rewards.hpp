#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "python/bindings/settings.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/rewards.hpp"

namespace warpath::python {

/// Returns a preset's rewards with some settings changed: of rewards, and of their convention.
/// @param convention a preset that replaces theirs; empty: none
/// @throws UsageError that lists the names, or the values, that there are
RewardSettings make_reward_settings(const std::string& preset, const SettingTexts& changes,
                                    const std::string& convention,
                                    const SettingTexts& convention_changes);

/// Holds Rewards with the scans and references that they were made of.
struct RewardsObject {
  std::shared_ptr<const GraphStore> graphs;
  std::vector<const Scan*> scans;
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  std::unique_ptr<Rewards> rewards;
};

}  // namespace warpath::python
