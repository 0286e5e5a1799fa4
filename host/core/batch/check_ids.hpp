#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "host/core/batch/typed_integers.hpp"
#include "kernels/views/paths.hpp"

// Checks the numbers in callers' arrays in loops without a branch, which compilers vectorize: what
// is wrong, and where, is looked for only if something is.

namespace warpath::batch {

/// Holds integers of type T, and 32 bits at least.
template <class T>
using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// Returns a word whose highest bit is 0 if 0 <= x < limit as a signed number. @param limit at most
/// 2^31; 0: no number is below it
template <class T>
constexpr Word<T> outside(T x, std::uint32_t limit) {
  const Word<T> word = x;
  return word | (Word<T>{limit} - 1 - word);
}
/// Tells whether the highest bit of a word is 1.
template <class W>
constexpr bool is_outside(W word) {
  return word >> (8 * sizeof(W) - 1) != 0;
}

/// Tells whether n integers are from 0 to limit − 1. @param limit at most 2^31
bool are_below(const kernels::IntegerArray& integers, std::size_t n, std::uint32_t limit);

/// Tells whether n integers have this value.
bool are_all(const kernels::IntegerArray& integers, std::size_t n, std::uint32_t value);

}  // namespace warpath::batch
