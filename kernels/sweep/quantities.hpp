#pragma once

#include "kernels/host_device.hpp"
#include "warpath/convention.hpp"

// Names what a sweep can measure, and the sets of it that are compiled as kernels.

namespace warpath::kernels {

/// Names what a sweep measures, one bit each. What is not asked for is compiled out.
enum Quantity : unsigned {
  quantity_dtw = 1,
  quantity_coverage = 2,   ///< Σ_r exp(−d(Q, r) / d_th)
  quantity_deviation = 4,  ///< Σ_q and max_q of d(q, R)
  quantity_goal = 8,  ///< distances to the goal: from the last, the nearest and the first viewpoint
  quantity_length = 16,     ///< PL(Q)
  quantity_edits = 32,      ///< Levenshtein distance
  quantity_reference = 64,  ///< PL(R), an input of the sweep
  quantity_all = 127
};

/// Names the compiled sets of quantities. The edit distance compares either edges or viewpoints, so
/// there are two sets with it. Only the CPU has kernels for edits alone.
enum class QuantitySet {
  goal,
  dtw,
  alignment,
  all_edges,
  all_viewpoints,
  edits_edges,
  edits_viewpoints
};

/// Returns the bits of Quantity in a set. PL(R) comes with the reference and costs nothing.
WARPATH_CONSTEXPR unsigned quantities_of(QuantitySet set) {
  switch (set) {
    case QuantitySet::goal:
      return quantity_goal | quantity_length | quantity_reference;
    case QuantitySet::dtw:
      return quantity_dtw | quantity_reference;
    case QuantitySet::alignment:
      return quantity_dtw | quantity_coverage | quantity_deviation | quantity_reference;
    case QuantitySet::edits_edges:
    case QuantitySet::edits_viewpoints:
      return quantity_edits;
    case QuantitySet::all_edges:
    case QuantitySet::all_viewpoints:
      break;
  }
  return quantity_all;
}

/// Tells whether the edit distance of a set compares edges; true if the set has none.
WARPATH_CONSTEXPR bool compares_edges(QuantitySet set) {
  return set != QuantitySet::all_viewpoints && set != QuantitySet::edits_viewpoints;
}

/// Tells whether a set contains all of these quantities.
WARPATH_CONSTEXPR bool covers(QuantitySet set, unsigned quantities) {
  return (quantities & ~quantities_of(set)) == 0;
}

/// Tells whether a kernel of these quantities looks up a KnownColumn beside replicated rows.
WARPATH_CONSTEXPR bool uses_known_columns(unsigned quantities) {
  return quantities & (quantity_deviation | quantity_edits);
}

/// Returns the smallest compiled set that covers a request.
/// @param quantities bits of Quantity
/// @param edits_alone the back end has kernels for the edit distance alone
WARPATH_CONSTEXPR QuantitySet quantity_set_covering(unsigned quantities, EditUnit unit,
                                                    bool edits_alone = false) {
  if (covers(QuantitySet::goal, quantities)) return QuantitySet::goal;
  if (covers(QuantitySet::dtw, quantities)) return QuantitySet::dtw;
  if (covers(QuantitySet::alignment, quantities)) return QuantitySet::alignment;
  const bool edges = unit == EditUnit::edges;
  if (edits_alone && covers(QuantitySet::edits_edges, quantities)) {
    return edges ? QuantitySet::edits_edges : QuantitySet::edits_viewpoints;
  }
  return edges ? QuantitySet::all_edges : QuantitySet::all_viewpoints;
}

/// Quantities of continuous paths that are measured in double precision before the sweep. They come
/// with the pair and replace the sweep's own values.
inline constexpr unsigned quantities_of_point_pair =
    quantity_goal | quantity_length | quantity_reference;

/// Returns the quantities that the kernel of a set sweeps continuous paths for; none for `goal`,
/// which needs no sweep.
WARPATH_CONSTEXPR unsigned swept_of(QuantitySet set) {
  return quantities_of(set) & ~quantities_of_point_pair;
}

/// Returns the set for a sweep of continuous paths. @param edits_known whether ED comes with the
/// pair
WARPATH_CONSTEXPR QuantitySet point_quantity_set(unsigned quantities, EditUnit unit,
                                                 bool edits_known) {
  const unsigned known = quantities_of_point_pair | (edits_known ? unsigned{quantity_edits} : 0u);
  return quantity_set_covering(quantities & ~known, unit);
}

}  // namespace warpath::kernels
