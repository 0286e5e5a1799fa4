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
/// @pre Blocks are one-dimensional and a multiple of 32 threads.
template <int W_>
struct DeviceLanes : ScalarOps {
  static_assert(W_ >= 1 && W_ <= 32 && (W_ & (W_ - 1)) == 0);
  static constexpr int W = W_;

  WARPATH_HD static int rank() { return W == 1 ? 0 : static_cast<int>(threadIdx.x % W); }

  // All values that the sweep compares are >= +0 and not NaN, so their bits are ordered as
  // integers: one instruction instead of two.
  WARPATH_HD static F min3(F a, F b, F c) {
    return __int_as_float(__vimin3_s32(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
  }
  // Does not compare bits: exp's argument is negative. A NaN in `a` gives b, as elsewhere.
  WARPATH_HD static F min(F a, F b) { return fminf(a, b); }
  WARPATH_HD static F max(F a, F b) { return fmaxf(a, b); }

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
  WARPATH_HD static F quick_sqrt(F x) {
    F r;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    const F g = x * r;
    return fma(fma(-g, g, x), 0.5f * r, g);
  }

  WARPATH_HD static unsigned mask() {
    if constexpr (W == 32) return ~0u;
    return ((1u << W % 32) - 1) << (threadIdx.x % 32 / W * W);
  }
};

}  // namespace warpath::kernels
