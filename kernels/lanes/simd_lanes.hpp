#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/hd.hpp"

// CPU vector registers as lanes. A translation unit is compiled for one instruction set; the vector
// width follows from it and is part of every type, so no two units share an instantiation.

namespace warpath::kernels {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T, int V>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * V)));
};

/// N native vectors of V values. One wide vector would be split by the compiler, many times slower.
template <class T, int V, int N>
struct Reg {
  using Vector = typename VectorOf<T, V>::type;
  Vector v[N];
};

#define WARPATH_REG_OPERATOR(op)                                                               \
  template <class T, int V, int N>                                                             \
  WARPATH_HD Reg<T, V, N> operator op(Reg<T, V, N> a, const Reg<T, V, N>& b) {                 \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] op b.v[k];                      \
    return a;                                                                                  \
  }                                                                                            \
  template <class T, int V, int N>                                                             \
  WARPATH_HD Reg<T, V, N> operator op(Reg<T, V, N> a, std::type_identity_t<T> b) {             \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] op b;                           \
    return a;                                                                                  \
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
WARPATH_HD Reg<std::uint32_t, V, N> operator>>(Reg<std::uint32_t, V, N> a, int s) {
  WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] >> s;
  return a;
}
template <int V, int N>
WARPATH_HD Reg<std::uint32_t, V, N> operator~(Reg<std::uint32_t, V, N> a) {
  WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = ~a.v[k];
  return a;
}

// Comparisons give a mask: every lane 0 or −1.
#define WARPATH_REG_COMPARE(op)                                                                \
  template <class T, int V, int N>                                                             \
  WARPATH_HD Reg<int, V, N> operator op(const Reg<T, V, N>& a, const Reg<T, V, N>& b) {        \
    Reg<int, V, N> r;                                                                          \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = a.v[k] op b.v[k];                      \
    return r;                                                                                  \
  }                                                                                            \
  template <int V, int N>                                                                      \
  WARPATH_HD Reg<int, V, N> operator op(Reg<int, V, N> a, int b) {                             \
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = a.v[k] op b;                           \
    return a;                                                                                  \
  }
WARPATH_REG_COMPARE(<)
WARPATH_REG_COMPARE(>)
WARPATH_REG_COMPARE(<=)
WARPATH_REG_COMPARE(>=)
WARPATH_REG_COMPARE(==)
#undef WARPATH_REG_COMPARE

/// Lanes values per register. W = 1: each lane is another pair. W = Lanes: all lanes are one pair.
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
    I r = integer(0);
    if constexpr (W > 1) {
      WARPATH_UNROLL for (int k = 0; k < N; ++k) {
        for (int l = 0; l < V; ++l) r.v[k][l] = k * V + l;
      }
    }
    return r;
  }

  template <class T>
  WARPATH_HD static Reg<T, V, N> select(M m, Reg<T, V, N> a, Reg<T, V, N> b) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = m.v[k] ? a.v[k] : b.v[k];
    return a;
  }
  WARPATH_HD static F min(F a, F b) { return select(a < b, a, b); }
  WARPATH_HD static F max(F a, F b) { return select(a > b, a, b); }
  // c arrives last: the shortest chain.
  WARPATH_HD static F min3(F a, F b, F c) { return min(min(a, b), c); }

  WARPATH_HD static I to_integer(B b) {
    I r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = (typename I::Vector)b.v[k];
    return r;
  }
  WARPATH_HD static F to_real(I i) {
    F r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      r.v[k] = __builtin_convertvector(i.v[k], typename F::Vector);
    }
    return r;
  }
  /// 2^k where k is the integer in the low bits of z (see exp_nonpositive).
  WARPATH_HD static F shifted_pow2(F z) {
    using Words = typename B::Vector;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) {
      z.v[k] = (typename F::Vector)(((Words)z.v[k] << 23) + 0x3f800000u);
    }
    return z;
  }
  /// Correctly rounded.
  WARPATH_HD static F sqrt(F a) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = sqrt1(a.v[k]);
    return a;
  }
  WARPATH_HD static F fma(F a, F b, F c) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) a.v[k] = fma1(a.v[k], b.v[k], c.v[k]);
    return a;
  }

  /// Rank r gets the value of rank r − 1, rank 0 gets `fill`:
  ///   v = a b c d, fill = x x x x  ->  x a b c
  template <class T>
  WARPATH_HD static Reg<T, V, N> shift_up(Reg<T, V, N> v, Reg<T, V, N> fill) {
    if constexpr (W == 1) return fill;
    static constexpr Shift by_one = shift_by_one();
    IVector from;
    __builtin_memcpy(&from, by_one.from, sizeof from);
    WARPATH_UNROLL for (int k = N - 1; k > 0; --k) {
      v.v[k] = __builtin_shuffle(v.v[k], v.v[k - 1], from);
    }
    v.v[0] = __builtin_shuffle(v.v[0], fill.v[0], from);
    return v;
  }
  template <class T>
  WARPATH_HD static Reg<T, V, N> from_last(Reg<T, V, N> v) {
    if constexpr (W > 1) return all(last(v));
    return v;
  }
  WARPATH_HD static void sync() {}

  WARPATH_HD static int highest(I x) {
    if constexpr (W > 1) return x.v[0][0];  // one pair: the same in every lane
    alignas(64) int lane[Lanes];
    store(lane, x);
    int h = lane[0];
    for (int l = 1; l < Lanes; ++l) h = lane[l] > h ? lane[l] : h;
    return h;
  }
  template <class T>
  WARPATH_HD static T last(const Reg<T, V, N>& v) { return v.v[N - 1][V - 1]; }

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
  template <class T>
  WARPATH_HD static void store(T* p, const Reg<T, V, N>& r) {
    WARPATH_UNROLL for (int k = 0; k < N; ++k) __builtin_memcpy(p + k * V, &r.v[k], sizeof r.v[k]);
  }

  /// p[index] in every lane.
  WARPATH_HD static F gather(const float* p, I index) {
    F r;
    WARPATH_UNROLL for (int k = 0; k < N; ++k) r.v[k] = gather1(p, index.v[k]);
    return r;
  }

  /// d[i] in lane l = table[id[l] * pitch + i]: one load per lane, then a transpose.
  static constexpr bool can_transpose = V >= 8 && N == 1;
  template <int K>
  WARPATH_HD static void load_transposed(const float* table, const int* id, int pitch, F (&d)[K]) {
    if constexpr (!can_transpose) {
      WARPATH_UNROLL for (int i = 0; i < K; ++i) {
        for (int l = 0; l < Lanes; ++l) d[i].v[l / V][l % V] = table[id[l] * pitch + i];
      }
    } else {
      WARPATH_UNROLL for (int part = 0; part < K; part += V) {
        typename F::Vector rows[V];
        WARPATH_UNROLL for (int l = 0; l < V; ++l) {
          __builtin_memcpy(&rows[l], table + id[l] * pitch + part, sizeof rows[l]);
        }
        transpose(rows);
        WARPATH_UNROLL for (int i = 0; i < V; ++i) {
          if (part + i < K) d[part + i].v[0] = rows[i];
        }
      }
    }
  }

 private:
  using FVector = typename F::Vector;

  using IVector = typename I::Vector;

  // Constants: element by element the compiler would make them anew wherever they are used.
  struct Shift {
    alignas(sizeof(IVector)) int from[V];
  };
  static constexpr Shift shift_by_one() {
    Shift r{};
    for (int l = 0; l < V; ++l) r.from[l] = l == 0 ? 2 * V - 1 : l - 1;
    return r;
  }
  struct Indices {
    alignas(sizeof(IVector)) int low[V], high[V];
  };
  static constexpr Indices swap_indices(int h) {
    Indices r{};
    for (int l = 0; l < V; ++l) {
      r.low[l] = l & h ? V + (l ^ h) : l;
      r.high[l] = l & h ? V + l : l ^ h;
    }
    return r;
  }
  template <int h>
  WARPATH_HD static void transpose_round(FVector (&rows)[V]) {
    static constexpr Indices at = swap_indices(h);
    IVector low, high;
    __builtin_memcpy(&low, at.low, sizeof low);
    __builtin_memcpy(&high, at.high, sizeof high);
    WARPATH_UNROLL for (int i = 0; i < V; ++i) {
      if (i & h) continue;
      const FVector a = rows[i], b = rows[i + h];
      rows[i] = __builtin_shuffle(a, b, low);
      rows[i + h] = __builtin_shuffle(a, b, high);
    }
  }

  // V rows of V values to V columns: in round h, values h apart change places.
  //   h = 1:  a b   ->  a c      h = 2, 4, …: the same with pairs, quads, …
  //           c d       b d
  WARPATH_HD static void transpose(FVector (&rows)[V]) {
    transpose_round<1>(rows);
    if constexpr (V > 2) transpose_round<2>(rows);
    if constexpr (V > 4) transpose_round<4>(rows);
    if constexpr (V > 8) transpose_round<8>(rows);
  }

  WARPATH_HD static FVector sqrt1(FVector a) {
#if defined(__AVX512F__)
    if constexpr (V == 16) return (FVector)_mm512_sqrt_ps((__m512)a);
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) return (FVector)_mm256_sqrt_ps((__m256)a);
#endif
    if constexpr (V == 4) return (FVector)_mm_sqrt_ps((__m128)a);
  }
  WARPATH_HD static FVector fma1(FVector a, FVector b, FVector c) {
#if defined(__AVX512F__)
    if constexpr (V == 16) return (FVector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#endif
#if defined(__AVX2__)
    if constexpr (V == 8) return (FVector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    if constexpr (V == 4) return (FVector)_mm_fmadd_ps((__m128)a, (__m128)b, (__m128)c);
#else
    for (int l = 0; l < V; ++l) a[l] = __builtin_fmaf(a[l], b[l], c[l]);
    return a;
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
    FVector r;
    for (int l = 0; l < V; ++l) r[l] = p[index[l]];
    return r;
#endif
  }
};

}  // namespace warpath::kernels
