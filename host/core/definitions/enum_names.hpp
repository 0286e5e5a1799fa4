#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "host/core/base/suggest.hpp"
#include "warpath/error.hpp"

namespace warpath::definitions {

/// Names an enumerator on the command line and in reports.
template <class Enum>
struct EnumName {
  Enum value;
  std::string_view name;
};

/// Returns an enumerator's name. @pre it has one
template <class Enum, std::size_t n>
std::string_view name_in(const std::array<EnumName<Enum>, n>& names, Enum value) {
  return std::ranges::find(names, value, &EnumName<Enum>::value)->name;
}

/// Finds an enumerator by its name, letter case aside. @throws UsageError that lists the names
/// @param kind what is named
template <class Enum, std::size_t n>
Enum find_in(const std::array<EnumName<Enum>, n>& names, std::string_view kind,
             std::string_view wanted) {
  std::vector<std::string_view> all;
  for (const EnumName<Enum>& known : names) {
    if (base::equal_letters(known.name, wanted)) return known.value;
    all.push_back(known.name);
  }
  throw UsageError(base::no_such(kind, wanted, all));
}

}  // namespace warpath::definitions
