#pragma once

#include <optional>
#include <string_view>

#include "warpath/error.hpp"

namespace warpath {

struct FileKind {
  std::string_view what;    ///< "a zip archive"
  std::string_view remedy;  ///< "unpack it"
};

/// Tells by its first bytes a content that is often met where JSON or a table should be: archives,
/// pointers, web pages. Nothing: none of them.
std::optional<FileKind> file_kind(std::string_view content);

/// Refuses such a content. @throws InputError
void refuse_foreign(const InputError::Where& where, std::string_view content);

}  // namespace warpath
