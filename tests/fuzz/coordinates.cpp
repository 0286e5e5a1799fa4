// The reader of positions that take the place of a graph's.

#include "host/files/formats/coordinates.hpp"

#include <cmath>

#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {

void fuzz_coordinates(Bytes input) {
  const MemoryFile file(text_of(input));
  const Edge edge{0, 1, {}};
  const Scan scan("s", {"a", "b", "c"}, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {&edge, 1});
  read_or_refuse([&] {
    const auto moved = formats::Coordinates(file.path(), max_bytes).move(scan);
    check_scan(*moved);
    require(moved->size() == scan.size() && moved->edge_count() == 1, "the graph is another");
    require(std::isfinite(moved->edge_lengths(Distance::euclid_3d).front()), "an edge is endless");
  });
}

}  // namespace warpath::fuzz
