#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpath::formats {

/// Returns a hash of a text for a table in memory. It is made in place and not by a call, since
/// every viewpoint of every path is looked up.
inline std::uint64_t text_hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

/// Tells whether two texts of one size are equal, in place for the same reason.
inline bool equal_texts(const char* a, const char* b, std::size_t size) {
  constexpr std::size_t bytes = sizeof(std::uint64_t);
  const auto differ = [](const char* x, const char* y) {
    std::uint64_t of_x = 0, of_y = 0;
    std::memcpy(&of_x, x, bytes);
    std::memcpy(&of_y, y, bytes);
    return of_x != of_y;
  };
  if (size < bytes) {
    for (std::size_t k = 0; k < size; ++k) {
      if (a[k] != b[k]) return false;
    }
    return true;
  }
  for (std::size_t k = 0; k + bytes < size; k += bytes) {
    if (differ(a + k, b + k)) return false;
  }
  return !differ(a + size - bytes, b + size - bytes);
}

}  // namespace warpath::formats
