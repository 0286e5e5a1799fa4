#include "host/program/cli/reward_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/base/suggest.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

constexpr const char* reward_group = "Reward";

// Changes a setting to what an option says.
void set(RewardSettings& settings, const RewardSetting& setting, std::string_view option,
         const std::string& value) {
  try {
    setting.set(settings, value);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", option, e.what()));
  }
}

const RewardSetting& find_reward_setting(const std::string& name) {
  std::vector<std::string_view> names;
  for (const RewardSetting& setting : reward_settings()) {
    if (base::equal_letters(setting.name, name)) return setting;
    names.push_back(setting.name);
  }
  throw UsageError(base::no_such("setting of rewards", name, names));
}

}  // namespace

RewardSettingOptions::RewardSettingOptions(Command& command)
    // Rewards have a success and a distance to the goal of their own, none of the other metrics but
    // SPL, and nothing that only positions in files or tours have.
    : conventions_(command,
                   {"success", "oracle", "dtw-norm", "edit-unit", "edit-norm", "ndtw-threshold",
                    "oracle-threshold", "spl-offset", "spl-walked-offset", "spl-ratio",
                    "goal-distance", "outcome", "ended", "window", "tour-weight", "infeasible"}) {
  command
      .add_option("--reward", reward_,
                  "the paper or code whose rewards are computed; see warpath presets --rewards")
      .put_in(reward_group)
      .require()
      .check(not_empty());
  for (const RewardSetting& setting : reward_settings()) {
    std::string& value = values_.emplace_back();
    command.add_option(fmt::format("--{}", setting.name), value, std::string(setting.help))
        .name_value(std::string(setting.values))
        .put_in(reward_group)
        .check(not_empty());
  }
}

RewardSettings RewardSettingOptions::settings() const {
  RewardSettings made = find_reward_preset(reward_).settings;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    if (values_[k].empty()) continue;
    const RewardSetting& setting = reward_settings()[k];
    set(made, setting, fmt::format("--{}", setting.name), values_[k]);
  }
  made.convention = conventions_.convention_from(made.convention);
  return made;
}

RewardSettings parse_reward(const std::string& word) {
  const std::vector<std::string> parts = split_list(word);
  if (parts.empty()) throw UsageError("--rewards names no reward");
  RewardSettings made = find_reward_preset(parts.front()).settings;
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::size_t equals = parts[k].find('=');
    if (equals == std::string::npos) {
      throw UsageError(fmt::format("--rewards: '{}' is not SETTING=VALUE", parts[k]));
    }
    const std::string name = parts[k].substr(0, equals);
    set(made, find_reward_setting(name), "--rewards: " + name, parts[k].substr(equals + 1));
  }
  return made;
}

}  // namespace warpath::cli
