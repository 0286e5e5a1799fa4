#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/files/formats/string_table.hpp"
#include "tests/support/errors.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {

using Names = std::vector<std::string>;

/// Returns the names of a path's viewpoints.
inline Names names(std::span<const formats::Token> path, const formats::StringTable& table) {
  Names result;
  for (const formats::Token token : path) result.push_back(table[token]);
  return result;
}

}  // namespace warpath::testing
