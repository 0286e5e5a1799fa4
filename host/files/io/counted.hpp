#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpath::io {

/// Returns a number with its noun: "1 item", "2 items".
inline std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

/// Adds a note on a number of things, unless there is none: "2 items without a path".
inline void note_counted(std::vector<std::string>& notes, std::uint64_t n, std::string_view noun,
                         std::string_view what) {
  if (n > 0) notes.push_back(fmt::format("{} {}", counted(n, noun), what));
}

}  // namespace warpath::io
