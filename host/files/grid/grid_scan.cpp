#include "host/files/grid/grid_scan.hpp"

#include <fmt/format.h>

#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace grid {

formats::StoredScan stored_scan(const std::string& id, const Grid& grid, Connect connect,
                                const std::string& hash) {
  return {std::make_unique<Scan>(grid.make_scan(id, connect)), formats::GraphFormat::grid,
          io::content_hash(fmt::format("{} {}", hash, connect == Connect::eight ? 8 : 4))};
}

Connect find_connect(int neighbours) {
  if (neighbours == 4) return Connect::four;
  if (neighbours == 8) return Connect::eight;
  throw UsageError(fmt::format("--connect {}: a cell has 4 or 8 neighbours", neighbours));
}

}  // namespace grid

const Scan& GraphStore::add(const std::string& id, const Grid& grid, Connect connect) {
  std::string cells;
  for (Node n = 0; n < grid.size(); ++n) {
    const std::array<double, 3> centre = grid.centre(n);
    cells.append(reinterpret_cast<const char*>(centre.data()), sizeof centre);
  }
  for (const Edge& edge : grid.edges(connect)) {
    cells.append(reinterpret_cast<const char*>(&edge.to), sizeof edge.to);
  }
  return *state().add(grid::stored_scan(id, grid, connect, io::content_hash(cells))).scan;
}

}  // namespace warpath
