#include "host/selftest/conventions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace warpath::selftest {

std::vector<Convention> preset_conventions() {
  std::vector<Convention> all;
  for (const Preset& preset : presets()) all.push_back(preset.convention);
  return all;
}

namespace {

// Tells whether a setting only chooses pairs, or FastDTW; back ends do not see those.
bool chooses_pairs(const Setting& setting) {
  constexpr std::string_view names[] = {"start",   "adjacency", "repeats",    "instructions",
                                        "missing", "invalid",   "duplicates", "dtw"};
  return std::ranges::find(names, setting.name) != std::end(names);
}

}  // namespace

std::vector<Convention> setting_conventions() {
  std::vector<Convention> all;
  auto add = [&](const Setting& setting, std::string_view value) {
    Convention c;
    setting.set(c, value);
    if (setting.get(c) == setting.get(Convention())) return;
    c.preset = fmt::format("{}={}", setting.name, value);
    all.push_back(c);
  };
  for (const Setting& setting : settings()) {
    if (chooses_pairs(setting)) continue;
    if (setting.values == "NUMBER") {
      for (const std::string_view value : {"0.5", "7.25"}) add(setting, value);
      continue;
    }
    std::string_view rest = setting.values;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('|'), rest.size());
      add(setting, rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return all;
}

std::uint64_t scored_pairs(std::span<const Workload> workloads) {
  std::uint64_t pairs = 0;
  for (const Workload& w : workloads) pairs += 2 * w.pairs * w.conventions.size();
  return pairs;
}

}  // namespace warpath::selftest
