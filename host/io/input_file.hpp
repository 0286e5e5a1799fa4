#pragma once

#include <cstdint>
#include <string>

namespace warpath {

/// What messages and reports call an input: "-" is standard input.
std::string input_name(const std::string& path);

/// The most bytes that an input may hold where nothing else is said: a quarter of the memory.
std::uint64_t default_max_input();

/// Room behind an input's content: a JSON parser's padding, and two brackets.
inline constexpr std::size_t input_padding = 128;

/// The whole content of a file ("-": of standard input), decompressed where it is gzip (told by its
/// first bytes, not by its name), without UTF-8's byte order mark, with `input_padding` behind it.
/// @param max_bytes the most bytes to read, and to hold once decompressed; 0: the default.
/// @throws InputError where it can't be read, is too large, or the compressed data are damaged.
std::string read_input(const std::string& path, std::uint64_t max_bytes = 0);

/// 128-bit XXH3 of a content, 32 hexadecimal digits: names the data a report was made from.
std::string content_hash(std::string_view content);

}  // namespace warpath
