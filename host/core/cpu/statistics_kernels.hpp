#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "host/core/cpu/cpu_kernels.hpp"
#include "kernels/lanes/simd_lanes.hpp"
#include "kernels/metrics/quick_sums.hpp"

// Adds up a column of results, a register of floats at a time. GCC's and Clang's vector extensions
// do nearly all of it.

namespace warpath::cpu {
namespace {

using namespace kernels;

/// Holds N floats in a register, and the doubles of them in two.
template <int N>
struct ValueLanes {
  using F = typename VectorOf<float, N>::type;
  using I = typename VectorOf<std::int32_t, N>::type;
  using D = typename VectorOf<double, N / 2>::type;
  using U = typename VectorOf<std::uint64_t, N / 2>::type;
  using M = I;  // −1 where it holds
  static constexpr int parts = 2;

  WARPATH_HD static F all(float x) { return x - F{}; }
  WARPATH_HD static D all(double x) { return x - D{}; }
  WARPATH_HD static I all(std::int32_t x) { return x - I{}; }
  /// Returns the lower or the upper half of the lanes as doubles. GCC 12 takes the halves of wide
  /// registers apart in memory.
  WARPATH_HD static D part(F x, int half) {
#if defined(__AVX512F__)
    if constexpr (N == 16) {
      const auto all = (__m512)x;
      return (D)_mm512_cvtps_pd(half == 0 ? _mm512_castps512_ps256(all)
                                          : _mm512_extractf32x8_ps(all, 1));
    }
#endif
#if defined(__AVX2__)
    if constexpr (N == 8) {
      const auto all = (__m256)x;
      return (D)_mm256_cvtps_pd(half == 0 ? _mm256_castps256_ps128(all)
                                          : _mm256_extractf128_ps(all, 1));
    }
#endif
    typename VectorOf<float, N / 2>::type of_half;
    __builtin_memcpy(&of_half, reinterpret_cast<const char*>(&x) + half * sizeof of_half,
                     sizeof of_half);
    return __builtin_convertvector(of_half, D);
  }
  WARPATH_HD static U bits(D x) {
    return (U)x;
  }
  /// Tells whether +0 <= x <= 1.
  WARPATH_HD static M in_unit_interval(F x) {
    return ((I)x >= 0) & ((I)x <= (I)all(1.0f));
  }
  WARPATH_HD static I integer(F x) {
    return __builtin_convertvector(x, I);
  }
  WARPATH_HD static F select(M m, F a, F b) {
    return m ? a : b;
  }
  WARPATH_HD static I least(I a, I b) {
    return a < b ? a : b;
  }
  WARPATH_HD static F absolute(F x) {
    return (F)((I)x & 0x7fffffff);
  }
  /// Returns 0 for negative lengths, else 1 + the length's bin; bins have a width of 1.
  WARPATH_HD static I cell_of_length(F x, std::int32_t last) {
    return (least(integer(x), all(last)) + 1) & ~(x < 0.0f);
  }
  WARPATH_HD static F lesser(F a, F b) {
    return a < b ? a : b;
  }
  WARPATH_HD static F greater(F a, F b) {
    return a > b ? a : b;
  }
  WARPATH_HD static D multiply_add(D a, D b, D c) {
#if defined(__AVX512F__)
    if constexpr (N == 16) return (D)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#endif
#if defined(__AVX2__)
    if constexpr (N == 8) return (D)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#endif
    return a * b + c;
  }

  WARPATH_HD static bool any(M m) {
    I none{};
    return __builtin_memcmp(&m, &none, sizeof m) != 0;
  }
  WARPATH_HD static std::uint64_t sum(U x) {
    std::uint64_t sum = 0;
    for (int l = 0; l < N / 2; ++l) sum += x[l];
    return sum;
  }
  /// Loads `count` values, and NaN into the other lanes.
  WARPATH_HD static F load(const float* values, std::size_t count) {
    F x = all(__builtin_nanf(""));
    __builtin_memcpy(&x, values, std::min<std::size_t>(count, N) * sizeof(float));
    return x;
  }
};

/// Values whose cells are stored before they are counted: a count that follows its cell's store at
/// once would wait for it.
constexpr std::size_t cell_block = 64;

/// Stores one cell for each of `count` values: of(values) for N of them.
template <int N, class Cells>
WARPATH_HD void store_cells(const float* values, std::size_t count, std::int32_t* cell,
                            const Cells& of) {
  using V = ValueLanes<N>;
  typename V::I cells;
  std::size_t k = 0;
  for (; k + N <= count; k += N) {
    typename V::F x;
    __builtin_memcpy(&x, values + k, sizeof x);
    cells = of(x);
    __builtin_memcpy(cell + k, &cells, sizeof cells);
  }
  if (k == count) return;
  cells = of(V::load(values + k, count - k));
  __builtin_memcpy(cell + k, &cells, sizeof cells);
}

/// Counts cells. Neighbours are often equal: each of four counts in a table of its own, or one
/// addition would wait for the other.
template <std::size_t size>
WARPATH_HD void count_cells(const std::int32_t* cell, std::size_t count,
                            std::uint32_t (&table)[4][size]) {
  for (std::size_t k = 0; k < count; k += 4) {
    WARPATH_UNROLL for (std::size_t l = 0; l < 4; ++l) {
      ++table[l][cell[k + l]];
    }
  }
}

/// Counts the cells of a column, as above. Cells of lanes without a value are counted, too.
template <int N, std::size_t size, class Cells>
WARPATH_HD void count_column(const float* values, std::size_t count,
                             std::uint32_t (&table)[4][size], const Cells& of) {
  alignas(64) std::int32_t cell[cell_block];
  for (std::size_t k = 0; k < count; k += cell_block) {
    const std::size_t part = std::min(count - k, cell_block);
    store_cells<N>(values + k, part, cell, of);
    count_cells(cell, (part + N - 1) / N * N, table);
  }
}

template <int N, Unit unit>
bool add_together(const float* values, std::size_t count, ColumnSums& column) {
  using V = ValueLanes<N>;
  using Sums = QuickSums<V, unit>;
  Sums sums;
  typename V::I others{};
  count_column<N>(
      values, count, column.cells, [&](typename V::F x) __attribute__((always_inline)) {
        const typename V::M taken = Sums::takes(x);
        others |= ~taken & (x == x);
        sums.add(x, taken);
        return taken ? Sums::cell_of(x) : V::all(unused_cell);
      });
  const auto additions = static_cast<std::uint32_t>((count + N - 1) / N);
  column.sum += sums.sum(additions);
  column.squares += sums.squares(additions);
  for (int l = 0; l < N; ++l) {
    column.minimum = std::min(column.minimum, sums.least()[l]);
    column.maximum = std::max(column.maximum, sums.greatest()[l]);
  }
  return !V::any(others);
}

template <int N, Unit unit>
bool add_column(const float* values, std::size_t count, ColumnSums& column) {
  bool all = true;
  for (std::size_t k = 0; k < count; k += max_quick_sum) {
    const std::size_t part = std::min<std::size_t>(count - k, max_quick_sum);
    all &= add_together<N, unit>(values + k, part, column);
  }
  return all;
}

template <int N>
bool count_integers(const float* values, std::size_t count, IntegerCounts& counts) {
  using V = ValueLanes<N>;
  using F = typename V::F;
  typename V::I others{};
  count_column<N>(
      values, count, counts.times, [&](F x) __attribute__((always_inline)) {
        const typename V::I integer = V::integer(x);
        const typename V::M small = (x >= 0.0f) & (x < static_cast<float>(small_integers)) &
                                    (__builtin_convertvector(integer, F) == x);
        others |= ~small & (x == x);
        return small ? integer : V::all(std::int32_t{small_integers});
      });
  return !V::any(others);
}

}  // namespace
}  // namespace warpath::cpu
