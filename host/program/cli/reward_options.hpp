#pragma once

#include <deque>
#include <string>

#include "host/program/cli/options.hpp"
#include "warpath/reward_settings.hpp"

namespace warpath::cli {

/// Holds the options that choose a reward: --reward, an option for each of its settings, and those
/// of the convention that rewards read.
class RewardSettingOptions {
 public:
  explicit RewardSettingOptions(Command& command);

  /// Returns the reward with the given settings. @throws UsageError
  RewardSettings settings() const;

 private:
  std::string reward_;
  std::deque<std::string> values_;  // by setting; empty: not given
  ConventionOptions conventions_;
};

/// Returns the reward that a word like "hamt,tie=zero,success=4" names: a preset, and settings.
/// @throws UsageError
RewardSettings parse_reward(const std::string& word);

}  // namespace warpath::cli
