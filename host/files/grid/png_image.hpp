#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/files/io/input_file.hpp"

namespace warpath::grid {

/// Holds an image of one brightness for each pixel.
struct Image {
  std::string hash;  ///< of the file's content
  std::uint32_t rows = 0, columns = 0;
  std::vector<std::uint8_t> pixels{};  ///< [rows][columns], as stored: no gamma is applied
};

/// Tells whether a content begins as a PNG does.
bool is_png(std::string_view content);

/// Reads a greyscale PNG of 8 bits.
/// @param name of the file, for errors
/// @param max_bytes limit of the pixels, which take a byte each; see io::Reading
/// @throws InputError if it is damaged, of another kind, or has too many pixels
Image read_png(const std::string& name, std::string_view content, std::uint64_t max_bytes);

}  // namespace warpath::grid
