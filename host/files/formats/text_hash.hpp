#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace warpath::formats {

/// Returns a hash of a text for a table in memory. It is made in place and not by a call, since
/// every viewpoint of every path is looked up.
inline std::uint64_t text_hash(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace warpath::formats
