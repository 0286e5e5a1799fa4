#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <string>

#include "warpath/error.hpp"

namespace warpath::python {

namespace nb = nanobind;

/// An array of any type, shape and strides in the host's memory, which is only read.
using Array = nb::ndarray<nb::ro, nb::device::cpu>;

/// Returns the array behind an object (NumPy, or anything with DLPack or the buffer protocol);
/// nothing for what is none, such as a list, and for an array of texts or other objects, whose
/// elements are read one by one.
/// @throws InputError as check_elements
std::optional<Array> find_array(nb::handle object, const std::string& argument);

/// Refuses an array whose elements are neither integers, float32 or float64 nor objects, and one
/// that masks some of them. Anything else is let through.
/// @throws InputError that names the argument
void check_elements(nb::handle object, const std::string& argument);

/// Tells whether an object is an element of an array of NumPy, taken out of it.
bool is_numpy_scalar(nb::handle object);
/// Tells whether an object is True or False, of Python or of NumPy.
bool is_bool(nb::handle object);

/// Returns an array of that many dimensions. @throws InputError that names the argument
Array array_of(nb::handle object, std::size_t dimensions, const std::string& argument);

bool is_integer(const Array& array);
bool is_float(const Array& array);

/// The memory that an array's elements lie in; empty for an array without elements.
struct Extent {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};
Extent extent_of(const Array& array);

/// Describes an array's type and shape for messages: "float32[3, 4]".
std::string describe(const Array& array);

/// Returns an object's repr for messages: one line, cut where it is long; its type's name where
/// repr fails.
std::string short_repr(nb::handle object);
/// Returns a text in this form.
std::string short_text(const nb::str& text);

/// Returns a text's UTF-8. @throws InputError if it has none
std::string utf8_of(nb::handle text, const InputError::Where& where);

/// Reads an array of up to three dimensions by its strides.
template <class T>
class Strided {
 public:
  explicit Strided(const Array& array) : data_(static_cast<const T*>(array.data())) {
    for (std::size_t d = 0; d < array.ndim() && d < 3; ++d) stride_[d] = array.stride(d);
  }
  T operator()(std::size_t i, std::size_t j = 0, std::size_t k = 0) const {
    return data_[static_cast<std::int64_t>(i) * stride_[0] +
                 static_cast<std::int64_t>(j) * stride_[1] +
                 static_cast<std::int64_t>(k) * stride_[2]];
  }

  /// Returns row i of a matrix whose rows have no gaps; null for others.
  const T* row(std::size_t i) const {
    return stride_[1] == 1 ? data_ + static_cast<std::int64_t>(i) * stride_[0] : nullptr;
  }

 private:
  const T* data_;
  std::int64_t stride_[3] = {};
};

/// Calls `use` with a Strided of the array's type. @throws InputError if it has no integers
template <class Use>
decltype(auto) visit_integers(const Array& array, const std::string& argument, Use&& use) {
  const bool is_signed =
      array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Int);
  if (is_integer(array)) {
    switch (array.dtype().bits) {
      case 8:
        return is_signed ? use(Strided<std::int8_t>(array)) : use(Strided<std::uint8_t>(array));
      case 16:
        return is_signed ? use(Strided<std::int16_t>(array)) : use(Strided<std::uint16_t>(array));
      case 32:
        return is_signed ? use(Strided<std::int32_t>(array)) : use(Strided<std::uint32_t>(array));
      case 64:
        return is_signed ? use(Strided<std::int64_t>(array)) : use(Strided<std::uint64_t>(array));
    }
  }
  throw InputError({argument}, fmt::format("is an array {}", describe(array)),
                   "give integers, such as int32 or int64");
}

/// Calls `use` with a Strided of the array's type. @throws InputError if it has no float32, float64
template <class Use>
decltype(auto) visit_floats(const Array& array, const std::string& argument, Use&& use) {
  if (is_float(array) && array.dtype().bits == 32) return use(Strided<float>(array));
  if (is_float(array) && array.dtype().bits == 64) return use(Strided<double>(array));
  throw InputError({argument}, fmt::format("is an array {}", describe(array)),
                   "give float32 or float64");
}

}  // namespace warpath::python
