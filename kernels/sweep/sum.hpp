#pragma once

#include "kernels/host_device.hpp"

namespace warpath::kernels {

/// Adds up terms >= 0 in two floats, so that a hundred thousand terms do not drift: the rounding
/// error of each addition is added to the next term (Kahan 1965). Terms are added in path order in
/// every shape, so the result depends only on the path. After an infinite term `high` is infinite
/// or NaN.
template <class L>
struct Sum {
  using F = typename L::F;
  F high, low;

  WARPATH_HD void add(F term) {
    const F due = term + low;
    const F next = high + due;
    low = due - (next - high);
    high = next;
  }

  /// Adds only in the lanes of `live`.
  WARPATH_HD void add(typename L::M live, F term) {
    Sum next = *this;
    next.add(term);
    high = L::select(live, next.high, high);
    low = L::select(live, next.low, low);
  }
};

}  // namespace warpath::kernels
