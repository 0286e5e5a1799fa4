#pragma once

#include <cstdint>

#include "warpath/scores.hpp"

namespace warpath::kernels {

/// The bits of a pair's flags, of which the host makes its status and its zero rules.
enum Flag : std::uint32_t {
  flag_zero_spl = ZeroRule::zero_spl,
  flag_zero_ls = ZeroRule::zero_ls,
  flag_zero_sed = ZeroRule::zero_sed,
  flag_unreachable = 8,
  flag_length_undefined = 16,
  flag_spl_undefined = 32,
  flag_cls_undefined = 64,
  flag_dtw_undefined = 128,
  flag_no_task_success = 256,
};

/// The number of values that flags can have: all are below this.
inline constexpr std::uint32_t flag_sets = 2 * flag_no_task_success;

/// The flags that are a ZeroRule each, with the same bit.
inline constexpr std::uint32_t zero_rule_flags = flag_zero_spl | flag_zero_ls | flag_zero_sed;

static_assert(flag_zero_spl == 1 && flag_zero_ls == 2 && flag_zero_sed == 4 &&
                  zero_rule_flags < flag_unreachable,
              "the bits of ZeroRule are the lowest bits of the flags");

/// Returns the bits of ZeroRule that stand in a pair's flags.
constexpr std::uint8_t zero_rules_of(std::uint32_t flags) {
  return static_cast<std::uint8_t>(flags & zero_rule_flags);
}

}  // namespace warpath::kernels
