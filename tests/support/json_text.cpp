#include "tests/support/json_text.hpp"

#include <simdjson.h>

#include "host/files/json/value.hpp"

namespace warpath::testing {

std::string json_at(std::string_view text, std::string_view pointer) {
  simdjson::dom::parser parser;
  simdjson::dom::element found;
  const auto error = parser.parse(text.data(), text.size()).at_pointer(pointer).get(found);
  return error ? "" : simdjson::minify(found);
}

double number_at(std::string_view text, std::string_view pointer) {
  return std::stod(json_at(text, pointer));
}

std::size_t size_of(const json::Value& value) {
  return value.is_array() ? json::Array(value).size() : json::Object(value).size();
}

}  // namespace warpath::testing
