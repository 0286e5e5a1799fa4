#include "host/io/one_line.hpp"

namespace warpath {
namespace {

unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

}  // namespace

std::string one_line(std::string text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (byte(text[i]) < 0x20 || text[i] == '\x7f') text[i] = ' ';
    // U+0080 to U+009F, with which terminals can be steered too.
    const bool is_c1 =
        i > 0 && byte(text[i - 1]) == 0xC2 && byte(text[i]) >= 0x80 && byte(text[i]) < 0xA0;
    if (is_c1) text[i - 1] = text[i] = ' ';
  }
  return text;
}

}  // namespace warpath
