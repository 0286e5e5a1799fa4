#pragma once

#include <cstdint>

#include "host/core/cpu/backend.hpp"
#include "host/core/walks/walk_tables.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::cpu {

/// Returns the statistics of walks first … first + count − 1, which are made while they are swept.
/// Memory does not grow with their number.
/// @pre tables.are_usable
/// @throws std::overflow_error as Statistics
BatchStatistics statistics(const RandomWalks& walks, const walks::WalkTables& tables,
                           const Convention& convention, const Options& options,
                           std::uint64_t first, std::uint64_t count);

}  // namespace warpath::cpu
