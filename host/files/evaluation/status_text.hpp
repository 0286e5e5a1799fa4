#pragma once

#include <cstdint>
#include <string>

#include "warpath/scores.hpp"

namespace warpath::evaluation {

/// Describes a status for that many items, as text that follows their number: "have no prediction",
/// or for one item "has no prediction".
std::string describe(Status status, std::uint64_t items);

}  // namespace warpath::evaluation
