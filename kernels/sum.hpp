#pragma once

#include "kernels/hd.hpp"

namespace warpath::kernels {

/// A running sum in two floats, high + low, so that a hundred thousand terms do not drift: what one
/// addition rounds away (Knuth's two-sum) is added to the next term. Because `high` is always
/// high + low rounded, a term of 0 changes no bit. Terms are added in path order on every shape, so
/// the result depends on nothing but the path.
template <class L>
struct Sum {
  using F = typename L::F;
  F high, low;

  WARPATH_HD void add(F term) {
    const F due = term + low;
    const F next = high + due;
    const F taken = next - high;  // the part of `due` that arrived
    const F rest = (high - (next - taken)) + (due - taken);
    low = L::select(rest == rest, rest, L::real(0.0f));  // beside infinity there is no rest
    high = next;
  }

  WARPATH_HD F value() const { return high + low; }
};

}  // namespace warpath::kernels
