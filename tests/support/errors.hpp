#pragma once

#include <string>

#include "warpath/error.hpp"

namespace warpath::testing {

/// Returns the error of a kind that a call throws; "" if it throws none.
template <class Kind = InputError, class Call>
std::string error_of_call(const Call& call) {
  try {
    call();
  } catch (const Kind& error) {
    return error.what();
  }
  return "";
}

}  // namespace warpath::testing
