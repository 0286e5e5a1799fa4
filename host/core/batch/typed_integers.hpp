#pragma once

#include <cstdint>

#include "kernels/views/paths.hpp"

namespace warpath::batch {

/// Returns body(pointer to the integers), which has the unsigned type of their width, so that a
/// loop over them has no choice inside.
template <class Body>
decltype(auto) with_type(const kernels::IntegerArray& integers, const Body& body) {
  switch (integers.width) {
    case 1:
      return body(static_cast<const std::uint8_t*>(integers.data));
    case 2:
      return body(static_cast<const std::uint16_t*>(integers.data));
    case 4:
      return body(static_cast<const std::uint32_t*>(integers.data));
    default:
      return body(static_cast<const std::uint64_t*>(integers.data));
  }
}

}  // namespace warpath::batch
