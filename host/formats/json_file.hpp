#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "warpath/error.hpp"

namespace warpath {

namespace json = simdjson::dom;

/// A JSON file read and parsed whole.
class JsonFile {
 public:
  /// @throws InputError where the file can't be read or is no JSON in UTF-8.
  explicit JsonFile(std::string path);

  const std::string& path() const { return path_; }
  json::element root() const { return root_; }
  const std::string& hash() const { return hash_; }

 private:
  std::string path_, text_, hash_;
  json::parser parser_;
  json::element root_;
};

/// Python writes NaN, Infinity and -Infinity, which are no JSON, and reads 1e999 as infinite. They
/// are read as strings that no writer makes, and told apart by this.
bool is_not_finite(json::element value);

/// Parses one document within a text; literals that are not finite are accepted. The text is
/// changed where it has such literals.
/// @pre simdjson::SIMDJSON_PADDING bytes may be read behind `size`.
/// @throws InputError that names `where`.
json::element parse_json(json::parser& parser, char* text, std::size_t size,
                         const InputError::Where& where);

/// The first keys of an object for an error message: "found a, b, c".
std::string found_keys(json::object object);
std::string_view type_name(json::element value);

/// The value under a key. @throws InputError that lists the keys there are.
json::element require(json::object object, std::string_view key, const InputError::Where& where);

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
double as_metres(json::element value, const InputError::Where& where);

}  // namespace warpath
