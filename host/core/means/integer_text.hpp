#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "warpath/statistics.hpp"

namespace warpath::means {

/// Returns an integer of 128 bits in decimal digits. JSON's numbers could not hold it: most readers
/// round them to 53 bits.
std::string decimal(const Statistics::Integer& integer);

/// Reads what decimal() writes; returns nothing for any other text.
std::optional<Statistics::Integer> integer_of(std::string_view text);

}  // namespace warpath::means
