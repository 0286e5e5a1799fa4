#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace warpath::evaluation {

/// Says which ends of an episode's reference may be aligned with the same end of its query alone,
/// because another episode of the tour lies behind them.
struct HeldEnds {
  bool first = false, last = false;
};

/// Tells whether paths of these sizes have an alignment: a held end of the reference takes one
/// entry of the query, so one or two viewpoints may leave no room for the others.
inline bool has_alignment(std::size_t query, std::size_t reference, HeldEnds held) {
  if (query == 0 || reference == 0) return false;
  if (reference == 1) return query == 1 || !(held.first || held.last);
  return reference > 2 || query <= 2 || !(held.first && held.last);
}

/// Returns the least Σ d(q, r) over all warpings of a query and a reference, in double precision;
/// infinite if there is none. A tour's window lets no warping cross the end of an episode, so its
/// cost is the sum over the episodes (dtw-python's symmetric1 under IVLN's window).
/// @param distances_to `distances_to(r)(q)` is d(q, r)
template <class Element, class DistancesTo>
double alignment_cost(std::span<const Element> query, std::span<const Element> reference,
                      HeldEnds held, const DistancesTo& distances_to) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::size_t n = query.size();
  std::vector<double> column(n, infinity);  // of the reference's entry j - 1, then of j
  for (std::size_t j = 0; j < reference.size(); ++j) {
    const auto distance_of = distances_to(reference[j]);
    const bool is_held_first = held.first && j == 0;
    const bool is_held_last = held.last && j + 1 == reference.size();
    double diagonal = j == 0 ? 0.0 : infinity, above = infinity;
    for (std::size_t i = 0; i < n; ++i) {
      const double before = std::min({diagonal, above, column[i]});
      const bool is_barred = (is_held_first && i > 0) || (is_held_last && i + 1 < n);
      diagonal = column[i];
      above = column[i] = is_barred ? infinity : before + distance_of(query[i]);
    }
  }
  return column.back();
}

}  // namespace warpath::evaluation
