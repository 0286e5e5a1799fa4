#pragma once

#include <algorithm>
#include <string_view>

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

/// Names the first setting that has another value than the default and that only evaluations of
/// positions in files have; empty: none has.
inline std::string_view setting_of_positions(const Convention& c) {
  if (c.oracle_threshold > 0.0) return "oracle-threshold";
  if (c.spl_length == SplLength::straight) return "spl-length";
  if (c.spl_offset > 0.0) return "spl-offset";
  if (c.spl_walked_offset > 0.0) return "spl-walked-offset";
  if (c.spl_ratio != SplRatio::capped) return "spl-ratio";
  if (c.goal_distance != GoalDistance::same) return "goal-distance";
  if (c.outcome != Outcome::computed) return "outcome";
  if (c.ended != "any") return "ended";
  return {};
}

/// Returns the threshold of OSR.
inline double oracle_threshold(const Convention& c) {
  return c.oracle_threshold > 0.0 ? c.oracle_threshold : c.threshold;
}

/// Returns how distances to the goal are measured; of ONE and OSR if `of_oracle`.
inline Distance goal_distance(const Convention& c, bool of_oracle) {
  if (c.goal_distance == GoalDistance::same) return c.distance;
  const bool is_flat = c.goal_distance == GoalDistance::euclid_2d ||
                       (of_oracle && c.goal_distance == GoalDistance::euclid_3d_oracle_2d);
  return is_flat ? Distance::euclid_2d : Distance::euclid_3d;
}

/// Returns the ideal length that SPL takes, of one that may have an offset.
inline double spl_ideal(const Convention& c, double length) {
  return c.spl_offset > 0.0 ? std::max(0.0, length - c.spl_offset) : length;
}

/// Returns what SPL divides an ideal length by.
inline double spl_denominator(const Convention& c, double ideal, double walked) {
  const double length = walked + c.spl_walked_offset;
  return std::max(c.spl_ratio == SplRatio::plain ? length : std::max(length, ideal),
                  c.spl_min_denominator);
}

/// Tells whether two paths are all that a convention needs, so that a scorer takes it.
inline bool is_of_paths(const Convention& convention) {
  return !needs_goal_sets(convention) && !needs_own_warping(convention) &&
         !needs_own_spl_zero(convention) && !needs_own_edits(convention) &&
         convention.links == Links::both && setting_of_positions(convention).empty();
}

}  // namespace warpath::definitions
