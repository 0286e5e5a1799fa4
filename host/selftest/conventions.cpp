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

// Knobs that choose the pairs; the back ends don't see them.
bool chooses_pairs(const Knob& knob) {
  constexpr std::string_view names[] = {"start",        "adjacency", "repeats",
                                        "instructions", "missing",   "invalid",
                                        "duplicates"};
  return std::ranges::find(names, knob.name) != std::end(names);
}

}  // namespace

std::vector<Convention> knob_conventions() {
  std::vector<Convention> all;
  auto add = [&](const Knob& knob, std::string_view value) {
    Convention c;
    knob.set(c, value);
    if (knob.get(c) == knob.get(Convention())) return;
    c.preset = fmt::format("{}={}", knob.name, value);
    all.push_back(c);
  };
  for (const Knob& knob : knobs()) {
    if (chooses_pairs(knob)) continue;
    if (knob.values == "NUMBER") {
      for (const std::string_view value : {"0.5", "7.25"}) add(knob, value);
      continue;
    }
    std::string_view rest = knob.values;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('|'), rest.size());
      add(knob, rest.substr(0, end));
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
