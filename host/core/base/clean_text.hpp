#pragma once

#include <string>
#include <string_view>

namespace warpath::base {

/// Says where a text is printed.
enum class Markup { text, markdown, latex, html };

/// Returns any text in a form that can be printed in one line. A space replaces each control
/// character and each character that ends lines or turns the direction of writing. U+FFFD replaces
/// each byte that is not UTF-8. Characters with a meaning in the markup are escaped; in LaTeX a
/// question mark replaces each letter that pdflatex does not know. Of a plain text of more than
/// `max_line_bytes` the middle is left out. Every string from a file must
/// pass through this function before it is shown to a person.
std::string clean_text(std::string_view text, Markup markup = Markup::text);

/// The most bytes of a line for a person; a file may have an id of any length.
inline constexpr std::size_t max_line_bytes = 4000;

/// Returns a text of at most so many bytes: of a longer one the beginning, "…" and the end.
std::string shortened(std::string_view text, std::size_t max_bytes);

/// Tells whether clean_text() replaces a UTF-8 character by a space.
bool is_control(std::string_view character);

/// Returns the number of bytes of the UTF-8 character at the beginning of a text, or 0 if there is
/// none.
std::size_t utf8_size(std::string_view text);

}  // namespace warpath::base
