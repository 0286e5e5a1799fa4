#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/files/grid/grid_file.hpp"

namespace warpath::grid {

/// Reads the grids of these scans: a file of one scan, or a folder of <scan>.json.
/// @returns a grid for each scan, in their order
/// @throws InputError that names the scan without a grid and what the folder has, or as
///   read_grid_file; UsageError for standard input
std::vector<GridFile> read_grids(const std::string& path, std::span<const std::string> scans,
                                 const io::Reading& reading);

/// Reads what the grid of one scan is made of. @param scan empty: the scan of the file
/// @throws as read_grids()
GridSource read_grid_of(const std::string& path, const std::string& scan,
                        const io::Reading& reading);

}  // namespace warpath::grid
