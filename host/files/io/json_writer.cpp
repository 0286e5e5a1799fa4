#include "host/files/io/json_writer.hpp"

#include <algorithm>
#include <iterator>

#include "host/core/base/clean_text.hpp"

namespace warpath::io {
namespace {

// Returns the code point of a UTF-8 character of up to three bytes, as all control characters are.
unsigned code_point(std::string_view character) {
  const auto bits = [&](std::size_t k) { return static_cast<unsigned char>(character[k]) & 0x3Fu; };
  switch (character.size()) {
    case 1:
      return static_cast<unsigned char>(character[0]);
    case 2:
      return (bits(0) & 0x1Fu) << 6 | bits(1);
    default:
      return (bits(0) & 0x0Fu) << 12 | bits(1) << 6 | bits(2);
  }
}

// Returns the letter of a control character's own escape, n for a newline; 0 if it has none.
char escape_letter(char c) {
  switch (c) {
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    default:
      return 0;
  }
}

}  // namespace

void JsonWriter::append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const std::size_t size = base::utf8_size(text);
    const char c = text.front();
    if (size == 0) {
      out += "\uFFFD";
    } else if (c == '"' || c == '\\') {
      out.append("\\").push_back(c);
    } else if (const char letter = escape_letter(c)) {
      out.append("\\").push_back(letter);
    } else if (base::is_control(text.substr(0, size))) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", code_point(text.substr(0, size)));
    } else {
      out.append(text.substr(0, size));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  out += '"';
}

std::string json_string(std::string_view text) {
  std::string out;
  JsonWriter::append_quoted(out, text);
  return out;
}

std::string json_float(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace warpath::io
