#pragma once

#include <cstdint>

#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/views/checks.hpp"
#include "kernels/views/packing.hpp"

// Takes in what lies in the device's memory already: stores references, and checks what the kernels
// would have to take on trust.

namespace warpath::kernels {

/// Returns how many viewpoints a reference has, at most the layout's max_length; 0 if its scan, its
/// length or one of the viewpoints does not exist.
WARPATH_HD std::uint32_t usable_length(const StoreView& view, std::uint32_t r) {
  const std::int64_t scan = view.scan_of.exact(r);
  if (scan < 0 || scan >= view.scans || view.from.layout.exact_length(r) < 0) return 0;
  const std::int64_t viewpoints = view.terms.scans[scan].pad;
  const std::uint32_t n = view.from.length(r);
  const IntegerArray nodes = view.from.path(r);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::int64_t node = nodes.exact(i);
    if (node < 0 || node >= viewpoints) return 0;
  }
  return n;
}

/// Stores a reference and computes its terms. One that cannot be scored is stored without
/// viewpoints, so that its pairs get no scores.
WARPATH_HD void store_reference(const StoreView& view, std::uint32_t r) {
  const std::uint32_t to = view.first + r, n = usable_length(view, r);
  view.lengths[to] = n;
  view.to_scan_of[to] = n > 0 ? view.scan_of[r] : 0;
  if (n == 0) return;
  const IntegerArray nodes = view.from.path(r);
  std::uint16_t* stored = view.nodes + std::size_t{to} * view.pitch;
  for (std::uint32_t i = 0; i < n; ++i) stored[i] = static_cast<std::uint16_t>(nodes.small(i));
  write_terms(view.terms, to, view.terms.references.path(to), view.terms.references.length(to));
}

/// Returns what is wrong with a pair. Nothing is read that might not be there.
WARPATH_HD PairProblem problem_of(const CheckView& view, std::uint32_t i) {
  const PairsView& p = view.pairs;
  if (!p.is_active(i)) return {PairFault::none, i, 0, 0, 0};
  const std::int64_t r = view.reference(i);
  if (r < 0 || r >= view.references) return {PairFault::reference, i, r, view.references, 0};
  const auto reference = static_cast<std::uint32_t>(r);
  if (p.references.length(reference) == 0) return {PairFault::no_reference, i, r, 0, 0};
  const std::int64_t m = p.queries.layout.exact_length(i);
  if (m <= 0) return {PairFault::length, i, m, 0, 0};
  if (m > p.queries.layout.max_length) {
    return {PairFault::too_long, i, m, p.queries.layout.max_length, 0};
  }
  if (!p.queries.nodes.exist()) return {PairFault::none, i, 0, 0, 0};
  const auto viewpoints = static_cast<std::uint32_t>(p.scans[p.scan_of[reference]].pad);
  const IntegerArray nodes = p.queries.path(i);
  for (std::uint32_t k = 0; k < m; ++k) {
    const std::int64_t node = nodes.exact(k);
    if (node < 0 || node >= viewpoints) return {PairFault::viewpoint, i, node, viewpoints, k};
  }
  return {PairFault::none, i, 0, 0, 0};
}

/// Lowers a word to x, whichever thread comes first.
WARPATH_HD void lower(std::uint32_t* word, std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  atomicMin(word, x);
#else
  if (x < *word) *word = x;
#endif
}

/// Notes a pair that has a fault. @pre *first_bad is 2^32 − 1
WARPATH_HD void check_pair(const CheckView& view, std::uint32_t i) {
  if (problem_of(view, i).fault != PairFault::none) lower(view.first_bad, i);
}

/// Describes the fault of the first bad pair, if there is one. @pre check_pair for all pairs
WARPATH_HD void describe_problem(const CheckView& view, std::uint32_t) {
  const std::uint32_t i = *view.first_bad;
  *view.problem =
      i < view.pairs.count ? problem_of(view, i) : PairProblem{PairFault::none, 0, 0, 0, 0};
}

}  // namespace warpath::kernels
