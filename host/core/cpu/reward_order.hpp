#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "kernels/views/paths.hpp"

namespace warpath::cpu {

/// Returns the active rollouts, the longest first, because lanes wait for the longest of a group.
/// @param active null: all are
std::vector<std::uint32_t> order_by_length(std::uint32_t count, const kernels::PathLayout& layout,
                                           const std::uint8_t* active);

/// Returns the window of each scan, in which the tables of its scans stay in a core's cache. None
/// where all tables stay there, or too few rollouts would come together.
/// @param groups of rollouts that are rewarded together
std::vector<std::uint32_t> windows_of_scans(const batch::DistanceTables& tables,
                                            std::size_t groups);

/// Puts the rollouts of one window after those of another, and keeps their order otherwise.
/// @param window_of window of each rollout, in the order of `rollouts`
void sort_by_window(std::span<const std::uint32_t> window_of, std::vector<std::uint32_t>& rollouts);

}  // namespace warpath::cpu
