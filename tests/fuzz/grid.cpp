// Grids: a line of JSON, then its image or array; and points that are snapped to the cells.

#include <cmath>

#include "host/files/grid/grid_file.hpp"
#include "tests/fuzz/checks.hpp"
#include "warpath/distances.hpp"

namespace warpath::fuzz {
namespace {

double apart(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double squares = 0.0;
  for (int axis = 0; axis < 3; ++axis) squares += (a[axis] - b[axis]) * (a[axis] - b[axis]);
  return std::sqrt(squares);
}

void check_snapping(const Grid& grid) {
  constexpr Node max_compared = 64;
  const std::array<double, 3> first = grid.centre(0);
  for (const double aside : {-1e6, -0.3, 0.0, 0.05, 7.0}) {
    const std::array<double, 3> point{first[0] + aside, first[1] + 0.1, first[2] - 2 * aside};
    const Grid::Nearest found = grid.nearest(point);
    require(found.cell < grid.size(), "a point is snapped to no cell");
    require(
        found.metres == apart(grid.centre(found.cell), point) ||
            std::abs(found.metres - apart(grid.centre(found.cell), point)) <= 1e-9 * found.metres,
        "a point is not so far from its cell");
    for (Node n = 0; n < std::min<std::size_t>(grid.size(), max_compared); ++n) {
      require(found.metres <= apart(grid.centre(n), point) * (1 + 1e-12),
              "another cell is nearer to a point");
    }
  }
  require(grid.nearest(first).metres == 0.0, "a centre is not its own cell's");
}

// Checks that distances by fast marching are finite where a way leads, and 0 at the goal alone.
void check_marching(const Scan& four, const Scan& marched) {
  constexpr Node max_goals = 4;
  Distances ways(four, Distance::euclid_3d), distances(marched, Distance::euclid_3d);
  for (Node goal = 0; goal < std::min<std::size_t>(four.size(), max_goals); ++goal) {
    const auto way = ways.row_to(goal), distance = distances.row_to(goal);
    for (Node n = 0; n < four.size(); ++n) {
      require(std::isinf(way[n]) == std::isinf(distance[n]), "marching reaches other cells");
      require(n == goal ? distance[n] == 0.0 : distance[n] > 0.0, "a distance is not above 0");
    }
  }
}

}  // namespace

void fuzz_grid(Bytes input) {
  constexpr std::size_t max_cells = 2000;
  const std::string_view text = text_of(input);
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string json(text.substr(0, end));
  if (json.find_first_of("/\\") != json.npos) return;  // names files elsewhere
  const InputTexts texts{{"in/grid.json", json},
                         {"in/cells", std::string(text.substr(std::min(end + 1, text.size())))}};
  read_or_refuse([&] {
    const grid::GridFile file = grid::read_grid_file("in/grid.json", {max_bytes, &texts});
    require(file.grid.size() > 0 && !file.scan.empty(), "a grid without cells or a name");
    check_snapping(file.grid);
    if (file.grid.size() > max_cells) return;
    const Scan four = file.grid.make_scan(file.scan, Connect::four),
               eight = file.grid.make_scan(file.scan, Connect::eight);
    require(four.edge_count() <= eight.edge_count(), "diagonals take edges away");
    check_scan(four);
    check_scan(eight);
    check_marching(four, file.grid.make_scan(file.scan, Connect::fmm));
  });
}

}  // namespace warpath::fuzz
