#pragma once

#include <cstdint>

#include "warpath/scores.hpp"

namespace warpath::kernels {

/// Bits of a pair's flags, from which the host derives its status and its zero rules.
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
  flag_invalid = 512,  ///< a path has no viewpoint
};

/// Number of values that flags can have: all are smaller.
inline constexpr std::uint32_t flag_sets = 2 * flag_invalid;

/// Flags that stand for a 0/0 (ZeroByZero), each with its bit in `Scores::zero_rules`.
inline constexpr std::uint32_t zero_rule_flags = flag_zero_spl | flag_zero_ls | flag_zero_sed;

static_assert(flag_zero_spl == 1 && flag_zero_ls == 2 && flag_zero_sed == 4 &&
                  zero_rule_flags < flag_unreachable,
              "the bits of ZeroByZero are the lowest bits of the flags");

/// Returns the entry of `Scores::zero_rules` for a pair's flags.
constexpr std::uint8_t zero_rules_of(std::uint32_t flags) {
  return static_cast<std::uint8_t>(flags & zero_rule_flags);
}

}  // namespace warpath::kernels
