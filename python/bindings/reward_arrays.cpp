#include "python/bindings/reward_arrays.hpp"

#include <algorithm>
#include <utility>

namespace warpath::python {

Integers integers_of(const Ints& array, const Shape& shape, const char* argument) {
  if (!is_integer(Array(array))) {
    throw InputError({argument}, "is an array " + describe(Array(array)), "give integers");
  }
  check_shape(array, shape, argument);
  return {array.data(), static_cast<std::uint8_t>(array.itemsize())};
}

Layout rows_of(std::size_t count, std::size_t length, const Ints& lengths, const char* argument) {
  Layout layout;
  layout.lengths = integers_of(lengths, {count}, argument);
  layout.pitch = layout.max_length = row_of(count, length, argument);
  return layout;
}

std::uint32_t row_of(std::size_t count, std::size_t length, const char* argument) {
  if (length > 0) return count_of(length, argument);
  if (count == 0) return 1;  // layouts have no rows of nothing
  throw InputError({argument}, "are of rows without elements", "give rows of at least one");
}

std::uint32_t count_of(std::size_t size, const char* argument) {
  if (std::in_range<std::uint32_t>(size)) return static_cast<std::uint32_t>(size);
  throw InputError({argument}, fmt::format("has {} elements", size), "give fewer than 2^32");
}

}  // namespace warpath::python
