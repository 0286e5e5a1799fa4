#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/host_device.hpp"
#include "kernels/philox.hpp"

namespace warpath::kernels {

/// Defines the operations of a single lane whose registers are scalars: on the device, on fibers,
/// in plain C++. F is a real, I a signed integer, B 32 bits, M a lane's part of a mask.
struct ScalarOps {
  using F = float;
  using I = int;
  using B = std::uint32_t;
  using M = bool;
  WARPATH_HD static F real(float x) { return x; }
  WARPATH_HD static I integer(int x) { return x; }
  WARPATH_HD static B bits(std::uint32_t x) { return x; }
  template <class T>
  WARPATH_HD static T select(M m, T a, T b) {
    return m ? a : b;
  }
  WARPATH_HD static F min(F a, F b) { return a < b ? a : b; }
  WARPATH_HD static F max(F a, F b) { return a > b ? a : b; }
  WARPATH_HD static F min3(F a, F b, F c) { return min(min(a, b), c); }
  WARPATH_HD static I to_integer(B b) { return static_cast<I>(b); }
  WARPATH_HD static F to_real(I i) { return static_cast<F>(i); }
  WARPATH_HD static int highest(I x) { return x; }
  WARPATH_HD static B to_bits(I i) { return static_cast<B>(i); }
  WARPATH_HD static bool any(M m) { return m; }
  WARPATH_HD static B gather(const std::uint32_t* p, I index) { return p[index]; }
  WARPATH_HD static F gather(const float* p, I index) { return p[index]; }
  template <class T>
  WARPATH_HD static T load(const T* p) {
    return *p;
  }
  template <class T>
  WARPATH_HD static void store(T* p, std::type_identity_t<T> value) {
    *p = value;
  }
  /// Replaces a counter by four random words (see philox()).
  WARPATH_HD static void philox(B (&words)[4], PhiloxKey key) { kernels::philox(words, key); }
  /// Computes both halves of a product of 32 x 32 bits.
  WARPATH_HD static void multiply(B a, B b, B& high, B& low) {
    const std::uint64_t product = std::uint64_t{a} * b;
    high = static_cast<B>(product >> 32);
    low = static_cast<B>(product);
  }
#if defined(__CUDACC__)
  WARPATH_HD static B ones_from(I bit) {
    B ones;
    asm("shl.b32 %0, %1, %2;" : "=r"(ones) : "r"(~0u), "r"(::max(bit, 0)));  // 0 from 32 on
    return ones;
  }
  // This is the toolkit's division without its test for operands that over- or underflow.
  WARPATH_HD static F divide_in_range(F a, F b) {
    F r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(b));
    r = fma(fma(-b, r, 1.0f), r, r);
    const F q = a * r;
    return fma(fma(-b, q, a), r, q);
  }
  WARPATH_HD static F fma(F a, F b, F c) {
    return __fmaf_rn(a, b, c);
  }
  WARPATH_HD static F sqrt(F a) {
    return __fsqrt_rn(a);
  }
  WARPATH_HD static F shifted_pow2(F z) {
    return __uint_as_float((__float_as_uint(z) << 23) + 0x3f800000u);
  }
#else
  WARPATH_HD static F fma(F a, F b, F c) {
    return __builtin_fmaf(a, b, c);
  }
  WARPATH_HD static F sqrt(F a) {
    return __builtin_sqrtf(a);
  }
  /// Returns a word with all bits set from one on: all for bit 0 and less, none for 32 and more.
  WARPATH_HD static B ones_from(I bit) {
    return bit <= 0 ? ~0u : bit >= 32 ? 0u : ~0u << bit;
  }
  /// Returns a / b, correctly rounded except where it is below 2^-100. @pre b is from 2^-100 to
  /// 2^120, as numbers of viewpoints are; any result will do for 0 or an infinite a.
  WARPATH_HD static F divide_in_range(F a, F b) {
    return a / b;
  }
  template <int K>
  WARPATH_HD static void square_roots(F (&x)[K]) {
    for (int i = 0; i < K; ++i) x[i] = sqrt(x[i]);
  }
  /// Returns 2^k where k is the integer in the low bits of z (see exp_nonpositive).
  WARPATH_HD static F shifted_pow2(F z) {
    std::uint32_t word;
    __builtin_memcpy(&word, &z, sizeof word);
    word = (word << 23) + 0x3f800000u;
    __builtin_memcpy(&z, &word, sizeof z);
    return z;
  }
#endif
};

/// Gives one lane to each pair in plain C++: the simplest policy, and the one to read first.
struct ScalarLanes : ScalarOps {
  static constexpr int W = 1;
  WARPATH_HD static int rank() { return 0; }
  template <class T>
  WARPATH_HD static T shift_up(T, T fill) {
    return fill;
  }
  template <class T>
  WARPATH_HD static T from_last(T v) {
    return v;
  }
  template <class T>
  WARPATH_HD static T from(T v, int) {
    return v;
  }
  WARPATH_HD static void sync() {}
  template <class T>
  WARPATH_HD static T border(const T* p, int j) {
    return p[j];
  }
  template <class T>
  WARPATH_HD static void store_border(T* p, int j, bool live, T v) {
    if (live) p[j] = v;
  }
};

}  // namespace warpath::kernels
