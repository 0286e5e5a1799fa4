#include "tests/support/navmesh.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace warpath::testing {
namespace {

constexpr int squares = 4;
constexpr float side = 4.0f;
constexpr float corner[squares][2] = {
    {0.0f, 0.0f}, {4.0f, 0.0f}, {4.0f, 4.0f}, {20.0f, 0.0f}};  // x, z

class Bytes {
 public:
  template <class... Values>
  void add(Values... values) {
    (add_one(values), ...);
  }
  const std::string& text() const { return text_; }

 private:
  template <class T>
  void add_one(T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text_.append(bytes, sizeof value);
  }

  std::string text_;
};

// Corners go around as seen from above: (0, 0), (0, 4), (4, 4), (4, 0). Edge k is from corner k on.
constexpr std::array<std::array<float, 2>, 4> offsets{{{0, 0}, {0, side}, {side, side}, {side, 0}}};

// Squares have corners of their own, but joined ones share those of their edge.
int vertex(int square, int k) {
  if (square == 1 && k <= 1) return k == 0 ? 3 : 2;              // A's right edge
  if (square == 2 && (k == 0 || k == 3)) return k == 0 ? 2 : 6;  // B's upper edge
  return 4 * square + k;
}

// Returns 1 + the square on the other side of an edge; 0: none.
std::uint16_t neighbour(int square, int k) {
  if (square == 0 && k == 2) return 2;
  if (square == 1) return k == 0 ? 1 : k == 1 ? 3 : 0;
  return square == 2 && k == 3 ? 2 : 0;
}

std::string make_tile() {
  Bytes out;
  const auto none = std::int32_t{0};
  out.add(std::int32_t{'D' << 24 | 'N' << 16 | 'A' << 8 | 'V'}, std::int32_t{7}, none, none, none,
          std::uint32_t{0});
  out.add(std::int32_t{squares}, std::int32_t{4 * squares}, std::int32_t{16}, std::int32_t{squares},
          none, std::int32_t{2 * squares}, std::int32_t{squares}, none, std::int32_t{squares});
  out.add(1.5f, 0.1f, 0.2f);           // agent's height and radius, climb
  out.add(0.0f, 0.0f, 0.0f);           // bounds
  out.add(24.0f, 20.0f, 8.0f, 10.0f);  // and entries of the tree in a metre
  for (int s = 0; s < squares; ++s) {
    for (const auto& offset : offsets)
      out.add(corner[s][0] + offset[0], 0.0f, corner[s][1] + offset[1]);
  }
  for (int s = 0; s < squares; ++s) {
    out.add(~std::uint32_t{0});
    for (int k = 0; k < 6; ++k) out.add(static_cast<std::uint16_t>(k < 4 ? vertex(s, k) : 0));
    for (int k = 0; k < 6; ++k) out.add(k < 4 ? neighbour(s, k) : std::uint16_t{0});
    out.add(std::uint16_t{1}, std::uint8_t{4}, std::uint8_t{0});
  }
  for (int l = 0; l < 16; ++l) out.add(std::uint32_t{0}, std::uint32_t{0}, std::uint32_t{0});
  for (std::uint32_t s = 0; s < squares; ++s) {
    out.add(std::uint32_t{0}, 2 * s, std::uint8_t{0}, std::uint8_t{2}, std::uint16_t{0});
  }
  for (int s = 0; s < squares; ++s) {
    // Two triangles, with bits for their edges on the square's border.
    for (const std::uint8_t c : {0, 1, 2, 0b000101, 0, 2, 3, 0b010100}) out.add(c);
  }
  for (int s = 0; s < squares; ++s) {
    const auto x = static_cast<std::uint16_t>(10 * corner[s][0]),
               z = static_cast<std::uint16_t>(10 * corner[s][1]);
    out.add(x, std::uint16_t{0}, z, static_cast<std::uint16_t>(x + 40), std::uint16_t{1},
            static_cast<std::uint16_t>(z + 40), std::int32_t{s});
  }
  return out.text();
}

}  // namespace

std::string make_navmesh(int version) {
  const std::string tile = make_tile();
  Bytes out;
  out.add('T', 'E', 'S', 'M', std::int32_t{version}, std::int32_t{1});
  out.add(0.0f, 0.0f, 0.0f, 24.0f, 8.0f, std::int32_t{1}, std::int32_t{squares});
  if (version == 2) {
    for (int k = 0; k < 14; ++k) out.add(0.0f);
  }
  // 2 bits of polygons and none of tiles leave the upper bits to the tile's age, 1.
  out.add(std::uint32_t{1} << 2, static_cast<std::int32_t>(tile.size()));
  return out.text() + tile;
}

}  // namespace warpath::testing
