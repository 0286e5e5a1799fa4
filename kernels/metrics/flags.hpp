#pragma once

#include <cstdint>

#include "warpath/scores.hpp"

namespace warpath::kernels {

/// The bits of a pair's flags, of which the host makes its status and its zero rules.
enum Flag : std::uint32_t {
  flag_zero_spl = bit_of(ZeroByZero::SPL),
  flag_zero_ls = bit_of(ZeroByZero::LS),
  flag_zero_sed = bit_of(ZeroByZero::SED),
  flag_unreachable = 8,
  flag_length_undefined = 16,
  flag_spl_undefined = 32,
  flag_cls_undefined = 64,
  flag_dtw_undefined = 128,
  flag_no_task_success = 256,
};

/// The number of values that flags can have: all are below this.
inline constexpr std::uint32_t flag_sets = 2 * flag_no_task_success;

/// The flags that each stand for a 0/0 (ZeroByZero), with its bit in `Scores::zero_rules`.
inline constexpr std::uint32_t zero_rule_flags = flag_zero_spl | flag_zero_ls | flag_zero_sed;

static_assert(flag_zero_spl == 1 && flag_zero_ls == 2 && flag_zero_sed == 4 &&
                  zero_rule_flags < flag_unreachable,
              "the bits of ZeroByZero are the lowest bits of the flags");

/// Returns the entry of `Scores::zero_rules` that a pair's flags make.
constexpr std::uint8_t zero_rules_of(std::uint32_t flags) {
  return static_cast<std::uint8_t>(flags & zero_rule_flags);
}

}  // namespace warpath::kernels
