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

/// Tells whether evaluations find the edit distance themselves, since no back end has it.
inline bool needs_own_edits(const Convention& convention) {
  return convention.edit != Edit::levenshtein;
}

/// Tells whether CLS takes the lengths of edges in place of those of shortest paths.
inline bool takes_edge_lengths(const Convention& convention) {
  return convention.cls_step == ClsStep::edge && convention.cls_length == ClsLength::edges;
}

/// Tells whether CLS takes other lengths than PL(Q) and PL(R).
inline bool takes_own_lengths(const Convention& convention) {
  return takes_edge_lengths(convention) || convention.cls_length == ClsLength::nodes;
}

/// Returns d_th of nDTW.
inline double ndtw_threshold(const Convention& convention) {
  return convention.ndtw_threshold > 0.0 ? convention.ndtw_threshold : convention.threshold;
}

/// Tells whether two paths are all that a convention needs, so that a scorer takes it.
inline bool is_of_paths(const Convention& convention) {
  return !needs_goal_sets(convention) && !needs_own_warping(convention) &&
         !needs_own_spl_zero(convention) && !needs_own_edits(convention) &&
         convention.links == Links::both;
}

}  // namespace warpath::definitions
