#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/files/formats/string_table.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {

using Names = std::vector<std::string>;

/// Returns the names of a path's viewpoints.
inline Names names(std::span<const formats::Token> path, const formats::StringTable& table) {
  Names result;
  for (const formats::Token token : path) result.push_back(table[token]);
  return result;
}

/// Returns the message of the InputError that a call throws; empty if it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace warpath::testing
