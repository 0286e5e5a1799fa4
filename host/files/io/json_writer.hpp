#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpath::io {

/// Returns a text as a JSON string, with its quotes, as JsonWriter writes it.
std::string json_string(std::string_view text);

/// Returns a finite number as Python writes a float: the shortest text that reads back the same,
/// with .0 behind a whole number.
std::string json_float(double number);

/// Writes JSON with two spaces of indentation. Equal values give equal bytes: keys keep their
/// order, and numbers have the shortest form that reads back the same. A byte that is not UTF-8
/// becomes U+FFFD; characters that would act on a terminal are escaped. The elements of a list and
/// the whole document have no key: it is not written there. In an object any text is a key, even an
/// empty one.
class JsonWriter {
 public:
  void open(std::string_view key, char bracket) {
    begin(key);
    out_ += bracket;
    brackets_ += bracket;
    first_ = true;
  }

  void close(char bracket) {
    brackets_.pop_back();
    if (!first_) line();
    out_ += bracket;
    first_ = false;
  }

  void text(std::string_view key, std::string_view value) {
    begin(key);
    append_quoted(out_, value);
  }

  /// @pre `value` is valid JSON.
  void raw(std::string_view key, std::string_view value) {
    begin(key);
    out_ += value;
  }

  void null(std::string_view key) { raw(key, "null"); }
  void integer(std::string_view key, std::uint64_t value) { raw(key, fmt::format("{}", value)); }
  void number(std::string_view key, std::optional<double> value) {
    raw(key, value ? fmt::format("{}", *value) : "null");
  }
  void numbers(std::string_view key, std::initializer_list<double> values) {
    raw(key, fmt::format("[{}]", fmt::join(values, ", ")));
  }

  std::string take() { return std::move(out_) + "\n"; }

 private:
  void line() { out_.append("\n").append(2 * brackets_.size(), ' '); }

  void begin(std::string_view key) {
    if (!first_) out_ += ',';
    if (!brackets_.empty()) line();
    first_ = false;
    if (!brackets_.ends_with('{')) return;
    append_quoted(out_, key);
    out_ += ": ";
  }

  friend std::string json_string(std::string_view text);
  static void append_quoted(std::string& out, std::string_view text);

  std::string out_;
  std::string brackets_;  // that are open
  bool first_ = true;
};

}  // namespace warpath::io
