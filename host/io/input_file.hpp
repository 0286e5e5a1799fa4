#pragma once

#include <string>

namespace warpath {

/// The whole content of a file, decompressed where it is gzip (told by its first bytes, not by its
/// name), without UTF-8's byte order mark, with room behind it for a JSON parser's padding.
/// @throws InputError where it can't be read or the compressed data are damaged.
std::string read_input(const std::string& path);

/// 128-bit XXH3 of a content, 32 hexadecimal digits: names the data a report was made from.
std::string content_hash(std::string_view content);

}  // namespace warpath
