#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpath::grid {

/// Names the types of elements that grids have.
enum class NpyType { boolean, uint8, float32, float64 };

/// Leads to an array of NumPy that was checked.
struct NpyArray {
  std::string file;  ///< for messages
  NpyType type = NpyType::uint8;
  std::vector<std::size_t> shape{};
  std::string_view elements;  ///< their bytes, in the content that was parsed

  /// Returns the number of elements.
  std::size_t size() const;
  /// Returns an element; true is 1. @pre k < size()
  double at(std::size_t k) const;
};

/// Parses an array of version 1 or 2, of bool, uint8, float32 or float64, in C order,
/// little-endian.
/// @param name of the file, for errors
/// @param content of the file, which must outlive the array
/// @throws InputError that names what is wrong, and how to save the array anew
NpyArray parse_npy(const std::string& name, std::string_view content);

}  // namespace warpath::grid
