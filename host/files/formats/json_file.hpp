#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/io/input_file.hpp"
#include "host/files/json/value.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {

class SpareParser;

/// Reads and parses a whole JSON file. JSON Lines, one value per line, become one list.
class JsonFile {
 public:
  /// @param path "-" is standard input.
  /// @param reading see read_input.
  /// @throws InputError if the file cannot be read or is not JSON in UTF-8.
  explicit JsonFile(const std::string& path, const io::Reading& reading = {});
  /// @param text as returned by read_input.
  /// @param hash of the content that the text was made of; empty: the text is the content.
  JsonFile(std::string name, std::string text, std::string hash = {});
  ~JsonFile();
  JsonFile(JsonFile&&) = delete;  // root() is a view into this object

  /// Returns the name of the file for messages.
  const std::string& path() const { return path_; }
  json::Value root() const { return root_; }
  const std::string& hash() const { return hash_; }
  bool is_lines() const { return !lines_.empty(); }
  /// Returns the name of an element of the file's list for messages: "entry 3" from 0, or "line 4".
  std::string place(std::size_t index) const;
  /// Returns the number that place() names.
  std::size_t number(std::size_t index) const {
    return index < lines_.size() ? lines_[index] : index;
  }
  /// Keeps a value of the file under an address that stays.
  const json::Value* keep(json::Value value) { return &kept_.emplace_back(value); }

 private:
  void parse_lines(std::string text);

  std::string path_, hash_;
  std::unique_ptr<SpareParser> parser_;
  json::Value root_;
  std::deque<json::Value> kept_;
  std::vector<std::size_t> lines_;  // of each element, for JSON Lines
};

/// Tells whether a value stands for a number that is not finite. Python writes NaN, Infinity and
/// -Infinity, which are not JSON, and reads 1e999 as infinite. They are read as objects that no
/// writer makes.
bool is_not_finite(json::Value value);
/// Returns the number that such an object stands for: NaN, or an infinity with its sign; nothing
/// for any other value.
std::optional<double> not_finite_in(json::Value value);
/// Returns the digits of an integer that does not fit into 64 bits, with its sign; nothing for any
/// other value. Python reads such integers. Here they are read as objects that no writer makes, so
/// that they hurt only where somebody needs their value.
std::optional<std::string_view> long_integer_in(json::Value value);
/// Returns the object that the file has at this place; nothing if it has another value, or a
/// number that is not finite, or an integer of more than 64 bits.
std::optional<json::Object> object_in(json::Value value);

/// Tells whether a document is a single line of JSON Lines, which looks like a whole document.
bool is_lone_line(json::Value root);

/// Holds the value of a key; the last one if the key is repeated, as in Python.
struct KeyValue {
  json::Value value;
  std::size_t count = 0;  ///< number of occurrences of the key
};
KeyValue find_key(json::Object object, std::string_view key);
bool has_key(json::Object object, std::string_view key);

/// Returns the first keys of an object for an error message: "found a, b, c".
std::string found_keys(json::Object object);
std::string_view type_name(json::Value value);

/// Returns the value of a key, the last one if it is repeated. @throws InputError that lists the
/// keys
json::Value require(json::Object object, std::string_view key, const InputError::Where& where);

/// Looks up required keys and counts those that are repeated in an object.
class KeyReader {
 public:
  /// @throws InputError, see `require`
  json::Value get(json::Object object, std::string_view key, const InputError::Where& where);
  /// Returns an object's fields, each key once, where it first stands and with its last value.
  std::vector<json::Field> fields(json::Object object);
  /// Adds a sentence on repeated keys, if there were any.
  void note_repeated(std::vector<std::string>& notes) const;

  std::size_t repeated = 0;
};

/// Returns an id that files write as a string or as an integer.
std::string id_text(json::Value value, const InputError::Where& where);

/// Returns a value of the wanted type. @throws InputError that says what was wanted and what was
/// found.
std::string_view as_string(json::Value value, const InputError::Where& where);
json::Array as_array(json::Value value, const InputError::Where& where);
json::Object as_object(json::Value value, const InputError::Where& where);

/// Returns a finite number. @throws InputError
double as_number(json::Value value, const InputError::Where& where);

/// Returns a coordinate or a length, see checked_metres. @throws InputError
double as_metres(json::Value value, const InputError::Where& where);

}  // namespace warpath::formats
