#include "host/core/base/clean_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpath::base {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

constexpr std::string_view replacement_character = "\uFFFD";

template <std::size_t n>
std::string_view replaced(std::string_view character, const std::array<Replacement, n>& table) {
  const auto it = std::ranges::find(table, character, &Replacement::first);
  return it == table.end() ? character : it->second;
}

constexpr std::array<Replacement, 13> in_markdown{{
    {"\\", "\\\\"},
    {"`", "\\`"},
    {"*", "\\*"},
    {"_", "\\_"},
    {"|", "\\|"},
    {"[", "\\["},
    {"]", "\\]"},
    {"#", "\\#"},
    {"~", "\\~"},
    {"$", "\\$"},
    {"&", "&amp;"},
    {"<", "&lt;"},
    {">", "&gt;"},
}};

// LaTeX would read a bracket or star behind the end of a row as an option of that end.
constexpr std::array<Replacement, 33> in_latex{{
    {"\\", "\\textbackslash{}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"_", "\\_"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"[", "{[}"},
    {"]", "{]}"},
    {"*", "{*}"},
    {"|", "\\textbar{}"},
    {"<", "\\textless{}"},
    {">", "\\textgreater{}"},
    {"\"", "''"},
    {"±", "$\\pm$"},
    {"−", "$-$"},
    {"·", "$\\cdot$"},
    {"↑", "$\\uparrow$"},
    {"ρ", "$\\rho$"},
    {"τ", "$\\tau$"},
    {"↓", "$\\downarrow$"},
    {"≤", "$\\leq$"},
    {"√", "$\\surd$"},
    {"Σ", "$\\Sigma$"},
    {"–", "--"},
    {"…", "\\ldots{}"},
    {"×", "$\\times$"},
    {"÷", "$\\div$"},
    {"\u00A0", " "},
    {replacement_character, "?"},
}};

// Tells whether LaTeX prints the character in its oldest encoding: ASCII, and the accented letters
// of Latin-1 except Ð, Þ, ð, þ. Others would stop it.
bool is_in_latex(std::string_view character) {
  if (character.size() == 1) return true;
  const auto first = static_cast<unsigned char>(character[0]);
  return character.size() == 2 && first == 0xC3 && character != "Ð" && character != "Þ" &&
         character != "ð" && character != "þ";
}

std::string_view escaped_for_latex(std::string_view character) {
  const std::string_view escaped = replaced(character, in_latex);
  return escaped != character || is_in_latex(character) ? escaped : "?";
}

constexpr std::array<Replacement, 5> in_html{{
    {"&", "&amp;"},
    {"<", "&lt;"},
    {">", "&gt;"},
    {"\"", "&quot;"},
    {"'", "&#39;"},
}};

std::string_view escaped(std::string_view character, Markup markup) {
  switch (markup) {
    case Markup::markdown:
      return replaced(character, in_markdown);
    case Markup::latex:
      return escaped_for_latex(character);
    case Markup::html:
      return replaced(character, in_html);
    default:
      return character;
  }
}

}  // namespace

// Tells whether a character is C0, DEL or C1, or ends a line or turns the direction of writing:
// U+061C, U+200E and U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(character[k]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) {
    return (byte(0) == 0xC2 && byte(1) < 0xA0) || (byte(0) == 0xD8 && byte(1) == 0x9C);
  }
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  return (byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F)) ||
         (byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE) ||
         (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9);
}

// Follows table 3-7 of the Unicode standard, and no parser's choice of instructions, which may
// fail.
std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (text.empty()) return 0;
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t size = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < size) return 0;
  const unsigned min_second = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned max_second = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < min_second || byte(1) > max_second) return 0;
  for (std::size_t k = 2; k < size; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return 0;
  }
  return size;
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  constexpr std::string_view gap = "…";
  if (text.size() <= max_bytes) return std::string(text);
  const auto is_inside = [&](std::size_t k) {
    return k < text.size() && (static_cast<unsigned char>(text[k]) & 0xC0) == 0x80;
  };
  const std::size_t kept = max_bytes - std::min(max_bytes, gap.size());
  std::size_t end = kept - kept / 3, begin = text.size() - kept / 3;
  for (int k = 0; k < 3 && end > 0 && is_inside(end); ++k) --end;
  for (int k = 0; k < 3 && is_inside(begin); ++k) ++begin;
  return std::string(text.substr(0, end)).append(gap).append(text.substr(begin));
}

std::string clean_text(std::string_view text, Markup markup) {
  const std::string line = markup == Markup::text ? shortened(text, max_line_bytes) : "";
  if (markup == Markup::text) text = line;
  std::string clean;
  while (!text.empty()) {
    const std::size_t size = utf8_size(text);
    const std::string_view character = text.substr(0, size);
    if (size == 0)
      clean += escaped(replacement_character, markup);
    else if (is_control(character))
      clean += ' ';
    else
      clean += escaped(character, markup);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return markup == Markup::text ? shortened(clean, max_line_bytes) : clean;
}

}  // namespace warpath::base
