#pragma once

#include "host/cpu/group_kernels.hpp"
#include "host/cpu/long_kernels.hpp"
#include "host/cpu/point_kernels.hpp"
#include "host/cpu/stage_kernels.hpp"

// The generic body behind each of avx512.cpp, avx2.cpp and portable.cpp.

namespace warpath::cpu {
namespace {

constexpr CpuKernels make_isa(const char* name) {
  return {name,
          GroupLanes::Lanes,
          stage_paths<GroupLanes>,
          score_group,
          fill_shared<GroupLanes>,
          GroupLanes::can_transpose ? score_shared : nullptr,
          score_long,
          score_points};
}

}  // namespace
}  // namespace warpath::cpu
