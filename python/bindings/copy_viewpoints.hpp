#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "python/bindings/arrays.hpp"
#include "warpath/graph.hpp"

// Copies viewpoints out of rows of any integers. Where a path ends cannot be predicted, so there is
// no branch for each element.

namespace warpath::python {

/// Copies n elements, at(0) to at(n - 1), and returns how many stand before the first that is out
/// of a Node's range.
template <class At>
std::size_t copy_viewpoints(std::size_t n, const At& at, Node* to) {
  std::size_t before = 0;
  bool has_none = true;
  for (std::size_t k = 0; k < n; ++k) {
    const auto value = at(k);
    to[k] = static_cast<Node>(value);
    has_none &= std::in_range<Node>(value);
    before += has_none;
  }
  return before;
}

#if defined(__SSE2__)
template <class T>
inline constexpr bool can_copy_by_four = std::is_signed_v<T> && sizeof(T) >= 2;

/// Four integers: their low halves and, beside integers of 64 bits, their high halves, whose signs
/// are those of the integers.
struct Four {
  __m128i low, high;
};

inline Four load_four(const std::int64_t* row) {
  const __m128 a = _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row)));
  const __m128 b = _mm_castsi128_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 2)));
  return {_mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(2, 0, 2, 0))),
          _mm_castps_si128(_mm_shuffle_ps(a, b, _MM_SHUFFLE(3, 1, 3, 1)))};
}
inline Four load_four(const std::int32_t* row) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row));
  return {low, _mm_srai_epi32(low, 31)};
}
inline Four load_four(const std::int16_t* row) {
  const __m128i values = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(row));
  const __m128i low = _mm_srai_epi32(_mm_unpacklo_epi16(values, values), 16);
  return {low, _mm_srai_epi32(low, 31)};
}

/// Does what copy_viewpoints does for at most 64 elements, in half the time.
template <class T>
std::size_t copy_by_four(const T* row, std::size_t n, Node* to) {
  std::uint64_t negative = 0;
  __m128i beyond = _mm_setzero_si128();  // high halves that are neither 0 nor -1
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const Four four = load_four(row + k);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + k), four.low);
    const auto signs = static_cast<unsigned>(_mm_movemask_ps(_mm_castsi128_ps(four.high)));
    negative |= std::uint64_t{signs} << k;
    beyond = _mm_or_si128(beyond, _mm_xor_si128(four.high, _mm_srai_epi32(four.high, 31)));
  }
  const auto at = [&](std::size_t i) { return row[i]; };
  if (_mm_movemask_epi8(_mm_cmpeq_epi32(beyond, _mm_setzero_si128())) != 0xffff) {
    return copy_viewpoints(n, at, to);
  }
  if (negative != 0) return static_cast<std::size_t>(std::countr_zero(negative));
  return k + copy_viewpoints(
                 n - k, [&](std::size_t i) { return at(k + i); }, to + k);
}
#else
template <class T>
inline constexpr bool can_copy_by_four = false;
#endif

/// Copies n elements of row p as copy_viewpoints does, at least up to the first that is out of
/// range.
template <class T>
std::size_t copy_row(const Strided<T>& value, std::size_t p, std::size_t n, Node* to) {
  const T* row = value.row(p);
  if (row == nullptr)
    return copy_viewpoints(
        n, [&](std::size_t k) { return value(p, k); }, to);
  if constexpr (can_copy_by_four<T>) {
    constexpr std::size_t piece = 64;
    std::size_t done = 0;
    while (done < n) {
      const std::size_t count = std::min(piece, n - done);
      const std::size_t found = copy_by_four(row + done, count, to + done);
      done += found;
      if (found < count) break;
    }
    return done;
  } else {
    return copy_viewpoints(
        n, [=](std::size_t k) { return row[k]; }, to);
  }
}

}  // namespace warpath::python
