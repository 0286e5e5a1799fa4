#include "host/formats/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "host/io/input_file.hpp"

namespace warpath {
namespace {

constexpr char filler = '\x7f';  // a character that no id and no key contains

bool is_not_finite_literal(std::string_view token) {
  if (token == "NaN" || token == "Infinity" || token == "-Infinity") return true;
  double number;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
  const bool is_too_small = token.find("e-") != token.npos || token.find("E-") != token.npos;
  return error == std::errc::result_out_of_range && end == token.data() + token.size() &&
         !is_too_small;
}

// Overwrites literals that are not finite by strings of the same length, outside of strings only.
// Returns whether there were any.
bool quote_literals(char* text, std::size_t size) {
  bool found = false;
  bool in_string = false;
  for (std::size_t i = 0; i < size; ++i) {
    if (in_string) {
      if (text[i] == '\\') ++i;
      else if (text[i] == '"') in_string = false;
      continue;
    }
    if (text[i] == '"') in_string = true;
    const std::string_view rest(text + i, size - i);
    const std::string_view token = rest.substr(0, rest.find_first_of(" \t\r\n,:[]{}\""));
    if (token.empty()) continue;
    if (is_not_finite_literal(token)) {
      std::fill_n(text + i, token.size(), filler);
      text[i] = text[i + token.size() - 1] = '"';
      found = true;
    }
    i += token.size() - 1;
  }
  return found;
}

std::string line_of(std::string_view text, std::size_t offset) {
  return fmt::format("line {}", 1 + std::count(text.begin(), text.begin() + offset, '\n'));
}

// The first byte at which the text stops being UTF-8: a longest valid prefix found by halving.
std::size_t first_invalid(std::string_view text) {
  std::size_t good = 0, bad = text.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    // A prefix that ends within a character is not invalid yet.
    std::size_t end = middle;
    while (end > good && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    (simdjson::validate_utf8(text.data(), end) ? good : bad) = middle;
  }
  return good;
}

// Where the text is no text, or nothing. UTF-16 may be valid UTF-8, but then it has zero bytes.
std::size_t first_not_text(std::string_view text) {
  const std::size_t zero = text.find('\0');
  const bool is_valid = simdjson::validate_utf8(text.data(), text.size());
  return is_valid ? zero : std::min(zero, first_invalid(text));
}

[[noreturn]] void fail(std::string_view text, InputError::Where where, simdjson::error_code code) {
  if (const std::size_t at = first_not_text(text); at != text.npos) {
    if (where.item.empty()) where.item = line_of(text, at);
    throw InputError(where, "not UTF-8 text", "save the file as UTF-8");
  }
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string_view::npos) throw InputError(where, "is empty", "write the file again");
  if (text[last] != '}' && text[last] != ']') {
    throw InputError(where, "the JSON ends in the middle", "is the file truncated? write it again");
  }
  throw InputError(where, fmt::format("not valid JSON ({})", simdjson::error_message(code)),
                   "check it with a JSON tool, e.g. python3 -m json.tool");
}

[[noreturn]] void wrong_type(json::element value, const InputError::Where& where,
                             std::string_view wanted) {
  throw InputError(where, fmt::format("should be {}, is {}", wanted, type_name(value)),
                   "see the README's formats");
}

}  // namespace

JsonFile::JsonFile(std::string path)
    : path_(std::move(path)), text_(read_input(path_)), hash_(content_hash(text_)) {
  root_ = parse_json(parser_, text_.data(), text_.size(), {path_});
}

json::element parse_json(json::parser& parser, char* text, std::size_t size,
                         const InputError::Where& where) {
  json::element root;
  auto parse = [&] {
    return parser.parse(reinterpret_cast<const std::uint8_t*>(text), size, false).get(root);
  };
  auto error = parse();
  if (error && quote_literals(text, size)) error = parse();
  if (error) fail({text, size}, where, error);
  return root;
}

bool is_not_finite(json::element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS && !text.empty() && text[0] == filler;
}

std::string_view type_name(json::element value) {
  if (is_not_finite(value)) return "NaN or infinite";
  switch (value.type()) {
    case json::element_type::ARRAY: return "a list";
    case json::element_type::OBJECT: return "an object";
    case json::element_type::STRING: return "a string";
    case json::element_type::BOOL: return "true or false";
    case json::element_type::NULL_VALUE: return "null";
    default: return "a number";
  }
}

std::string found_keys(json::object object) {
  constexpr std::size_t most = 10;
  std::string keys;
  std::size_t count = 0;
  for (const auto field : object) {
    keys.append(count == 0 ? "found " : ", ").append(count < most ? field.key : "…");
    if (++count > most) break;
  }
  return count == 0 ? "found no keys" : keys;
}

json::element require(json::object object, std::string_view key, const InputError::Where& where) {
  json::element value;
  if (object[key].get(value) != simdjson::SUCCESS) {
    throw InputError(where, fmt::format("no key '{}'", key), found_keys(object));
  }
  return value;
}

std::string id_text(json::element value, const InputError::Where& where) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS && !is_not_finite(value)) return std::string(text);
  std::int64_t number;
  if (value.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  wrong_type(value, where, "an id (a string or an integer)");
}

std::string_view as_string(json::element value, const InputError::Where& where) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS || is_not_finite(value)) {
    wrong_type(value, where, "a string");
  }
  return text;
}

json::array as_array(json::element value, const InputError::Where& where) {
  json::array array;
  if (value.get(array) != simdjson::SUCCESS) wrong_type(value, where, "a list");
  return array;
}

json::object as_object(json::element value, const InputError::Where& where) {
  json::object object;
  if (value.get(object) != simdjson::SUCCESS) wrong_type(value, where, "an object");
  return object;
}

double as_number(json::element value, const InputError::Where& where) {
  double number;
  if (value.get(number) != simdjson::SUCCESS || !std::isfinite(number)) {
    wrong_type(value, where, "a finite number");
  }
  return number;
}

double as_metres(json::element value, const InputError::Where& where) {
  constexpr double most = 1e7;
  const double number = as_number(value, where);
  if (std::abs(number) > most) {
    throw InputError(where, fmt::format("is {}, which is beyond {} m", number, most),
                     "positions are metres, and so are weights");
  }
  return number;
}

}  // namespace warpath
