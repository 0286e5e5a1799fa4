#include "host/files/formats/json_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "host/core/base/clean_text.hpp"
#include "host/files/formats/json_error.hpp"
#include "host/files/formats/lines.hpp"
#include "host/files/formats/parse_json.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/prediction_shapes.hpp"
#include "host/files/formats/spare_parser.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

static_assert(io::input_padding >= simdjson::SIMDJSON_PADDING + 2);  // and two brackets

// Key of the object that replaces a number that JSON or the parser does not know, see try_parse.
constexpr std::string_view replaced_key("\0", 1);

// Returns what the object that replaces a number says of it; nothing for any other value.
std::optional<json::Value> replaced_in(json::Value value) {
  json::Object object;
  if (!value.get(object) || object.size() != 1) return std::nullopt;
  const json::Field field = *object.begin();
  return field.key == replaced_key ? std::optional(field.value) : std::nullopt;
}

// Describes a value that is not what was wanted; of an integer that nothing here can hold also its
// digits.
std::string found(json::Value value) {
  const auto digits = long_integer_in(value);
  return digits ? fmt::format("an integer of more than 64 bits, {}", base::shortened(*digits, 40))
                : std::string(type_name(value));
}

[[noreturn]] void wrong_type(json::Value value, const InputError::Where& where,
                             std::string_view wanted) {
  throw InputError(where, fmt::format("should be {}, is {}", wanted, found(value)),
                   "see docs/formats.md");
}

}  // namespace

JsonFile::JsonFile(const std::string& path, const io::Reading& reading)
    : JsonFile(io::input_name(path), io::read_input(path, reading)) {}

JsonFile::JsonFile(std::string name, std::string text, std::string hash)
    : path_(std::move(name)),
      hash_(hash.empty() ? io::content_hash(text) : std::move(hash)),
      parser_(std::make_unique<SpareParser>()) {
  if (holds_lines(text)) {
    parse_lines(std::move(text));
    return;
  }
  json::Parser& parser = parser_->for_document(text.size());
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
  json::Parser& parser = parser_->for_document(text.size());
  const auto error = try_parse(parser, text, root_);
  // An inserted comma may have joined a value that was broken over two lines.
  constexpr std::size_t max_counted = 0xFFFFFF;  // simdjson's size() stops there
  json::Array list;
  if (!error && root_.get(list) && list.size() == std::min(lines_.size(), max_counted)) {
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

JsonFile::~JsonFile() = default;

std::string JsonFile::place(std::size_t index) const {
  return index < lines_.size() ? fmt::format("line {}", lines_[index])
                               : fmt::format("entry {}", index);
}

bool is_lone_line(json::Value root) {
  json::Object object;
  return root.get(object) && (first_key(object, prediction_id_keys) || has_key(object, "path_id") ||
                              has_key(object, "route_panoids") || has_key(object, "sample_idx"));
}

bool is_not_finite(json::Value value) {
  const auto replaced = replaced_in(value);
  return replaced && !replaced->is_string();
}

std::optional<double> not_finite_in(json::Value value) {
  if (!is_not_finite(value)) return std::nullopt;
  double sign;
  if (!replaced_in(value)->get(sign) || sign == 0.0) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::numeric_limits<double>::infinity();
}

std::optional<std::string_view> long_integer_in(json::Value value) {
  const auto replaced = replaced_in(value);
  std::string_view digits;
  if (!replaced || !replaced->get(digits)) return std::nullopt;
  return digits;
}

std::optional<json::Object> object_in(json::Value value) {
  json::Object object;
  if (!value.get(object) || replaced_in(value)) return std::nullopt;
  return object;
}

KeyValue find_key(json::Object object, std::string_view key) {
  KeyValue found;
  found.value = object.last(key, found.count);
  return found;
}

bool has_key(json::Object object, std::string_view key) {
  return object[key].exists();
}

std::string_view type_name(json::Value value) {
  if (is_not_finite(value)) return "NaN or infinite";
  if (long_integer_in(value)) return "an integer of more than 64 bits";
  switch (value.kind()) {
    case json::Kind::array:
      return "a list";
    case json::Kind::object:
      return "an object";
    case json::Kind::string:
      return "a string";
    case json::Kind::boolean:
      return "true or false";
    case json::Kind::null:
      return "null";
    default:
      return "a number";
  }
}

std::string found_keys(json::Object object) {
  constexpr std::size_t max_keys = 10;
  std::string keys;
  std::size_t count = 0;
  for (const auto field : object) {
    keys.append(count == 0 ? "found " : ", ").append(count < max_keys ? field.key : "…");
    if (++count > max_keys) break;
  }
  return count == 0 ? "found no keys" : keys;
}

json::Value require(json::Object object, std::string_view key, const InputError::Where& where) {
  const auto [value, count] = find_key(object, key);
  if (count == 0) throw InputError(where, fmt::format("no key '{}'", key), found_keys(object));
  return value;
}

json::Value KeyReader::get(json::Object object, std::string_view key,
                           const InputError::Where& where) {
  const auto [value, count] = find_key(object, key);
  if (count == 0) require(object, key, where);
  if (count > 1) ++repeated;
  return value;
}

std::vector<json::Field> KeyReader::fields(json::Object object) {
  std::vector<json::Field> fields;
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

std::string id_text(json::Value value, const InputError::Where& where) {
  std::string_view text;
  if (value.get(text)) return std::string(text);
  std::int64_t number;
  if (value.get(number)) return fmt::format("{}", number);
  std::uint64_t large;
  if (value.get(large)) return fmt::format("{}", large);
  wrong_type(value, where, "an id (a string or an integer)");
}

std::string_view as_string(json::Value value, const InputError::Where& where) {
  std::string_view text;
  if (!value.get(text)) wrong_type(value, where, "a string");
  return text;
}

json::Array as_array(json::Value value, const InputError::Where& where) {
  json::Array array;
  if (!value.get(array)) wrong_type(value, where, "a list");
  return array;
}

json::Object as_object(json::Value value, const InputError::Where& where) {
  const auto object = object_in(value);
  if (!object) wrong_type(value, where, "an object");
  return *object;
}

double as_number(json::Value value, const InputError::Where& where) {
  double number;
  if (!value.get(number) || !std::isfinite(number)) {
    wrong_type(value, where, "a finite number");
  }
  return number;
}

double as_metres(json::Value value, const InputError::Where& where) {
  return checked_metres(as_number(value, where), where);
}

}  // namespace warpath::formats
