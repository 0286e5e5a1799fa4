#pragma once

#include "host/core/cpu/group_kernels.hpp"
#include "host/core/cpu/long_kernels.hpp"
#include "host/core/cpu/point_kernels.hpp"
#include "host/core/cpu/reward_kernels.hpp"
#include "host/core/cpu/stage_kernels.hpp"
#include "host/core/cpu/statistics_kernels.hpp"

// Defines the kernels of kernels_SET.cpp.in.

namespace warpath::cpu {
namespace {

constexpr CpuKernels make_kernels(const char* name, const WalkKernels& walks,
                                  const RewardKernels& rewards) {
  return {.name = name,
          .lanes = GroupLanes::Lanes,
          .stage_paths = stage_paths<GroupLanes>,
          .score_group = score_group,
          .fill_shared = fill_shared<GroupLanes>,
          .score_shared = GroupLanes::can_transpose ? score_shared : nullptr,
          .score_long = score_long,
          .score_points = score_points,
          .walks = &walks,
          .rewards = &rewards,
          .add_fractions = add_column<vector_bytes / 4, Unit::fraction>,
          .add_lengths = add_column<vector_bytes / 4, Unit::length>,
          .count_integers = count_integers<vector_bytes / 4>};
}

}  // namespace
}  // namespace warpath::cpu
