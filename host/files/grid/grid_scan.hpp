#pragma once

#include <string>

#include "host/files/formats/graph_store_state.hpp"
#include "warpath/grid.hpp"

namespace warpath::grid {

/// Makes the scan of a grid for a store.
/// @param hash of the grid's files, or of its arrays
/// @throws InputError as Grid::edges
formats::StoredScan stored_scan(const std::string& id, const Grid& grid, Connect connect,
                                const std::string& hash);

/// Finds which neighbours a number of them stands for, 4 or 8. @throws UsageError
Connect find_connect(int neighbours);

}  // namespace warpath::grid
