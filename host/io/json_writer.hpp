#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace warpath {

/// Returns a text as a JSON string, with its quotes, as JsonWriter writes it.
std::string json_string(std::string_view text);

/// Returns a finite number as Python writes a float: the shortest text that reads back the same,
/// with .0 behind a whole number.
std::string json_float(double number);

/// Writes JSON with two spaces of indentation. Equal values give equal bytes: keys keep their
/// order, and numbers have the shortest form that reads back the same. A byte that is not UTF-8
/// becomes U+FFFD; characters that would act on a terminal are escaped. An empty key writes an
/// element of a list.
class JsonWriter {
 public:
  void open(std::string_view key, char bracket) {
    begin(key);
    out_ += bracket;
    ++depth_;
    first_ = true;
  }

  void close(char bracket) {
    --depth_;
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
  void line() { out_.append("\n").append(2 * depth_, ' '); }

  void begin(std::string_view key) {
    if (!first_) out_ += ',';
    if (depth_ > 0) line();
    first_ = false;
    if (key.empty()) return;
    append_quoted(out_, key);
    out_ += ": ";
  }

  friend std::string json_string(std::string_view text);
  static void append_quoted(std::string& out, std::string_view text);

  std::string out_;
  std::size_t depth_ = 0;
  bool first_ = true;
};

}  // namespace warpath
