#include "host/checks/selftest/conventions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/core/definitions/path_convention.hpp"

namespace warpath::selftest {
namespace {

// Tells whether a setting only chooses pairs, or is of tasks; back ends do not see those.
bool is_unseen(const Setting& setting) {
  constexpr std::string_view names[] = {
      "positions", "start",          "adjacency", "repeats",     "instructions", "missing",
      "invalid",   "duplicates",     "goal",      "grounding",   "boxes",        "angles",
      "stop",      "start-distance", "lookup",    "oracle-stop", "oracle-start", "dtw",
      "ndtw",      "links",          "kp-start",  "edit"};
  return std::ranges::find(names, setting.name) != std::end(names);
}

// Returns what back ends see of a convention.
Convention seen(Convention convention) {
  for (const Setting& setting : settings()) {
    if (is_unseen(setting)) setting.set(convention, setting.get(Convention()));
  }
  convention.preset.clear();
  return convention;
}

}  // namespace

std::vector<Convention> preset_conventions() {
  std::vector<Convention> all, known;
  for (const Preset& preset : presets()) {
    if (!definitions::is_of_paths(preset.convention)) continue;
    const Convention now = seen(preset.convention);
    if (std::ranges::find(known, now) != known.end()) continue;
    known.push_back(now);
    all.push_back(preset.convention);
    all.back().repeats = Repeats::keep;  // scorers collapse them, back ends do not
  }
  return all;
}

std::vector<Convention> setting_conventions() {
  std::vector<Convention> all;
  auto add = [&](const Setting& setting, std::string_view value) {
    Convention c;
    setting.set(c, value);
    if (setting.get(c) == setting.get(Convention()) || !definitions::is_of_paths(c)) return;
    c.preset = fmt::format("{}={}", setting.name, value);
    all.push_back(c);
  };
  for (const Setting& setting : settings()) {
    if (is_unseen(setting)) continue;
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
