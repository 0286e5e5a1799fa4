#pragma once

#include <fmt/ranges.h>
#include <nanobind/stl/optional.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "python/bindings/arrays.hpp"
#include "warpath/views.hpp"

namespace warpath::python {

// Arrays of rewards have exactly these types and no gaps; warpath/rewards.py prepares them.
using Ints = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using OutFloats = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using Shape = std::vector<std::size_t>;

/// Refuses an array of another shape. @throws InputError that names the argument
template <class Any>
void check_shape(const Any& array, const Shape& shape, const char* argument) {
  bool is_right = array.ndim() == shape.size();
  for (std::size_t d = 0; is_right && d < shape.size(); ++d) is_right = array.shape(d) == shape[d];
  if (is_right) return;
  throw InputError({argument}, "is an array " + describe(Array(array)),
                   fmt::format("give one of shape [{}]", fmt::join(shape, ", ")));
}

/// Returns the memory of an array of that shape, null where there is none.
template <class Any>
auto memory_of(const std::optional<Any>& array, const Shape& shape, const char* argument)
    -> decltype(array->data()) {
  if (!array) return nullptr;
  check_shape(*array, shape, argument);
  if (reinterpret_cast<std::uintptr_t>(array->data()) % array->itemsize() != 0) {
    throw InputError({argument}, "is not aligned to its elements", "give a copy");
  }
  return array->data();
}

/// Views integers of that shape. @throws InputError if they are none
Integers integers_of(const Ints& array, const Shape& shape, const char* argument);
inline Integers integers_of(const std::optional<Ints>& array, const Shape& shape,
                            const char* argument) {
  return array ? integers_of(*array, shape, argument) : Integers();
}

/// Views rows [count, length] of `lengths` elements each.
Layout rows_of(std::size_t count, std::size_t length, const Ints& lengths, const char* argument);

/// Returns the length of rows. @throws InputError if there are rows that have none
std::uint32_t row_of(std::size_t count, std::size_t length, const char* argument);

/// Returns a size as the library counts. @throws InputError if it is too large
std::uint32_t count_of(std::size_t size, const char* argument);

}  // namespace warpath::python
