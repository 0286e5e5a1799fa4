#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpath::testing {

/// Returns an array as numpy.save writes it.
/// @param type "|b1", "<f4" and so on
/// @param shape as Python prints it: "(2, 3)"
std::string make_npy(std::string_view type, std::string_view shape, std::string_view elements,
                     int version = 1);

/// Returns the bytes of numbers.
template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

/// Returns a greyscale PNG of 8 bits. @param pixels [rows][columns]
std::string make_png(std::uint32_t rows, std::uint32_t columns, std::string_view pixels);

/// Returns a PNG of rows of '#' (a wall) and '.' (free), each as long as the first.
std::string make_map(const std::vector<std::string>& rows);

}  // namespace warpath::testing
