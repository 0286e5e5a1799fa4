#pragma once

#include <string>
#include <string_view>

namespace warpath {

/// Where a text is printed.
enum class Markup { text, markdown, latex, html };

/// Returns a text as it can be printed in one line, whatever it holds: a space stands for each
/// control character, and for the characters that end lines or turn the direction of writing;
/// U+FFFD stands for each byte that is no UTF-8; what has a meaning in the markup is escaped, and
/// in LaTeX a question mark stands for each letter that pdflatex does not know. Every string that
/// comes from a file passes through here on its way to a person.
std::string clean_text(std::string_view text, Markup markup = Markup::text);

/// Tells whether a UTF-8 character is one for which clean_text() puts a space.
bool is_control(std::string_view character);

/// Returns the bytes of the UTF-8 character that a text begins with, or 0 where it begins with
/// none.
std::size_t utf8_size(std::string_view text);

}  // namespace warpath
