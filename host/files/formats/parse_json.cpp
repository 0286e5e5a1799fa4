#include "host/files/formats/parse_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string>
#include <vector>

#include "host/files/formats/json_error.hpp"
#include "host/files/formats/lines.hpp"

namespace warpath::formats {
namespace {

// Tells whether a token is an integer of more than 64 bits, which Python reads and simdjson
// refuses.
bool is_long_integer(std::string_view token) {
  const std::string_view digits = token.substr(token.starts_with('-') ? 1 : 0);
  if (digits.empty() || digits[0] == '0') return false;
  if (digits.find_first_not_of("0123456789") != digits.npos) return false;
  const auto fits = [&](auto number) {
    return std::from_chars(token.data(), token.data() + token.size(), number).ec == std::errc{};
  };
  return token.starts_with('-') ? !fits(std::int64_t{}) : !fits(std::uint64_t{});
}

bool is_not_finite_literal(std::string_view token) {
  if (token == "NaN" || token == "Infinity" || token == "-Infinity") return true;
  double number;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  const bool is_too_small = token.find("e-") != token.npos || token.find("E-") != token.npos;
  return error == std::errc::result_out_of_range && end == token.data() + token.size() &&
         !is_too_small;
}

// Returns the object that replaces a literal.
std::string object_for(std::string_view literal) {
  if (is_long_integer(literal)) return fmt::format(R"({{"\u0000":"{}"}})", literal);
  if (literal == "NaN") return R"({"\u0000":0})";
  return literal.starts_with('-') ? R"({"\u0000":-1})" : R"({"\u0000":1})";
}

bool begins_like_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(json_spaces);
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

// Returns the literals outside of strings that have to be replaced, in order.
std::vector<std::string_view> find_literals(std::string_view text) {
  std::vector<std::string_view> literals;
  if (!begins_like_json(text)) return literals;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string) {
      if (text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    const std::string_view rest = text.substr(i);
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t\r\n,:[]{}\""));
    if (token.empty()) continue;
    if (is_long_integer(token) || is_not_finite_literal(token)) literals.push_back(token);
    i += token.size() - 1;
  }
  return literals;
}

std::string with_objects_for(const std::vector<std::string_view>& literals, std::string_view text) {
  constexpr std::size_t max_added = 13;  // bytes, by an object around a literal
  std::string result;
  result.reserve(text.size() + literals.size() * max_added + simdjson::SIMDJSON_PADDING);
  const char* copied = text.data();
  for (const std::string_view literal : literals) {
    result.append(copied, literal.data()).append(object_for(literal));
    copied = literal.data() + literal.size();
  }
  result.append(copied, text.data() + text.size());
  return result;  // by move: a copy would have no room behind the text
}

}  // namespace

simdjson::error_code try_parse(json::Parser& parser, std::string_view text, json::Value& root) {
  simdjson::dom::element element;
  auto error = parser.parse(text.data(), text.size(), false).get(element);
  if (error && error != simdjson::MEMALLOC) {
    const auto literals = find_literals(text);
    // This overload makes sure of the room that simdjson reads behind a text.
    if (!literals.empty()) error = parser.parse(with_objects_for(literals, text)).get(element);
  }
  if (!error) root = json::Value(std::bit_cast<json::View>(element));
  return error;
}

json::Value parse_json(json::Parser& parser, char* text, std::size_t size,
                       const InputError::Where& where) {
  json::Value root;
  const auto error = try_parse(parser, {text, size}, root);
  if (!error) return root;
  // Numbers replace the literals, so that the error is about something else.
  for (const std::string_view literal : find_literals({text, size})) {
    char* begin = text + (literal.data() - text);
    std::fill_n(begin, literal.size(), ' ');
    *begin = '0';
  }
  fail_json({text, size}, where, error);
}

}  // namespace warpath::formats
