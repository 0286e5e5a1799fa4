#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/files/json/json_fwd.hpp"

// Values of parsed JSON, for readers. They are simdjson's, behind types of our own: simdjson's
// header takes long to compile. All are views into the parser's memory, and cheap to copy.

namespace warpath::json {

/// What a view of simdjson's holds.
struct View {
  std::uintptr_t document = 0, place = 0;

  bool operator==(const View&) const = default;
};

/// The types that a value is read as.
template <class T>
concept Readable = std::same_as<T, std::string_view> || std::same_as<T, double> ||
    std::same_as<T, std::int64_t> || std::same_as<T, std::uint64_t> || std::same_as<T, bool> ||
    std::same_as<T, Array> || std::same_as<T, Object>;

/// Names what a value is. A number is one of the three kinds that simdjson tells apart.
enum class Kind { none, array, object, string, integer, large_integer, real, boolean, null };

/// A value of any kind, or none where a list or an object has nothing at a place.
class Value {
 public:
  Value() = default;
  /// @param view of an element of simdjson's
  explicit Value(const View& view) : view_(view) {}

  /// Sets `out` if the value is of that kind, and tells whether it is. A double takes any number,
  /// and an integer takes those that fit.
  bool get(std::string_view& out) const;
  bool get(double& out) const;
  bool get(std::int64_t& out) const;
  bool get(std::uint64_t& out) const;
  bool get(bool& out) const;
  bool get(Array& out) const;
  bool get(Object& out) const;

  /// Sets `out` to the first items of a list, and tells whether they are there and are numbers.
  /// @param[out] has_more whether the list has items beyond these
  bool get(std::span<double> out, bool& has_more) const;
  /// Returns the value as one of the types above. @throws std::invalid_argument if it is another
  template <Readable T>
  explicit operator T() const {
    T out{};
    if (!get(out)) throw std::invalid_argument("the JSON value is of another kind");
    return out;
  }

  /// Returns the value of an object's key, the first one if it is repeated; none for other values.
  Value operator[](std::string_view key) const;
  /// Returns an item of a list; none beyond its end, and for other values.
  Value at(std::size_t position) const;

  bool exists() const { return view_ != View{}; }
  Kind kind() const;
  bool is_array() const { return kind() == Kind::array; }
  bool is_object() const { return kind() == Kind::object; }
  bool is_string() const { return kind() == Kind::string; }
  bool is_null() const { return kind() == Kind::null; }
  bool is_number() const;
  /// Tells whether it is an integer of 64 bits with a sign, as ids are.
  bool is_integer() const { return kind() == Kind::integer; }
  /// Returns a string; an empty one for other values.
  std::string_view text() const;

  const View& view() const { return view_; }

 private:
  View view_{};
};

/// A list of values.
class Array {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Value;

    Iterator() = default;
    explicit Iterator(const View& view) : view_(view) {}
    Value operator*() const { return Value(view_); }
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator&) const = default;

   private:
    View view_{};
  };

  Array() = default;
  explicit Array(const View& view) : view_(view) {}

  Iterator begin() const;
  Iterator end() const;
  /// Returns the number of items, at most 2^24 - 1, where simdjson stops to count.
  std::size_t size() const;
  Value at(std::size_t position) const;

 private:
  View view_{};
};

struct Field {
  std::string_view key;
  Value value;
};

/// Keys with their values, in the order of the text.
class Object {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Field;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Field;

    Iterator() = default;
    explicit Iterator(const View& view) : view_(view) {}
    Field operator*() const;
    Iterator& operator++();
    Iterator operator++(int);
    bool operator==(const Iterator&) const = default;

   private:
    View view_{};
  };

  Object() = default;
  explicit Object(const View& view) : view_(view) {}

  Iterator begin() const;
  Iterator end() const;
  /// Returns the number of keys, at most 2^24 - 1, where simdjson stops to count.
  std::size_t size() const;
  /// Returns the value of a key, the first one if it is repeated; none if it is not there.
  Value operator[](std::string_view key) const;
  /// Returns the value of a key, the last one if it is repeated; none if it is not there.
  /// @param[out] count of the places where the key is
  Value last(std::string_view key, std::size_t& count) const;

 private:
  View view_{};
};

/// Returns a value as JSON without spaces.
std::string minify(const Value& value);

}  // namespace warpath::json
