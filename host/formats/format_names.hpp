#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/definitions/suggest.hpp"

namespace warpath {

/// Names a format on the command line and in reports.
struct FormatName {
  std::string_view name, title;
};

/// Returns the format of that name; the list is in the order of the enumerators.
template <class Format, std::size_t n>
std::optional<Format> find_format(const std::array<FormatName, n>& names, std::string_view wanted) {
  for (std::size_t i = 0; i < n; ++i) {
    if (equal_letters(names[i].name, wanted)) return static_cast<Format>(i);
  }
  return std::nullopt;
}

inline std::vector<std::string_view> names_of(std::span<const FormatName> formats) {
  std::vector<std::string_view> names;
  for (const FormatName& format : formats) names.push_back(format.name);
  return names;
}

}  // namespace warpath
