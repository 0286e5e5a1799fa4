#pragma once

#include <string>

#include "host/files/io/input_file.hpp"
#include "warpath/grid.hpp"

namespace warpath::grid {

/// Holds a grid that was read.
struct GridFile {
  std::string scan, hash;  ///< the scan's name, and the hash of the file and its array or image
  Grid grid;
};

/// Holds what a grid that was read is made of.
struct GridSource {
  std::string scan, hash;
  GridData data;
};

/// Reads a grid: {"scan", "resolution", "origin": [x, y], "up": "y" or "z"} with "free", the name
/// of an 8-bit greyscale PNG or an array [rows][columns] of bool or uint8, and the "height" of the
/// floor; or with "heights", an array [layers][rows][columns] of float32 or float64, NaN where a
/// cell is not free, and "climb". Images and arrays lie beside the file and may be gzipped.
/// @throws InputError that names the file and the key at fault
GridFile read_grid_file(const std::string& path, const io::Reading& reading);
/// Reads the same, without checks of the cells. @throws InputError
GridSource read_grid_source(const std::string& path, const io::Reading& reading);

}  // namespace warpath::grid
