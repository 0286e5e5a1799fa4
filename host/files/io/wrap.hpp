#pragma once

#include <string>
#include <string_view>

namespace warpath::io {

/// Returns the number of columns of a text on a terminal: its UTF-8 characters.
std::size_t columns(std::string_view text);

/// Returns a text in lines of at most `width` columns, broken at spaces: the first begins with
/// `first`, the others with `indent`. A word that is longer stands on a line of its own. Every line
/// ends with a newline.
std::string wrap(std::string_view text, int width, std::string_view first = "",
                 std::string_view indent = "");

/// Returns a text of at most that many columns; … replaces the middle of a longer one.
std::string shortened_to_width(const std::string& text, std::size_t max_columns);

}  // namespace warpath::io
