#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace warpath {

/// How a format is called on the command line and in a report.
struct FormatName {
  std::string_view name, title;
};

/// The format of that name in a list in the order of the enumerators.
template <class Format, std::size_t n>
std::optional<Format> find_format(const std::array<FormatName, n>& names, std::string_view wanted) {
  for (std::size_t i = 0; i < n; ++i) {
    if (names[i].name == wanted) return static_cast<Format>(i);
  }
  return std::nullopt;
}

/// "evalai, viewpoints, …"
inline std::string names_of(std::span<const FormatName> names) {
  std::string list;
  for (const FormatName& format : names) list.append(list.empty() ? "" : ", ").append(format.name);
  return list;
}

}  // namespace warpath
