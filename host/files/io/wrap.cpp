#include "host/files/io/wrap.hpp"

#include <algorithm>

#include "host/core/base/clean_text.hpp"

namespace warpath::io {
namespace {

bool continues_character(unsigned char byte) {
  return (byte & 0xC0) == 0x80;
}

// Returns the number of bytes of the first `count` characters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t bytes = 0;
  for (; bytes < text.size(); ++bytes) {
    if (!continues_character(text[bytes]) && count-- == 0) break;
  }
  return bytes;
}

}  // namespace

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return !continues_character(c); }));
}

std::string wrap(std::string_view text, int width, std::string_view first,
                 std::string_view indent) {
  std::string out(first);
  std::size_t used = columns(first);
  bool is_line_empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!is_line_empty && used + 1 + columns(word) > static_cast<std::size_t>(width)) {
      out.append("\n").append(indent);
      used = columns(indent);
      is_line_empty = true;
    }
    if (!is_line_empty) out += ' ';
    out += word;
    used += columns(word) + (is_line_empty ? 0 : 1);
    is_line_empty = false;
  }
  return out + "\n";
}

std::string shortened_to_width(const std::string& text, std::size_t max_columns) {
  std::string clean = base::clean_text(text);
  const std::size_t size = columns(clean);
  if (size <= max_columns || max_columns < 3) return clean;
  const std::size_t left = (max_columns - 1) / 2, right = max_columns - 1 - left;
  return clean.substr(0, bytes_of(clean, left)) + "…" + clean.substr(bytes_of(clean, size - right));
}

}  // namespace warpath::io
