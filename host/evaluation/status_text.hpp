#pragma once

#include <cstdint>
#include <string>

#include "warpath/scores.hpp"

namespace warpath {

/// Says what is wrong with so many items of a status, to be read after their number: "have no
/// prediction", or of one item "has no prediction".
std::string describe(Status status, std::uint64_t items);

}  // namespace warpath
