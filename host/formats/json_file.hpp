#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/error.hpp"

namespace warpath {

namespace json = simdjson::dom;

/// A JSON file read and parsed whole. JSON Lines, one value on each line, are one list of them.
class JsonFile {
 public:
  /// @param path "-" is standard input.
  /// @param max_bytes see read_input.
  /// @throws InputError where the file can't be read or is no JSON in UTF-8.
  explicit JsonFile(const std::string& path, std::uint64_t max_bytes = 0);
  /// @param text what read_input returned.
  JsonFile(std::string name, std::string text);
  JsonFile(JsonFile&&) = delete;  // root() is a view into it

  /// What messages call the file.
  const std::string& path() const { return path_; }
  json::element root() const { return root_; }
  const std::string& hash() const { return hash_; }
  bool is_lines() const { return !lines_.empty(); }
  /// What messages call an element of the list that the file is: "entry 3" from 0, or "line 4".
  std::string place(std::size_t index) const;

 private:
  void parse_lines(std::string text);

  std::string path_, hash_;
  json::parser parser_;
  json::element root_;
  std::vector<std::size_t> lines_;  // of each element, where the file is JSON Lines
};

/// Python writes NaN, Infinity and -Infinity, which are no JSON, and reads 1e999 as infinite. They
/// are read as objects that no writer makes, and told apart by this.
bool is_not_finite(json::element value);
/// The object that the file has there; nothing where it has another value, or a number that is not
/// finite.
std::optional<json::object> object_in(json::element value);

/// Parses one document within a text; literals that are not finite are accepted. The text may be
/// changed where it is refused.
/// @pre simdjson::SIMDJSON_PADDING bytes may be read behind `size`.
/// @throws InputError that names `where`.
json::element parse_json(json::parser& parser, char* text, std::size_t size,
                         const InputError::Where& where);

/// The value under a key, the last where the object has the key several times, as in Python.
struct KeyValue {
  json::element value;
  std::size_t count = 0;  ///< how often the key is there
};
KeyValue find_key(json::object object, std::string_view key);
bool has_key(json::object object, std::string_view key);

/// The first keys of an object for an error message: "found a, b, c".
std::string found_keys(json::object object);
std::string_view type_name(json::element value);

/// The value under a key, the last of several. @throws InputError that lists the keys there are.
json::element require(json::object object, std::string_view key, const InputError::Where& where);

/// Looks up keys that must be there, and counts those that an object has several times.
class KeyReader {
 public:
  /// @throws InputError, see `require`
  json::element get(json::object object, std::string_view key, const InputError::Where& where);
  /// Adds a sentence on the keys that were there several times, where there were any.
  void note_repeated(std::vector<std::string>& notes) const;

  std::size_t repeated = 0;
};

/// An id that files write as a string or as an integer.
std::string id_text(json::element value, const InputError::Where& where);

/// Values of a wanted type. @throws InputError that says what was wanted and what is there.
std::string_view as_string(json::element value, const InputError::Where& where);
json::array as_array(json::element value, const InputError::Where& where);
json::object as_object(json::element value, const InputError::Where& where);

/// A finite number. @throws InputError
double as_number(json::element value, const InputError::Where& where);

/// A coordinate or a length, of which more than 10,000 km in either direction is taken for another
/// unit. @throws InputError
double checked_metres(double number, const InputError::Where& where);
double as_metres(json::element value, const InputError::Where& where);

}  // namespace warpath
