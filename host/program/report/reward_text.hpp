#pragma once

#include <array>
#include <string>
#include <vector>

#include "warpath/reward_settings.hpp"

namespace warpath::report {

/// Holds what rewards are worth, as text: g_t is the distance to the goal, Δ the value of the
/// prefix behind the move minus that before it.
struct RewardFormula {
  std::string move, end, timeout;
};

RewardFormula reward_formula(const RewardSettings& settings);

/// Returns the settings that differ from those of another reward, those of its convention included,
/// as "name=value" words.
std::vector<std::string> settings_that_differ(const RewardSettings& settings,
                                              const RewardSettings& from);

/// Returns "reward hamt with tie=zero": the preset and the settings that differ from it.
std::string reward_note(const RewardSettings& settings);

/// Returns "x,y,z": how reports name a position.
std::string position_text(const std::array<double, 3>& position);

/// Returns every preset with source and formulas, and every setting.
/// @param width columns of a terminal
std::string reward_presets_text(int width);
std::string reward_presets_markdown();

}  // namespace warpath::report
