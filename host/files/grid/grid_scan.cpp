#include "host/files/grid/grid_scan.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace grid {
namespace {

constexpr std::pair<std::string_view, Connect> connect_words[]{
    {"4", Connect::four}, {"8", Connect::eight}, {"fmm", Connect::fmm}};

}  // namespace

formats::StoredScan stored_scan(const std::string& id, const Grid& grid, Connect connect,
                                const std::string& hash) {
  return {std::make_unique<Scan>(grid.make_scan(id, connect)), formats::GraphFormat::grid,
          io::content_hash(fmt::format("{} {}", hash, word_of(connect)))};
}

Connect find_connect(std::string_view word) {
  for (const auto& [name, connect] : connect_words) {
    if (name == word) return connect;
  }
  throw UsageError(
      fmt::format("--connect {}: give 4 or 8 neighbours, or fmm for fast marching", word));
}

std::string_view word_of(Connect connect) {
  for (const auto& [name, value] : connect_words) {
    if (value == connect) return name;
  }
  return {};
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
