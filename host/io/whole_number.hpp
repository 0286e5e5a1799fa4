#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpath {

/// Reads a whole number without sign, leading zeros or other characters. Returns nothing for any
/// other text, and for a number of more than 64 bits.
std::optional<std::uint64_t> parse_whole_number(std::string_view text);

}  // namespace warpath
