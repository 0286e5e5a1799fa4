#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/convention.hpp"

namespace warpath::selftest {

std::vector<Convention> preset_conventions();

/// Returns the paper's convention with one setting changed to each of its values, and with other
/// thresholds. Each has the changed setting as its preset's name.
std::vector<Convention> setting_conventions();

/// Holds a number of synthetic pairs, to be scored with and without a task success under each of
/// the conventions.
struct Workload {
  std::size_t pairs;
  std::vector<Convention> conventions;
};

std::uint64_t scored_pairs(std::span<const Workload> workloads);

}  // namespace warpath::selftest
