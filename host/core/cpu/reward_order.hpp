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

/// Puts rollouts of a smaller key before those of a larger one, and keeps their order otherwise.
/// @param keys of each rollout, in the order of `rollouts`
void sort_by_key(std::span<const std::uint32_t> keys, std::vector<std::uint32_t>& rollouts);

/// Brings rollouts of one reference together, so that lanes share it (see OwnTables), where many
/// have the same and lanes would not wait too long for each other. Returns whether it did.
/// @param rollouts the longest first
/// @param references of each rollout, in the order of `rollouts`
bool order_by_reference(std::span<const std::uint32_t> references,
                        const kernels::PathLayout& layout, std::size_t lanes,
                        std::vector<std::uint32_t>& rollouts);

}  // namespace warpath::cpu
