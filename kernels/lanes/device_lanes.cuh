#pragma once

#include "kernels/lanes/scalar_lanes.hpp"

namespace warpath::kernels {

/// Uses a group of W threads of a warp for each pair. A register is a scalar. A value moves by a
/// shuffle whose mask has only the group's own lanes, since other groups of the warp may be at
/// another instruction.
///
///   W = 8:  lane    0 … 7       8 … 15       16 … 23      24 … 31
///           rank    0 … 7       0 …  7        0 …  7       0 …  7
///           mask  0x000000ff  0x0000ff00   0x00ff0000   0xff000000
///
/// @tparam Together all groups of a warp make the same calls: a mask that has all threads takes no
/// instructions to make and to check
/// @pre Blocks are one-dimensional and a multiple of 32 threads.
template <int W_, bool Together = false>
struct DeviceLanes : ScalarOps {
  static_assert(W_ >= 1 && W_ <= 32 && (W_ & (W_ - 1)) == 0);
  static constexpr int W = W_;

  WARPATH_HD static int rank() { return W == 1 ? 0 : static_cast<int>(threadIdx.x % W); }

  // All values that the sweep compares are >= +0 and not NaN, so their bits are ordered as
  // integers: one instruction instead of two.
  WARPATH_HD static F min3(F a, F b, F c) {
    return __int_as_float(__vimin3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
  }
  // Does not compare bits: limits of fractions may be NaN. A NaN in `a` gives b, as elsewhere.
  WARPATH_HD static F min(F a, F b) { return fminf(a, b); }
  WARPATH_HD static F max(F a, F b) { return fmaxf(a, b); }

  /// Returns a word whose bit First + i is set if d[i] is 0. Uses no compare: the pipe for those is
  /// the busiest. Bits from First + K on mean nothing. @pre each distance is 0 or at least 2^-126
  template <int First, int K>
  WARPATH_HD static B zero_rows(const F (&d)[K]) {
    if constexpr (K <= 23) {
      return ~nonzero_rows<0, K>(d) << First;
    } else {
      return ~nonzero_rows<0, K / 2>(d) << First & ~(~0u << (First + K / 2)) |
             ~nonzero_rows<K / 2, K - K / 2>(d) << (First + K / 2);
    }
  }

  /// Computes K square roots, correctly rounded: the fast part of the toolkit's sqrtf, without the
  /// tests that choose it. @pre all are from 2^-101 to the largest finite float
  template <int K>
  WARPATH_HD static void square_roots(F (&x)[K]) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) x[i] = quick_sqrt(x[i]);
  }

  // Shifts values up by one rank.
  // rank     0     1     2    …  W − 1
  // value    a     b     c    …
  // result  fill   a     b    …
  template <class T>
  WARPATH_HD static T shift_up(T value, T fill) {
    if constexpr (W == 1) return fill;
    const T got = __shfl_up_sync(mask(), value, 1, W);
    return rank() == 0 ? fill : got;
  }
  // Gives every rank the value of the last one.
  // rank     0     1    …  W − 1
  // value    a     b    …    z
  // result   z     z    …    z
  template <class T>
  WARPATH_HD static T from_last(T value) {
    if constexpr (W == 1) return value;
    return __shfl_sync(mask(), value, W - 1, W);
  }
  // Gives every rank the value of the rank that it names.
  // rank     0     1     2    …  W − 1
  // value    a     b     c    …    z
  // of       1     0   W − 1  …    2
  // result   b     a     z    …    c
  template <class T>
  WARPATH_HD static T from(T value, int of) {
    if constexpr (W == 1) return value;
    return __shfl_sync(mask(), value, of, W);
  }
  /// Returns the highest value of the groups that keep together. @pre it is not negative
  WARPATH_HD static int highest(I x) {
    if constexpr (!Together) return x;
    return static_cast<int>(__reduce_max_sync(mask(), static_cast<unsigned>(x)));
  }
  /// Waits until all lanes of the group may read what one has written.
  WARPATH_HD static void sync() {
    if constexpr (W > 1) __syncwarp(mask());
  }

  /// Waits for all groups of the block, of whatever warp.
  WARPATH_HD static void block_sync() { __syncthreads(); }

  template <class T>
  WARPATH_HD static T border(const T* p, int j) {
    return p[j];
  }
  template <class T>
  WARPATH_HD static void store_border(T* p, int j, bool live, T value) {
    if (rank() == W - 1 && live) p[j] = value;
  }

 private:
  // Returns a word whose bit i, below Count, is set if d[Begin + i] is not 0. Higher bits are
  // undefined.
  //   distance      0   2^-126   7.25   +inf
  //   saturated     0     1       1      1      times 2^i, added to 2^23, whose low bits are 0
  template <int Begin, int Count, int K>
  WARPATH_HD static B nonzero_rows(const F (&d)[K]) {
    static_assert(Count <= 23);
    F word = 0x1p23f;
    WARPATH_UNROLL for (int i = 0; i < Count; ++i) {
      F one;
      asm("mul.rn.sat.f32 %0, %1, %2;" : "=f"(one) : "f"(d[Begin + i]), "f"(0x1p126f));
      word = fma(one, static_cast<F>(1u << i), word);
    }
    return __float_as_uint(word);
  }

  WARPATH_HD static F quick_sqrt(F x) {
    F r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const F g = x * r;
    return fma(fma(-g, g, x), 0.5f * r, g);
  }

  WARPATH_HD static unsigned mask() {
    if constexpr (W == 32 || Together) return ~0u;
    return ((1u << W % 32) - 1) << (threadIdx.x % 32 / W * W);
  }
};

}  // namespace warpath::kernels
