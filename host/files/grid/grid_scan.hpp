#pragma once

#include <string>
#include <string_view>

#include "host/files/formats/graph_store_state.hpp"
#include "warpath/grid.hpp"

namespace warpath::grid {

/// Makes the scan of a grid for a store.
/// @param hash of the grid's files, or of its arrays
/// @throws InputError as Grid::make_scan
formats::StoredScan stored_scan(const std::string& id, const Grid& grid, Connect connect,
                                const std::string& hash);

/// Finds what "4", "8" or "fmm" stands for. @throws UsageError
Connect find_connect(std::string_view word);
/// Returns the word for it.
std::string_view word_of(Connect connect);

}  // namespace warpath::grid
