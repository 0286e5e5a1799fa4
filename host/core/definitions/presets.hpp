#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace warpath::definitions {

/// Says what a preset is for, and how it is also called.
struct PresetUse {
  std::string_view preset;                  ///< its name in the table
  std::vector<std::string_view> tasks{};    ///< that its source evaluates; empty: any
  std::vector<std::string_view> aliases{};  ///< its further names
  bool is_of_tours = false;                 ///< its source scores tours
};

/// Returns the uses of all presets, in the order of presets(). Any thread may call it.
std::span<const PresetUse> preset_uses();

/// Finds the use of a preset by its name or an alias. @throws UsageError as find_preset
const PresetUse& find_preset_use(std::string_view name);

}  // namespace warpath::definitions
