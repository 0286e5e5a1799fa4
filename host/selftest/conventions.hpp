#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/convention.hpp"

namespace warpath::selftest {

std::vector<Convention> preset_conventions();

/// The paper's convention with one setting turned to each of its values, and other thresholds; each
/// with that in place of the preset's name.
std::vector<Convention> setting_conventions();

/// So many made-up pairs, once with a task success and once without, under each of the conventions.
struct Workload {
  std::size_t pairs;
  std::vector<Convention> conventions;
};

std::uint64_t scored_pairs(std::span<const Workload> workloads);

}  // namespace warpath::selftest
