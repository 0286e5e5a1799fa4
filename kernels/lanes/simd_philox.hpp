#pragma once

#include "kernels/lanes/vector.hpp"
#include "kernels/philox.hpp"

// Philox on vector registers. A product of 32 x 32 bits fills 64 bits, so the lanes of a register
// are computed in two halves, whose words lie in the lower halves of 64 bits:
//
//   lanes   a b c d e f g h      even   a . c . e . g .      odd   b . d . f . h .

namespace warpath::kernels {

template <int V>
using WideWords = typename VectorOf<std::uint64_t, V / 2>::type;

/// Multiplies the lower halves of 64 bits.
template <int V>
WARPATH_HD WideWords<V> multiply_low_words(WideWords<V> a, WideWords<V> b) {
#if defined(__AVX512F__)
  if constexpr (V == 16) return (WideWords<V>)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#endif
#if defined(__AVX2__)
  if constexpr (V == 8) return (WideWords<V>)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#endif
#if defined(__SSE2__)
  if constexpr (V == 4) return (WideWords<V>)_mm_mul_epu32((__m128i)a, (__m128i)b);
#endif
  return (a & 0xffffffffull) * (b & 0xffffffffull);
}

template <int V>
WARPATH_HD WideWords<V> exclusive_or(WideWords<V> a, WideWords<V> b, WideWords<V> c) {
#if defined(__AVX512F__)
  if constexpr (V == 16) {
    return (WideWords<V>)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
  }
#endif
  return a ^ b ^ c;
}

/// Joins the lower halves of two registers: lanes 0, 2, … from `even`, lanes 1, 3, … from `odd`.
template <int V>
WARPATH_HD typename VectorOf<std::uint32_t, V>::type join_low_words(WideWords<V> even,
                                                                    WideWords<V> odd) {
  using Words = typename VectorOf<std::uint32_t, V>::type;
#if defined(__AVX512F__)
  if constexpr (V == 16) {
    return (Words)_mm512_mask_shuffle_epi32((__m512i)even, 0xaaaa, (__m512i)odd, _MM_PERM_CCAA);
  }
#endif
  return (Words)((even & 0xffffffffull) | (odd << 32));
}

template <int V>
WARPATH_HD void philox_of_half(WideWords<V> (&words)[4], PhiloxKey key) {
  const WideWords<V> none{}, multiplier_0 = philox_multiplier_0 + none,
                             multiplier_1 = philox_multiplier_1 + none;
  WARPATH_UNROLL for (std::uint32_t round = 0; round < philox_rounds; ++round) {
    const WideWords<V> product_0 = multiply_low_words<V>(words[0], multiplier_0);
    const WideWords<V> product_1 = multiply_low_words<V>(words[2], multiplier_1);
    const WideWords<V> key_0 = std::uint64_t{key.low + round * philox_step_0} + none;
    const WideWords<V> key_1 = std::uint64_t{key.high + round * philox_step_1} + none;
    words[0] = exclusive_or<V>(product_1 >> 32, words[1], key_0);
    words[1] = product_1;
    words[2] = exclusive_or<V>(product_0 >> 32, words[3], key_1);
    words[3] = product_0;
  }
}

template <int V>
WARPATH_HD void philox_of_lanes(typename VectorOf<std::uint32_t, V>::type (&words)[4],
                                PhiloxKey key) {
  WideWords<V> even[4], odd[4];
  WARPATH_UNROLL for (int i = 0; i < 4; ++i) {
    even[i] = (WideWords<V>)words[i];
    odd[i] = even[i] >> 32;
  }
  philox_of_half<V>(even, key);
  philox_of_half<V>(odd, key);
  WARPATH_UNROLL for (int i = 0; i < 4; ++i) words[i] = join_low_words<V>(even[i], odd[i]);
}

/// Computes both halves of a product of 32 x 32 bits.
template <int V>
WARPATH_HD void multiply_words(typename VectorOf<std::uint32_t, V>::type a,
                               typename VectorOf<std::uint32_t, V>::type b,
                               typename VectorOf<std::uint32_t, V>::type& high,
                               typename VectorOf<std::uint32_t, V>::type& low) {
  const auto x = (WideWords<V>)a, y = (WideWords<V>)b;
  const WideWords<V> even = multiply_low_words<V>(x, y);
  const WideWords<V> odd = multiply_low_words<V>(x >> 32, y >> 32);
  high = join_low_words<V>(even >> 32, odd >> 32);
  low = join_low_words<V>(even, odd);
}

}  // namespace warpath::kernels
