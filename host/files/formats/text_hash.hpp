#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace warpath::formats {

/// Returns a hash of a text for a table in memory. It is made where it is needed, by a
/// multiplication for each 16 bytes, since every viewpoint of every path is looked up. The numbers
/// are those of wyhash.
inline std::uint64_t text_hash(std::string_view text) {
  constexpr std::uint64_t a_0 = 0xa0761d6478bd642fu, b_0 = 0xe7037ed1a0b428dbu,
                          h_0 = 0x8ebc6af09c88c6e3u;
  const auto mixed = [](std::uint64_t x, std::uint64_t y) {
    __extension__ using Product = unsigned __int128;
    const Product product = static_cast<Product>(x) * y;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  };
  const auto load = [](const char* from, std::size_t bytes) {
    std::uint64_t word = 0;
    std::memcpy(&word, from, bytes);
    return word;
  };
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = h_0 ^ left * b_0;
  for (; left > 16; left -= 16, at += 16) hash = mixed(load(at, 8) ^ a_0, load(at + 8, 8) ^ hash);
  // The words of what is left may overlap.
  const char* const end = at + left;
  std::uint64_t a = 0, b = 0;
  if (left >= 8) {
    a = load(at, 8);
    b = load(end - 8, 8);
  } else if (left >= 4) {
    a = load(at, 4);
    b = load(end - 4, 4);
  } else if (left > 0) {
    a = load(at, 1) << 8 | load(at + left / 2, 1);
    b = load(end - 1, 1);
  }
  return mixed(a ^ a_0, b ^ b_0 ^ hash);
}

}  // namespace warpath::formats
