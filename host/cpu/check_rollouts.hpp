#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/rewards/reward_tables.hpp"
#include "kernels/views/paths.hpp"
#include "warpath/views.hpp"

// Refuses batches in host memory that kernels cannot take.

namespace warpath::cpu {

/// @throws InputError that names the rollout, or the field, that cannot be right
/// @pre there is a rollout
void check_rollouts(const Batch& batch, const rewards::RewardTables& tables);

/// Refuses points that kernels cannot take. @throws InputError that names what the path belongs to
/// @param kind,number of that: "rollout", 3
void check_points(const float* points, std::size_t count, std::string_view kind,
                  std::uint32_t number);

/// Refuses a reference that is empty, runs backwards or is longer than it may be. @throws as above
void check_reference_length(const kernels::PathLayout& layout, std::uint32_t path,
                            std::uint32_t max_length, std::string_view kind, std::uint32_t number);

}  // namespace warpath::cpu
