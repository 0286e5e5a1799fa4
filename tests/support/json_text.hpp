#pragma once

#include <string>
#include <string_view>

#include "host/files/json/json_fwd.hpp"

namespace warpath::testing {

/// Returns what a JSON text has at a JSON pointer such as "/runs/0/metrics/SR", as JSON without
/// spaces; empty if it has nothing there. The text of a string keeps its quotes.
std::string json_at(std::string_view text, std::string_view pointer);

/// Returns the number that a JSON text has at a JSON pointer. @throws std::exception if it has none
double number_at(std::string_view text, std::string_view pointer);

/// Returns the number of the elements of a list, or of the fields of an object.
std::size_t size_of(const json::Value& value);

}  // namespace warpath::testing
