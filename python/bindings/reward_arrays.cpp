#include "python/bindings/reward_arrays.hpp"

#include <algorithm>
#include <utility>

namespace warpath::python {

DeviceIntegers integers_of(const Ints& array, const Shape& shape, const char* argument) {
  if (!is_integer(Array(array))) {
    throw InputError({argument}, "is an array " + describe(Array(array)), "give integers");
  }
  check_shape(array, shape, argument);
  return {array.data(), static_cast<std::uint8_t>(array.itemsize())};
}

DeviceLayout rows_of(std::size_t count, std::size_t length, const Ints& lengths,
                     const char* argument) {
  DeviceLayout layout;
  layout.lengths = integers_of(lengths, {count}, argument);
  layout.pitch = count_of(length, argument);
  layout.max_length = std::max(layout.pitch, 1u);
  if (layout.pitch == 0) layout.pitch = 1;  // no path has an element then, which is refused
  return layout;
}

std::uint32_t count_of(std::size_t size, const char* argument) {
  if (std::in_range<std::uint32_t>(size)) return static_cast<std::uint32_t>(size);
  throw InputError({argument}, fmt::format("has {} elements", size), "give fewer than 2^32");
}

}  // namespace warpath::python
