#pragma once

#include "host/cpu/isa_group.hpp"
#include "host/cpu/isa_long.hpp"
#include "host/cpu/isa_points.hpp"
#include "host/cpu/isa_stage.hpp"

// The generic body behind each of avx512.cpp, avx2.cpp and portable.cpp.

namespace warpath::cpu {
namespace {

constexpr Isa make_isa(const char* name) {
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
