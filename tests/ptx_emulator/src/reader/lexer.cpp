#include "src/reader/lexer.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "ptx/program.hpp"

namespace ptx {
namespace {

using std::string_view;

constexpr string_view white_space = " \t\n\r";

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Tells whether a word is a type: ".b8", ".u64", ".f32".
bool is_type(string_view word) {
  return word.size() > 2 && word[0] == '.' && std::islower(static_cast<unsigned char>(word[1])) &&
         std::ranges::all_of(word.substr(2), is_digit);
}

bool is_plain_name(string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$';
  });
}

}  // namespace

string_view trim(string_view text) {
  const auto first = text.find_first_not_of(white_space);
  if (first == string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::string remove_comments(string_view text) {
  std::string result;
  while (!text.empty()) {
    const auto comment = std::min(text.find("//"), text.size());
    result += text.substr(0, comment);
    text.remove_prefix(std::min(text.find('\n', comment), text.size()));
  }
  return result;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

std::vector<string_view> split_operands(string_view text) {
  std::vector<string_view> operands;
  int depth = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (c != ',' || depth > 0) continue;
    if (const auto operand = trim(text.substr(first, i - first)); !operand.empty()) {
      operands.push_back(operand);
    }
    first = i + 1;
  }
  return operands;
}

std::vector<string_view> split_words(string_view text) {
  std::vector<string_view> words;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const auto end = std::min(text.find_first_of(white_space), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return words;
}

std::int64_t parse_integer(string_view text) {
  const string_view whole = text;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  const bool is_hex = text.starts_with("0x");
  if (is_hex) text.remove_prefix(2);
  if (text.ends_with('U')) text.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, is_hex ? 16 : 10);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw SyntaxError("no number: " + std::string(whole));
  }
  return static_cast<std::int64_t>(is_negative ? 0 - value : value);
}

std::uint64_t parse_constant(string_view text) {
  const bool is_float = text.starts_with("0f") || text.starts_with("0d");
  return static_cast<std::uint64_t>(is_float ? parse_integer("0x" + std::string(text.substr(2)))
                                             : parse_integer(text));
}

VariableDeclaration parse_variable(string_view text) {
  const auto refuse = [&] { return SyntaxError("no variable: " + std::string(text)); };
  const auto words = split_words(text);
  if (words.size() < 2) throw refuse();
  std::uint32_t align = 0, element_bytes = 0, count = 1;
  for (std::size_t k = 0; k + 1 < words.size(); ++k) {
    if (words[k] == ".align") {
      align = static_cast<std::uint32_t>(parse_integer(words[++k]));
    } else if (is_type(words[k]) && element_bytes == 0) {
      element_bytes = static_cast<std::uint32_t>(parse_integer(words[k].substr(2)) / 8);
    } else if (words[k] != ".param" && words[k] != ".shared") {
      throw refuse();
    }
  }
  string_view name = words.back();
  if (const auto bracket = name.find('['); bracket != string_view::npos && name.ends_with(']')) {
    const string_view length = name.substr(bracket + 1, name.size() - bracket - 2);
    count = static_cast<std::uint32_t>(parse_integer(length));
    name = name.substr(0, bracket);
  }
  if (element_bytes == 0 || !is_plain_name(name)) throw refuse();
  return {std::string(name), align > 0 ? align : element_bytes, element_bytes * count};
}

}  // namespace ptx
