#pragma once

#include <type_traits>

#include "kernels/metrics/split_sum.hpp"
#include "warpath/histogram.hpp"

// Adds up the usual values of a column: sums, range and cells of the histogram. Callers add the
// others, such as lengths of kilometres, one by one (see Statistics::add).

namespace warpath::kernels {

/// Metrics whose values are nearly always small integers: they are counted by value, and nothing
/// else has to be done for each.
WARPATH_CONSTEXPR bool has_small_integers(Metric metric, Unit unit) {
  return unit == Unit::count || metric == Metric::SR || metric == Metric::OSR;
}
/// IntegerArray that are counted by value: 0 … small_integers − 1.
inline constexpr std::uint32_t small_integers = 256;

/// Returns which small integer a value is; any number if it is none.
WARPATH_CONSTEXPR std::uint32_t small_integer(float value) {
  constexpr float offset = 0x1p23f;  // whose sum with the value has no binary places
  return __builtin_bit_cast(std::uint32_t, value + offset) -
         __builtin_bit_cast(std::uint32_t, offset);
}
WARPATH_CONSTEXPR bool is_small_integer(float value) {
  return (value + 0x1p23f) - 0x1p23f == value && small_integer(value) < small_integers;
}

/// Holds one value.
struct ScalarValues {
  using F = float;
  using D = double;
  using I = std::int32_t;
  using U = std::uint64_t;
  using M = bool;
  static constexpr int parts = 1;

  template <class T>
  WARPATH_HD static T all(T x) {
    return x;
  }
  WARPATH_HD static D part(F x, int) { return x; }
  WARPATH_HD static U bits(D x) { return bits_of(x); }
  /// Tells whether +0 <= x <= 1.
  WARPATH_HD static M in_unit_interval(F x) { return bits_of(x) <= bits_of(1.0f); }
  WARPATH_HD static std::uint64_t sum(U x) { return x; }
  WARPATH_HD static I integer(F x) { return static_cast<I>(x); }
  WARPATH_HD static F select(M m, F a, F b) { return m ? a : b; }
  WARPATH_HD static I least(I a, I b) { return a < b ? a : b; }
  WARPATH_HD static F absolute(F x) { return __builtin_fabsf(x); }
#if defined(__CUDACC__)
  WARPATH_HD static F lesser(F a, F b) {
    return fminf(a, b);
  }
  WARPATH_HD static F greater(F a, F b) {
    return fmaxf(a, b);
  }
  WARPATH_HD static D multiply_add(D a, D b, D c) {
    return fma(a, b, c);
  }
  /// Returns 0 for negative lengths, else 1 + the length's bin; bins have a width of 1.
  WARPATH_HD static I cell_of_length(F x, I last) {
    return __float2int_rd(fminf(fmaxf(x, -1.0f), static_cast<float>(last))) + 1;
  }
#else
  WARPATH_HD static F lesser(F a, F b) {
    return a < b ? a : b;
  }
  WARPATH_HD static F greater(F a, F b) {
    return a > b ? a : b;
  }
  WARPATH_HD static D multiply_add(D a, D b, D c) {
    return a * b + c;
  }
  WARPATH_HD static I cell_of_length(F x, I last) {
    return x < 0.0f ? 0 : least(integer(x), last) + 1;
  }
#endif
};

/// Values that one QuickSums takes, those of all lanes together.
inline constexpr std::uint32_t max_quick_sum = 4096;

/// Accumulates values of a unit. V names the values: V::F is a float, or several (see
/// split_sum.hpp).
template <class V, Unit unit>
class QuickSums {
 public:
  using F = typename V::F;
  using I = typename V::I;
  using M = typename V::M;

  /// Tells which values can be added: fractions from +0 to 1, lengths below 2^11. No NaN is among
  /// them.
  WARPATH_HD static M takes(F x) {
    if constexpr (is_fraction) return V::in_unit_interval(x);
    return V::absolute(x) < 2048.0f;
  }
  /// Returns histogram_cell of values that can be added; any number for the others.
  WARPATH_HD static I cell_of(F x) {
    static_assert(is_fraction || bins_per_unit == 1);
    if constexpr (is_fraction) return V::least(V::integer(x * bins_per_unit), V::all(last_bin)) + 1;
    return V::cell_of_length(x, last_bin);
  }

  /// Adds values where `taken` holds, and 0 elsewhere: that does not change the sums.
  WARPATH_HD void add(F x, M taken) {
    const F none = V::all(__builtin_nanf(""));
    const F value = V::select(taken, x, none);
    least_ = V::lesser(value, least_);
    greatest_ = V::greater(value, greatest_);
    const F summand = V::select(taken, x, V::all(0.0f));
    WARPATH_UNROLL for (int p = 0; p < V::parts; ++p) {
      const typename V::D d = V::part(summand, p);
      sum_.add(d);
      squares_.add_square(d);
    }
  }

  /// Returns the sums over all lanes, in units of the grid. @param additions calls of add()
  WARPATH_HD Int128 sum(std::uint32_t additions) const { return sum_.total(V::parts * additions); }
  WARPATH_HD Int128 squares(std::uint32_t additions) const {
    return squares_.total(V::parts * additions);
  }
  /// Return each lane's range, never −0; empty if there is no value.
  WARPATH_HD F least() const { return least_ + 0.0f; }
  WARPATH_HD F greatest() const { return greatest_ + 0.0f; }

 private:
  static constexpr bool is_fraction = unit == Unit::fraction;
  static constexpr int grid = Statistics::grid_bits(unit);
  static constexpr float bins_per_unit = Histogram::bins_of(unit).per_unit;
  // The last bin of fractions includes 1; lengths behind the last bin go to the cell behind it.
  static constexpr std::int32_t last_bin = Histogram::bins_of(unit).count - is_fraction;
  static_assert(unit != Unit::count);

  // Lengths below 2^11 are below 2^51 units, their squares and all fractions below 2^62.
  std::conditional_t<is_fraction, SplitSum<V, grid>, WholeSum<V, grid>> sum_;
  SplitSum<V, grid> squares_;
  F least_ = V::all(__builtin_inff()), greatest_ = V::all(-__builtin_inff());
};

}  // namespace warpath::kernels
