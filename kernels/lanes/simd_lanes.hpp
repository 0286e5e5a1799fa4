#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/lanes/simd_fma.hpp"
#include "kernels/lanes/simd_philox.hpp"
#include "kernels/lanes/vector.hpp"

// Uses CPU vector registers as lanes. A translation unit is compiled for one instruction set, which
// decides the vector width. The width is part of every type, so no two units share an
// instantiation. GCC's and Clang's vector extensions do the work; intrinsics are used only for AVX2
// and AVX-512.

namespace warpath::kernels {

/// Holds N native vectors of V values. The compiler would split one wide vector into much slower
/// code.
template <class T, int V, int N>
struct Reg {
  using Vector = typename VectorOf<T, V>::type;
  Vector v[N];
};

#define WARPATH_REG_OPERATOR(op)                                                   \
  template <class T, int V, int N>                                                 \
  WARPATH_HD Reg<T, V, N> operator op(Reg<T, V, N> a, const Reg<T, V, N>& b) {     \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] op b.v[k];          \
    return a;                                                                      \
  }                                                                                \
  template <class T, int V, int N>                                                 \
  WARPATH_HD Reg<T, V, N> operator op(Reg<T, V, N> a, std::type_identity_t<T> b) { \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] op b;               \
    return a;                                                                      \
  }
WARPATH_REG_OPERATOR(+)
WARPATH_REG_OPERATOR(-)
WARPATH_REG_OPERATOR(*)
WARPATH_REG_OPERATOR(/)
WARPATH_REG_OPERATOR(&)
WARPATH_REG_OPERATOR(|)
WARPATH_REG_OPERATOR(^)
#undef WARPATH_REG_OPERATOR

template <int V, int N>
WARPATH_HD Reg<std::uint32_t, V, N> operator<<(Reg<std::uint32_t, V, N> a, int s) {
  WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] << s;
  return a;
}
template <int V, int N>
WARPATH_HD Reg<std::uint32_t, V, N> operator<<(Reg<std::uint32_t, V, N> a,
                                               const Reg<int, V, N>& s) {
  WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] << s.v[k];
  return a;
}
template <int V, int N>
WARPATH_HD Reg<std::uint32_t, V, N> operator>>(Reg<std::uint32_t, V, N> a, int s) {
  WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] >> s;
  return a;
}
template <int V, int N>
WARPATH_HD Reg<std::uint32_t, V, N> operator~(Reg<std::uint32_t, V, N> a) {
  WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = ~a.v[k];
  return a;
}

// Comparisons give a mask: each lane is 0 or −1.
#define WARPATH_REG_COMPARE(op)                                                         \
  template <class T, int V, int N>                                                      \
  WARPATH_HD Reg<int, V, N> operator op(const Reg<T, V, N>& a, const Reg<T, V, N>& b) { \
    Reg<int, V, N> r;                                                                   \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = a.v[k] op b.v[k];               \
    return r;                                                                           \
  }                                                                                     \
  template <int V, int N>                                                               \
  WARPATH_HD Reg<int, V, N> operator op(Reg<int, V, N> a, int b) {                      \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] op b;                    \
    return a;                                                                           \
  }
WARPATH_REG_COMPARE(<)
WARPATH_REG_COMPARE(>)
WARPATH_REG_COMPARE(<=)
WARPATH_REG_COMPARE(>=)
WARPATH_REG_COMPARE(==)
#undef WARPATH_REG_COMPARE

/// Holds Lanes values per register. W = 1: each lane is another pair. W = Lanes: all lanes are one
/// pair.
template <int W_, int Lanes_ = W_>
struct SimdLanes {
  static_assert(W_ == 1 || W_ == Lanes_);
  static constexpr int W = W_, Lanes = Lanes_;
  static constexpr int V = vector_bytes / 4 < Lanes ? vector_bytes / 4 : Lanes, N = Lanes / V;
  static_assert(N * V == Lanes);
  using F = Reg<float, V, N>;
  using I = Reg<int, V, N>;
  using B = Reg<std::uint32_t, V, N>;
  using M = I;

  template <class T>
  WARPATH_HD static Reg<T, V, N> all(T x) {
    Reg<T, V, N> r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = x - typename Reg<T, V, N>::Vector{};
    return r;
  }
  WARPATH_HD static F real(float x) { return all(x); }
  WARPATH_HD static I integer(int x) { return all(x); }
  WARPATH_HD static B bits(std::uint32_t x) { return all(x); }
  WARPATH_HD static I rank() {
    if constexpr (W > 1) return indices();
    return integer(0);
  }

  template <class T>
  WARPATH_HD static Reg<T, V, N> select(M m, Reg<T, V, N> a, Reg<T, V, N> b) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = m.v[k] ? a.v[k] : b.v[k];
    return a;
  }
  WARPATH_HD static F min(F a, F b) { return select(a < b, a, b); }
  WARPATH_HD static F max(F a, F b) { return select(a > b, a, b); }
  // c arrives last, so this order has the shortest dependency chain.
  WARPATH_HD static F min3(F a, F b, F c) { return min(min(a, b), c); }

  /// Returns a word with all bits set from one on: all for bit 0 and less, none for 32 and more.
  WARPATH_HD static B ones_from(I bit) {
    const B shifted = bits(~0u) << select(bit < 32, select(bit > 0, bit, integer(0)), integer(31));
    return select(bit < 32, shifted, bits(0));
  }
  WARPATH_HD static F divide_in_range(F a, F b) { return a / b; }
  WARPATH_HD static I to_integer(B b) {
    I r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = (typename I::Vector)b.v[k];
    return r;
  }
  WARPATH_HD static B to_bits(I i) {
    B b;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) b.v[k] = (typename B::Vector)i.v[k];
    return b;
  }
  WARPATH_HD static F to_real(I i) {
    F r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      r.v[k] = __builtin_convertvector(i.v[k], typename F::Vector);
    }
    return r;
  }
  /// Returns 2^k where k is the integer in the low bits of z (see exp_nonpositive).
  WARPATH_HD static F shifted_pow2(F z) {
    using Words = typename B::Vector;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      z.v[k] = (typename F::Vector)(((Words)z.v[k] << 23) + 0x3f800000u);
    }
    return z;
  }
  /// Computes square roots, correctly rounded.
  WARPATH_HD static F sqrt(F a) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = sqrt1(a.v[k]);
    return a;
  }
  WARPATH_HD static F fma(F a, F b, F c) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = fma1(a.v[k], b.v[k], c.v[k]);
    return a;
  }

  /// Replaces each lane's counter by four random words (see philox()).
  WARPATH_HD static void philox(B (&words)[4], PhiloxKey key) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      typename B::Vector vectors[4];
      WARPATH_UNROLL for (int i = 0; i < 4; ++i) vectors[i] = words[i].v[k];
      philox_of_lanes<V>(vectors, key);
      WARPATH_UNROLL for (int i = 0; i < 4; ++i) words[i].v[k] = vectors[i];
    }
  }
  /// Computes both halves of products of 32 x 32 bits.
  WARPATH_HD static void multiply(B a, B b, B& high, B& low) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      multiply_words<V>(a.v[k], b.v[k], high.v[k], low.v[k]);
    }
  }
  WARPATH_HD static bool any(M m) {
#if defined(__AVX512F__)
    if constexpr (V == 16 && N == 1) return _mm512_movepi32_mask((__m512i)m.v[0]) != 0;
#endif
    int some = 0;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      for (int l = 0; l < V; ++l) some |= m.v[k][l];
    }
    return some != 0;
  }

  /// Shifts values up: rank r gets the value of rank r − 1, rank 0 gets `fill`.
  ///   v = a b c d, fill = x x x x  ->  x a b c
  template <class T>
  WARPATH_HD static Reg<T, V, N> shift_up(Reg<T, V, N> v, Reg<T, V, N> fill) {
    if constexpr (W == 1) return fill;
    WARPATH_UNROLL for (int k = N - 1; k > 0; --k) {
      v.v[k] = shuffle<lane_below>(v.v[k], v.v[k - 1]);
    }
    v.v[0] = shuffle<lane_below>(v.v[0], fill.v[0]);
    return v;
  }
  template <class T>
  WARPATH_HD static Reg<T, V, N> from_last(Reg<T, V, N> v) {
    if constexpr (W > 1) return all(last(v));
    return v;
  }
  WARPATH_HD static void sync() {}

  WARPATH_HD static int highest(I x) {
    if constexpr (W > 1) return x.v[0][0];  // one pair: the value is the same in every lane
    alignas(64) int lane[Lanes];
    store(lane, x);
    int h = lane[0];
    for (int l = 1; l < Lanes; ++l) h = lane[l] > h ? lane[l] : h;
    return h;
  }
  template <class T>
  WARPATH_HD static T last(const Reg<T, V, N>& v) {
    return v.v[N - 1][V - 1];
  }

  // Borders hold one value per column (W > 1), or one per column and pair (W = 1).
  template <class T>
  WARPATH_HD static Reg<T, V, N> border(const T* p, int j) {
    if constexpr (W > 1) return all(p[j]);
    return load(p + static_cast<std::size_t>(j) * Lanes);
  }
  template <class T>
  WARPATH_HD static void store_border(T* p, int j, M live, Reg<T, V, N> v) {
    if constexpr (W > 1) {
      if (last(live)) p[j] = last(v);
    } else {
      store(p + static_cast<std::size_t>(j) * Lanes, v);
    }
  }

  template <class T>
  WARPATH_HD static Reg<T, V, N> load(const T* p) {
    Reg<T, V, N> r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) __builtin_memcpy(&r.v[k], p + k * V, sizeof r.v[k]);
    return r;
  }
  /// Loads 16-bit ids and widens them.
  WARPATH_HD static I load_ids(const std::uint16_t* p) {
    I r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      typename VectorOf<std::uint16_t, V>::type ids;
      __builtin_memcpy(&ids, p + k * V, sizeof ids);
      r.v[k] = __builtin_convertvector(ids, IVector);
    }
    return r;
  }
  WARPATH_HD static I load_ids(const int* p) {
    return load(p);
  }
  template <class T>
  WARPATH_HD static void store(T* p, const Reg<T, V, N>& r) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) __builtin_memcpy(p + k * V, &r.v[k], sizeof r.v[k]);
  }

  /// Narrows ids to 16 bits and stores them.
  WARPATH_HD static void store_ids(std::uint16_t* p, const I& r) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      const auto ids = __builtin_convertvector(r.v[k], typename VectorOf<std::uint16_t, V>::type);
      __builtin_memcpy(p + k * V, &ids, sizeof ids);
    }
  }
  /// Loads p[l] into lanes begin <= l < end and `other` into the rest; reads nothing else.
  WARPATH_HD static I load_between(const int* p, int begin, int end, I other) {
    static_assert(N == 1);
#if defined(__AVX512F__)
    if constexpr (V == 16) {
      const unsigned first = begin < 0 ? 0 : begin > 16 ? 16 : begin;
      const unsigned last = end < 0 ? 0 : end > 16 ? 16 : end;
      const auto mask = static_cast<__mmask16>(((1u << last) - 1) & ~((1u << first) - 1));
      other.v[0] = (IVector)_mm512_mask_loadu_epi32((__m512i)other.v[0], mask, p);
      return other;
    }
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) {
      const I at = indices();
      const I mask = (at >= begin) & (at < integer(end));
      const auto loaded = (IVector)_mm256_maskload_epi32(p, (__m256i)mask.v[0]);
      return select(mask, I{{loaded}}, other);
    }
#endif
    for (int l = begin < 0 ? 0 : begin; l < (end < V ? end : V); ++l) other.v[0][l] = p[l];
    return other;
  }

  /// Loads p[index] for every lane.
  WARPATH_HD static F gather(const float* p, I index) {
    F r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = gather1(p, index.v[k]);
    return r;
  }
  WARPATH_HD static B gather(const std::uint32_t* p, I index) {
    const F r = gather(reinterpret_cast<const float*>(p), index);
    B words;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) words.v[k] = (typename B::Vector)r.v[k];
    return words;
  }

  static constexpr bool can_transpose = V >= 8 && N == 1;
  /// Loads d[i] of lane l from table[id[l] * pitch + i]; K is a multiple of 4.
  template <int K, class Id>
  WARPATH_HD static void load_transposed(const float* table, const Id* id, int pitch, F (&d)[K]) {
    static_assert(K % 4 == 0);
    if constexpr (!can_transpose) {
      WARPATH_UNROLL for (int i = 0; i < K; ++i) {
        for (int l = 0; l < Lanes; ++l) d[i].v[l / V][l % V] = table[id[l] * pitch + i];
      }
    } else {
      const float* row[V];
      WARPATH_UNROLL for (int l = 0; l < V; ++l) row[l] = table + id[l] * pitch;
      WARPATH_UNROLL for (int part = 0; part < K; part += 4) {
        FVector quads[4];
        WARPATH_UNROLL for (int l = 0; l < 4; ++l) quads[l] = load_quads(row, l, part);
        transpose_quads(quads);
        WARPATH_UNROLL for (int i = 0; i < 4; ++i) d[part + i].v[0] = quads[i];
      }
    }
  }

  /// Transposes V registers of V values: in round h, values h apart are exchanged.
  ///   h = 1:  a b   ->  a c      h = 2, 4, …: the same with pairs, quads, …
  ///           c d       b d
  WARPATH_HD static void transpose(I (&rows)[V]) {
    static_assert(N == 1);
    transpose_round<1>(rows);
    if constexpr (V > 2) transpose_round<2>(rows);
    if constexpr (V > 4) transpose_round<4>(rows);
    if constexpr (V > 8) transpose_round<8>(rows);
  }

 private:
  using FVector = typename F::Vector;

  using IVector = typename I::Vector;

  // Loads four values each of lanes l, l + 4, l + 8, …
  WARPATH_HD static FVector load_quads(const float* const (&row)[V], int l, int part) {
#if defined(__AVX512F__)
    if constexpr (V == 16) {
      __m512 r = _mm512_castps128_ps512(_mm_loadu_ps(row[l] + part));
      r = _mm512_insertf32x4(r, _mm_loadu_ps(row[l + 4] + part), 1);
      r = _mm512_insertf32x4(r, _mm_loadu_ps(row[l + 8] + part), 2);
      return (FVector)_mm512_insertf32x4(r, _mm_loadu_ps(row[l + 12] + part), 3);
    }
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) {
      const __m256 r = _mm256_castps128_ps256(_mm_loadu_ps(row[l] + part));
      return (FVector)_mm256_insertf128_ps(r, _mm_loadu_ps(row[l + 4] + part), 1);
    }
#endif
    float values[V];
    for (int q = 0; q < V; q += 4) {
      __builtin_memcpy(values + q, row[l + q] + part, 4 * sizeof(float));
    }
    FVector r;
    __builtin_memcpy(&r, values, sizeof r);
    return r;
  }

  // Returns 0, 1, 2, …
  WARPATH_HD static I indices() {
    static constexpr auto numbers = [] {
      struct {
        alignas(64) int at[Lanes];
      } r{};
      for (int l = 0; l < Lanes; ++l) r.at[l] = l;
      return r;
    }();
    return load(numbers.at);
  }

  /// Selects: lane l of the result is lane from(l) of a, or lane from(l) − V of b.
  template <int (*from)(int), class T>
  WARPATH_HD static T shuffle(T a, T b) {
    return shuffle<from>(a, b, std::make_integer_sequence<int, V>{});
  }
  template <int (*from)(int), class T, int... l>
  WARPATH_HD static T shuffle(T a, T b, std::integer_sequence<int, l...>) {
    return __builtin_shufflevector(a, b, from(l)...);
  }
  template <int (*low)(int), int (*high)(int), class T>
  WARPATH_HD static void shuffle_both(T& a, T& b) {
    const T first = shuffle<low>(a, b);
    b = shuffle<high>(a, b);
    a = first;
  }

  static constexpr int lane_below(int l) {
    return l == 0 ? 2 * V - 1 : l - 1;
  }
  template <int h>
  static constexpr int low_swapped(int l) {
    return l & h ? V + (l ^ h) : l;
  }
  template <int h>
  static constexpr int high_swapped(int l) {
    return l & h ? V + l : l ^ h;
  }
  template <int h>
  WARPATH_HD static void transpose_round(I (&rows)[V]) {
    WARPATH_UNROLL for (int i = 0; i < V; ++i) {
      if ((i & h) == 0) {
        shuffle_both<low_swapped<h>, high_swapped<h>>(rows[i].v[0], rows[i + h].v[0]);
      }
    }
  }

  // Returns the source of lane l when quads of two registers a, b are mixed: values 0 and 1 of both
  // in turns, then values 2 and 3; or halves.
  template <bool halves, int first>
  static constexpr int merged(int l) {
    const int quad = l / 4 * 4, k = l % 4;
    const int other = halves ? k / 2 : k % 2, value = halves ? k % 2 : k / 2;
    return other * V + quad + value + first;
  }
  template <bool halves>
  WARPATH_HD static void merge_quads(FVector& a, FVector& b) {
    shuffle_both<merged<halves, 0>, merged<halves, 2>>(a, b);
  }
  // Transposes within each quad, 4 x 4:
  //   a0 a1 a2 a3              a0 b0 a1 b1              a0 b0 c0 d0
  //   b0 b1 b2 b3  in turns    a2 b2 a3 b3    halves    a1 b1 c1 d1
  //   c0 c1 c2 c3     ->       c0 d0 c1 d1      ->      a2 b2 c2 d2
  //   d0 d1 d2 d3              c2 d2 c3 d3              a3 b3 c3 d3
  WARPATH_HD static void transpose_quads(FVector (&q)[4]) {
    merge_quads<false>(q[0], q[1]);
    merge_quads<false>(q[2], q[3]);
    merge_quads<true>(q[0], q[2]);
    merge_quads<true>(q[1], q[3]);
    const FVector second = q[2];
    q[2] = q[1];
    q[1] = second;
  }

  WARPATH_HD static FVector sqrt1(FVector a) {
#if defined(__AVX512F__)
    if constexpr (V == 16) return (FVector)_mm512_sqrt_ps((__m512)a);
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) return (FVector)_mm256_sqrt_ps((__m256)a);
    if constexpr (V == 4) return (FVector)_mm_sqrt_ps((__m128)a);
#else
    for (int l = 0; l < V; ++l) a[l] = __builtin_sqrtf(a[l]);
    return a;
#endif
  }
  WARPATH_HD static FVector fma1(FVector a, FVector b, FVector c) {
#if defined(__AVX512F__)
    if constexpr (V == 16) return (FVector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) return (FVector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    if constexpr (V == 4) return (FVector)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#elif defined(__FP_FAST_FMAF)
    for (int l = 0; l < V; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
    return a;
#else
    return fma_by_doubles(a, b, c);
#endif
  }
  WARPATH_HD static FVector gather1(const float* p, IVector index) {
#if defined(__AVX512F__)
    if constexpr (V == 16) return (FVector)_mm512_i32gather_ps((__m512i)index, p, 4);
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) return (FVector)_mm256_i32gather_ps(p, (__m256i)index, 4);
    if constexpr (V == 4) return (FVector)_mm_i32gather_ps(p, (__m128i)index, 4);
#else
    float lane[V];
    for (int l = 0; l < V; ++l) __builtin_memcpy(lane + l, p + index[l], sizeof *lane);
    FVector r;
    __builtin_memcpy(&r, lane, sizeof r);
    return r;
#endif
  }
};

}  // namespace warpath::kernels
