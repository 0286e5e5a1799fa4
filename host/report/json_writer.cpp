#include "host/report/json_writer.hpp"

#include <algorithm>
#include <iterator>

#include "host/io/clean_text.hpp"

namespace warpath {
void JsonWriter::append_quoted(std::string_view text) {
  out_ += '"';
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
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
