#pragma once

#include <string>

namespace warpath::testing {

/// Compresses a text to one member of gzip data.
std::string gzip(const std::string& text);

}  // namespace warpath::testing
