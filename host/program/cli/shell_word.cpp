#include "host/program/cli/shell_word.hpp"

#include <fmt/format.h>

#include "host/core/base/clean_text.hpp"

namespace warpath::cli {
namespace {

// Escapes characters that a terminal must not receive, so that a shell reads the word back.
std::string escaped_for_shell(const std::string& word) {
  std::string out = "$'";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\')
      out.append("\\").push_back(c);
    else if (byte < 0x20 || byte >= 0x7F)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out + "'";
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (base::clean_text(word) != word) return escaped_for_shell(word);
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "_-./=+:,@%") == std::string::npos &&
      !word.empty()) {
    return word;
  }
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

}  // namespace warpath::cli
