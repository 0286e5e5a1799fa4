#pragma once

#include "warpath/convention.hpp"

namespace warpath::definitions {

/// Tells whether a convention asks for the goal sets of a dataset's items.
inline bool needs_goal_sets(const Convention& convention) {
  return convention.goal != Goal::end || convention.spl_length == SplLength::nearest;
}

/// Tells whether evaluations compute DTW, nDTW or SDTW themselves, since no back end does.
inline bool needs_own_warping(const Convention& convention) {
  return convention.dtw_radius > 0 || convention.ndtw != Ndtw::dtw;
}

/// Tells whether evaluations find where SPL is 0 themselves, since no back end has the rule.
inline bool needs_own_spl_zero(const Convention& convention) {
  return convention.spl_zero == SplZero::zero_if_unmoved;
}

/// Tells whether two paths are all that a convention needs, so that a scorer takes it.
inline bool is_of_paths(const Convention& convention) {
  return !needs_goal_sets(convention) && !needs_own_warping(convention) &&
         !needs_own_spl_zero(convention);
}

}  // namespace warpath::definitions
