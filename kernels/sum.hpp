#pragma once

#include "kernels/hd.hpp"

namespace warpath::kernels {

/// A running sum in two floats, high + low, so that a hundred thousand terms do not drift: Knuth's
/// two-sum keeps what each addition rounds away. Terms are added in path order on every shape, so
/// the result depends on nothing but the path.
template <class F>
struct Sum {
  F high, low;

  WARPATH_HD void add(F term) {
    const F next = high + term;
    const F taken = next - high;  // the part of `term` that arrived
    low = low + ((high - (next - taken)) + (term - taken));
    high = next;
  }

  WARPATH_HD F value() const { return high + low; }
};

}  // namespace warpath::kernels
