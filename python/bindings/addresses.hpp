#pragma once

#include <nanobind/stl/pair.h>

#include <cstdint>
#include <utility>

#include "warpath/place.hpp"
#include "warpath/views.hpp"

// Memory of a GPU as warpath/torch gives it, which has checked the tensors: addresses as integers,
// 0 for none. Nothing can be checked here.

namespace warpath::python {

using Address = std::uintptr_t;
/// Address and bytes of each element.
using IntegersAt = std::pair<Address, std::uint8_t>;

template <class T>
T* at(Address address) {
  return reinterpret_cast<T*>(address);
}
inline Integers at(const IntegersAt& integers) {
  return {at<const void>(integers.first), integers.second};
}
inline CUstream_st* stream_at(Address stream) {
  return at<CUstream_st>(stream);
}

inline Call call_at(Address workspace, Address stream, bool check = false) {
  return {.workspace = at<void>(workspace), .stream = stream_at(stream), .check = check};
}

/// Views rows of `length` elements, at most `pitch` apart.
inline Layout rows_at(const IntegersAt& lengths, std::uint32_t length, std::uint32_t pitch) {
  Layout layout;
  layout.lengths = at(lengths);
  layout.pitch = pitch;
  layout.max_length = length;
  return layout;
}

}  // namespace warpath::python
