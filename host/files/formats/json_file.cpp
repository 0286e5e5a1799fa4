#include "host/files/formats/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "host/core/base/clean_text.hpp"
#include "host/files/formats/json_error.hpp"
#include "host/files/formats/lines.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/prediction_shapes.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

static_assert(io::input_padding >= simdjson::SIMDJSON_PADDING + 2);  // and two brackets

// Key of the object that replaces a number that JSON or the parser does not know: the sign of an
// infinity, 0 for NaN, or the digits of an integer as a string. No reader accepts such an object.
constexpr std::string_view replaced_key("\0", 1);

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

// Returns what the object that replaces a number says of it; nothing for any other value.
std::optional<json::element> replaced_in(json::element value) {
  json::object object;
  if (value.get(object) != simdjson::SUCCESS || object.size() != 1) return std::nullopt;
  const auto field = *object.begin();
  return field.key == replaced_key ? std::optional(field.value) : std::nullopt;
}

// Describes a value that is not what was wanted; of an integer that nothing here can hold also its
// digits.
std::string found(json::element value) {
  const auto digits = long_integer_in(value);
  return digits ? fmt::format("an integer of more than 64 bits, {}", base::shortened(*digits, 40))
                : std::string(type_name(value));
}

[[noreturn]] void wrong_type(json::element value, const InputError::Where& where,
                             std::string_view wanted) {
  throw InputError(where, fmt::format("should be {}, is {}", wanted, found(value)),
                   "see docs/formats.md");
}

}  // namespace

JsonFile::JsonFile(const std::string& path, const io::Reading& reading)
    : JsonFile(io::input_name(path), io::read_input(path, reading)) {}

JsonFile::JsonFile(std::string name, std::string text, std::string hash)
    : path_(std::move(name)), hash_(hash.empty() ? io::content_hash(text) : std::move(hash)) {
  if (holds_lines(text)) {
    parse_lines(std::move(text));
    return;
  }
  json::parser& parser = parser_.for_document(text.size());
  root_ = parse_json(parser, text.data(), text.size(), {path_});
  if (!is_lone_line(root_)) return;
  lines_ = {1};
  text.insert(0, "[").append("]");
  root_ = parse_json(parser, text.data(), text.size(), {path_});
}

// Joins the lines to one list, in place.
void JsonFile::parse_lines(std::string text) {
  const std::vector<Line> lines = join_lines(text.data(), text.size());
  for (const Line& line : lines) lines_.push_back(line.number);
  text.insert(0, "[").append("]");
  json::parser& parser = parser_.for_document(text.size());
  const auto error = try_parse(parser, text, root_);
  // An inserted comma may have joined a value that was broken over two lines.
  constexpr std::size_t max_counted = 0xFFFFFF;  // simdjson's size() stops there
  json::array list;
  if (!error && root_.get(list) == simdjson::SUCCESS &&
      list.size() == std::min(lines_.size(), max_counted)) {
    return;
  }

  text.pop_back();
  text.erase(0, 1);
  for (std::size_t l = 1; l < lines.size(); ++l) text[lines[l].begin - 1] = '\n';
  for (Lines line(text); line.next();) {
    parse_json(parser, text.data() + line.begin, line.end - line.begin,
               {path_, fmt::format("line {}", line.number), {}});
  }
  fail_json(text, {path_}, error);
}

std::string JsonFile::place(std::size_t index) const {
  return index < lines_.size() ? fmt::format("line {}", lines_[index])
                               : fmt::format("entry {}", index);
}

bool is_lone_line(json::element root) {
  json::object object;
  return root.get(object) == simdjson::SUCCESS &&
         (first_key(object, prediction_id_keys) || has_key(object, "path_id") ||
          has_key(object, "route_panoids") || has_key(object, "sample_idx"));
}

simdjson::error_code try_parse(json::parser& parser, std::string_view text, json::element& root) {
  const auto error = parser.parse(text.data(), text.size(), false).get(root);
  if (!error || error == simdjson::MEMALLOC) return error;
  const auto literals = find_literals(text);
  if (literals.empty()) return error;
  // This overload makes sure of the room that simdjson reads behind a text.
  return parser.parse(with_objects_for(literals, text)).get(root);
}

json::element parse_json(json::parser& parser, char* text, std::size_t size,
                         const InputError::Where& where) {
  json::element root;
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

bool is_not_finite(json::element value) {
  const auto replaced = replaced_in(value);
  return replaced && !replaced->is_string();
}

std::optional<double> not_finite_in(json::element value) {
  if (!is_not_finite(value)) return std::nullopt;
  double sign;
  if (replaced_in(value)->get(sign) != simdjson::SUCCESS || sign == 0.0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::numeric_limits<double>::infinity();
}

std::optional<std::string_view> long_integer_in(json::element value) {
  const auto replaced = replaced_in(value);
  if (!replaced || !replaced->is_string()) return std::nullopt;
  return replaced->get_string().value_unsafe();
}

std::optional<json::object> object_in(json::element value) {
  json::object object;
  if (value.get(object) != simdjson::SUCCESS || replaced_in(value)) return std::nullopt;
  return object;
}

KeyValue find_key(json::object object, std::string_view key) {
  KeyValue found;
  for (const auto field : object) {
    if (field.key != key) continue;
    found.value = field.value;
    ++found.count;
  }
  return found;
}

bool has_key(json::object object, std::string_view key) {
  return object[key].error() == simdjson::SUCCESS;
}

std::string_view type_name(json::element value) {
  if (is_not_finite(value)) return "NaN or infinite";
  if (long_integer_in(value)) return "an integer of more than 64 bits";
  switch (value.type()) {
    case json::element_type::ARRAY:
      return "a list";
    case json::element_type::OBJECT:
      return "an object";
    case json::element_type::STRING:
      return "a string";
    case json::element_type::BOOL:
      return "true or false";
    case json::element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

std::string found_keys(json::object object) {
  constexpr std::size_t max_keys = 10;
  std::string keys;
  std::size_t count = 0;
  for (const auto field : object) {
    keys.append(count == 0 ? "found " : ", ").append(count < max_keys ? field.key : "…");
    if (++count > max_keys) break;
  }
  return count == 0 ? "found no keys" : keys;
}

json::element require(json::object object, std::string_view key, const InputError::Where& where) {
  const auto [value, count] = find_key(object, key);
  if (count == 0) throw InputError(where, fmt::format("no key '{}'", key), found_keys(object));
  return value;
}

json::element KeyReader::get(json::object object, std::string_view key,
                             const InputError::Where& where) {
  const auto [value, count] = find_key(object, key);
  if (count == 0) require(object, key, where);
  if (count > 1) ++repeated;
  return value;
}

std::vector<simdjson::dom::key_value_pair> KeyReader::fields(json::object object) {
  std::vector<simdjson::dom::key_value_pair> fields;
  std::unordered_map<std::string_view, std::size_t> field_of;
  field_of.reserve(object.size());
  for (const auto field : object) {
    const auto [it, is_new] = field_of.emplace(field.key, fields.size());
    if (is_new) {
      fields.push_back(field);
    } else {
      fields[it->second] = field;
      ++repeated;
    }
  }
  return fields;
}

void KeyReader::note_repeated(std::vector<std::string>& notes) const {
  if (repeated == 0) return;
  notes.push_back(
      fmt::format("{} several times in one object: the last value counts, as in Python",
                  repeated == 1 ? "a key is there" : fmt::format("{} keys are there", repeated)));
}

std::string id_text(json::element value, const InputError::Where& where) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  std::int64_t number;
  if (value.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  std::uint64_t large;
  if (value.get(large) == simdjson::SUCCESS) return fmt::format("{}", large);
  wrong_type(value, where, "an id (a string or an integer)");
}

std::string_view as_string(json::element value, const InputError::Where& where) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) wrong_type(value, where, "a string");
  return text;
}

json::array as_array(json::element value, const InputError::Where& where) {
  json::array array;
  if (value.get(array) != simdjson::SUCCESS) wrong_type(value, where, "a list");
  return array;
}

json::object as_object(json::element value, const InputError::Where& where) {
  const auto object = object_in(value);
  if (!object) wrong_type(value, where, "an object");
  return *object;
}

double as_number(json::element value, const InputError::Where& where) {
  double number;
  if (value.get(number) != simdjson::SUCCESS || !std::isfinite(number)) {
    wrong_type(value, where, "a finite number");
  }
  return number;
}

double as_metres(json::element value, const InputError::Where& where) {
  return checked_metres(as_number(value, where), where);
}

}  // namespace warpath::formats
