#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpath::io {

/// Reads a whole number without sign, leading zeros or other characters. Returns nothing for any
/// other text, and for a number of more than 64 bits.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

/// Reads a count as people write it: also 1_000_000, 1e9, 1.5e9 and 1.5G (k, M, G and T are powers
/// of 1000). Returns nothing for any other text, for a value that is not whole, and for one of more
/// than 64 bits.
std::optional<std::uint64_t> parse_count(std::string_view text);

}  // namespace warpath::io
