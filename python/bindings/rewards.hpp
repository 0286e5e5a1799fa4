#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "python/bindings/references.hpp"
#include "python/bindings/settings.hpp"
#include "warpath/rewards.hpp"

namespace warpath::python {

/// Returns a preset's rewards with some settings changed: of rewards, and of their convention.
/// @param convention a preset that replaces theirs; empty: none
/// @throws UsageError that lists the names, or the values, that there are
RewardSettings make_reward_settings(const std::string& preset, const SettingTexts& changes,
                                    const std::string& convention,
                                    const SettingTexts& convention_changes);

/// Holds Rewards with the references that they were made of.
struct RewardsObject : StandingReferences {
  PathSet goals{};
  std::unique_ptr<Rewards> rewards{};
};

}  // namespace warpath::python
