#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace warpath::formats {

/// Says where a text stops being JSON.
struct SyntaxFault {
  std::size_t offset;     ///< of the wrong token or character; the text's size if it ends too early
  std::string problem{};  ///< "unexpected ']'; expected a value"; empty if the text ends too early
};

/// Returns the first fault of a text; nothing if it is JSON. Nesting may have any depth.
/// @pre the text is UTF-8
std::optional<SyntaxFault> find_syntax_fault(std::string_view text);

}  // namespace warpath::formats
