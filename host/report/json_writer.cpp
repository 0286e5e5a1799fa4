#include "host/report/json_writer.hpp"

#include <simdjson.h>

#include <algorithm>
#include <iterator>

namespace warpath {
namespace {

// Bytes of the UTF-8 character at the begin of the text, or 0 where there is none.
std::size_t character_size(std::string_view text) {
  for (std::size_t size = 1; size <= std::min<std::size_t>(4, text.size()); ++size) {
    if (simdjson::validate_utf8(text.data(), size)) return size;
  }
  return 0;
}

}  // namespace

void JsonWriter::append_quoted(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const char c = text.front();
    if (size == 0) {
      out_ += "\uFFFD";
    } else if (c == '"' || c == '\\') {
      out_.append("\\").push_back(c);
    } else if (size == 1 && static_cast<unsigned char>(c) < 0x20) {
      fmt::format_to(std::back_inserter(out_), "\\u{:04x}", static_cast<int>(c));
    } else {
      out_.append(text.substr(0, size));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  out_ += '"';
}

}  // namespace warpath
