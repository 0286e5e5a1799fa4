#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/host_device.hpp"

// Views integers and paths in the device's memory, of whatever width and layout they arrive in.

namespace warpath::kernels {

/// Holds the loaded parts of an integer. They are read without a branch, and what is done with them
/// waits for them: several integers are best read before the first is put together.
struct IntegerParts {
  std::uint32_t low, second, upper, high;  ///< bytes 0, 1, 2 and 3, 4 and more

  WARPATH_HD std::uint64_t whole() const {
    return low | second << 8 | upper << 16 | std::uint64_t{high} << 32;
  }
};

/// Views an array of integers of 1, 2, 4 or 8 bytes. Only values from 0 to 2^32 − 1 can be read: of
/// 8 bytes the lower four are, which come first.
struct IntegerArray {
  const void* data;     ///< aligned to the width; null: there is no array
  std::uint32_t width;  ///< bytes of each

  WARPATH_HD bool exist() const { return data != nullptr; }
  WARPATH_HD std::uint32_t operator[](std::size_t i) const {
    if (width == 1) return load<std::uint8_t>(i);
    if (width == 2) return load<std::uint16_t>(i);
    return load<std::uint32_t>(i);
  }
  /// Reads a value below 2^16, which takes one test less.
  WARPATH_HD std::uint32_t small(std::size_t i) const {
    return width == 1 ? load<std::uint8_t>(i) : load<std::uint16_t>(i);
  }
  /// Reads the parts of a value of any size without its sign.
  WARPATH_HD IntegerParts read_parts(std::size_t i) const {
    const char* at = address(i);
    IntegerParts parts{load_at<std::uint8_t>(at), 0, 0, 0};
    if (width > 1) parts.second = load_at<std::uint8_t>(at + 1);
    if (width > 2) parts.upper = load_at<std::uint16_t>(at + 2);
    if (width > 4) parts.high = load_at<std::uint32_t>(at + 4);
    return parts;
  }
  /// Reads a value without a branch, behind which nothing could be loaded ahead.
  WARPATH_HD std::uint32_t by_parts(std::size_t i) const {
    return static_cast<std::uint32_t>(read_parts(i).whole());
  }
  /// Reads the bytes of a value below 2^16 so.
  WARPATH_HD void read_small(std::size_t i, std::uint32_t& low, std::uint32_t& high) const {
    low = load_at<std::uint8_t>(address(i));
    high = width > 1 ? load_at<std::uint8_t>(address(i) + 1) : 0u;
  }
  /// Reads a value of any size without its sign.
  WARPATH_HD std::uint64_t wide(std::size_t i) const {
    return width == 8 ? load<std::uint64_t>(i) : (*this)[i];
  }
  /// Reads a value of any size and sign; 1 and 2 bytes have no sign.
  WARPATH_HD std::int64_t exact(std::size_t i) const {
    if (width == 4) return static_cast<std::int32_t>(load<std::uint32_t>(i));
    return width == 8 ? load<std::int64_t>(i) : std::int64_t{(*this)[i]};
  }
  /// Views the elements from number `first` on.
  WARPATH_HD IntegerArray from(std::size_t first) const { return {address(first), width}; }

 private:
  WARPATH_HD const char* address(std::size_t i) const {
    return static_cast<const char*>(data) + i * width;
  }
  template <class T>
  WARPATH_HD T load(std::size_t i) const {
    return load_at<T>(address(i));
  }
  template <class T>
  WARPATH_HD static T load_at(const char* at) {
#if defined(__CUDA_ARCH__)
    return *reinterpret_cast<const T*>(at);
#else
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
#endif
  }
};

/// Views an array of 1, 2 or 4 bytes each.
template <class T>
WARPATH_HD IntegerArray integers(const T* data) {
  return {data, sizeof(T)};
}

/// Divides numbers below 2^31 by how many rows follow each other for each reference, without a
/// division: (k · multiplier) / 2^shift, where the multiplier exceeds 2^shift / rows by at most 1.
struct RowsOfReference {
  std::uint32_t multiplier = (1u << 31) + 1, shift = 31;  ///< one row

  WARPATH_HD std::uint32_t reference(std::uint32_t k) const {
    return static_cast<std::uint32_t>(std::uint64_t{k} * multiplier >> shift);
  }
};
/// @param rows at least 1
WARPATH_CONSTEXPR RowsOfReference rows_of_reference(std::uint32_t rows) {
  RowsOfReference made;
  while ((std::uint64_t{1} << (made.shift - 31)) < rows) ++made.shift;
  made.multiplier = static_cast<std::uint32_t>((std::uint64_t{1} << made.shift) / rows + 1);
  return made;
}

/// Holds the loaded parts of a path's place.
struct PlaceParts {
  IntegerParts begin, end, length;
};

/// Says where paths lie in an array of elements: one after the other (`offsets`), or in rows of
/// `pitch` elements.
///
///   offsets 0 3 5:   a b c d e          pitch 4, lengths 3 2:   a b c .
///                                                               d e . .
struct PathLayout {
  IntegerArray offsets;  ///< where each path begins; none: at p * pitch
  IntegerArray lengths;  ///< none: from one offset to the next
  std::uint32_t pitch;
  std::uint32_t max_length;  ///< longer paths are cut

  WARPATH_HD std::size_t begin(std::uint32_t p) const {
    return offsets.exist() ? offsets.wide(p) : std::size_t{p} * pitch;
  }
  WARPATH_HD std::uint32_t length(std::uint32_t p) const {
    const std::uint32_t n = lengths.exist() ? lengths[p] : offsets[p + std::size_t{1}] - offsets[p];
    return n < max_length ? n : max_length;
  }
  /// Loads what begin and length of path p are made of.
  WARPATH_HD PlaceParts read_parts(std::uint32_t p) const {
    PlaceParts parts{};
    if (offsets.exist()) parts.begin = offsets.read_parts(p);
    if (lengths.exist()) parts.length = lengths.read_parts(p);
    if (!lengths.exist()) parts.end = offsets.read_parts(p + std::size_t{1});
    return parts;
  }
  WARPATH_HD std::size_t begin(std::uint32_t p, const PlaceParts& parts) const {
    return offsets.exist() ? parts.begin.whole() : std::size_t{p} * pitch;
  }
  WARPATH_HD std::uint32_t length(const PlaceParts& parts) const {
    const auto n = static_cast<std::uint32_t>(
        lengths.exist() ? parts.length.whole() : parts.end.whole() - parts.begin.whole());
    return n < max_length ? n : max_length;
  }
  /// Returns the length as it is given, with its sign.
  WARPATH_HD std::int64_t exact_length(std::uint32_t p) const {
    if (lengths.exist()) return lengths.exact(p);
    return static_cast<std::int64_t>(offsets.wide(p + std::size_t{1}) - offsets.wide(p));
  }
};

/// Views paths of viewpoints, or continuous paths.
struct PathArray {
  IntegerArray nodes;  ///< none: the paths have points
  PathLayout layout;
  const float* points = nullptr;  ///< x, y and z of each, metres; null: the paths have viewpoints

  WARPATH_HD bool has_points() const { return points != nullptr; }
  WARPATH_HD std::uint32_t length(std::uint32_t p) const { return layout.length(p); }
  /// Returns the viewpoints of path p.
  WARPATH_HD IntegerArray path(std::uint32_t p) const { return nodes.from(layout.begin(p)); }
  /// Returns the coordinates of path p's points.
  WARPATH_HD const float* points_of(std::uint32_t p) const { return points + 3 * layout.begin(p); }
};

}  // namespace warpath::kernels
