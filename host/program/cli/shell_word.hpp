#pragma once

#include <string>

namespace warpath::cli {

/// Quotes a word so that a POSIX shell reads it back and a terminal can show it.
std::string shell_quoted(const std::string& word);

}  // namespace warpath::cli
