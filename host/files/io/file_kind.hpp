#pragma once

#include <optional>
#include <string_view>

#include "warpath/error.hpp"

namespace warpath::io {

struct FileKind {
  std::string_view what;    ///< "a zip archive"
  std::string_view remedy;  ///< "unpack it"
};

/// Recognises, by its first bytes, content that is often given instead of JSON or a table:
/// archives, pointers, web pages. Returns nothing for any other content.
std::optional<FileKind> file_kind(std::string_view content);

/// Refuses such content. @throws InputError
void refuse_foreign(const InputError::Where& where, std::string_view content);

}  // namespace warpath::io
