#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "host/files/formats/graph_builder.hpp"
#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/text_table.hpp"

namespace warpath::formats {
namespace {

struct Panorama {
  std::string id;
  double latitude, longitude;  // degrees
};

double degrees(std::string_view cell, double limit, const InputError::Where& where) {
  constexpr std::string_view remedy = "write pano,yaw,lat,lng";
  const double value = finite_number(cell, where, remedy);
  if (std::abs(value) <= limit) return value;
  throw InputError(where, fmt::format("is {}, which is beyond {} degrees", value, limit),
                   std::string(remedy));
}

std::vector<Panorama> read_panoramas(const StreetFile& nodes) {
  std::vector<Panorama> all;
  TextTable table(nodes.text);
  while (table.next()) {
    const auto& cells = table.cells();
    const InputError::Where where{nodes.path, fmt::format("line {}", table.line()), {}};
    if (cells.size() != 4) {
      throw InputError(where, fmt::format("has {} of 4 cells", cells.size()),
                       "write pano,yaw,lat,lng");
    }
    all.push_back({std::string(cells[0]), degrees(cells[2], 90.0, {where.file, where.item, "lat"}),
                   degrees(cells[3], 180.0, {where.file, where.item, "lng"})});
  }
  if (all.empty()) throw InputError({nodes.path}, "has no panoramas", "write pano,yaw,lat,lng");
  return all;
}

// Adds positions in metres east and north of the mean, as on a town map.
void add_positions(const std::vector<Panorama>& panoramas, const std::string& file,
                   GraphBuilder& graph) {
  constexpr double earth_radius = 6371008.8;  // mean, in metres
  constexpr double radians = std::numbers::pi / 180.0;
  double latitude = 0.0, longitude = 0.0;
  for (const Panorama& p : panoramas) {
    latitude += p.latitude / static_cast<double>(panoramas.size());
    longitude += p.longitude / static_cast<double>(panoramas.size());
  }
  const double north = earth_radius * radians, east = north * std::cos(latitude * radians);
  for (const Panorama& p : panoramas) {
    graph.add_node(p.id, {east * (p.longitude - longitude), north * (p.latitude - latitude), 0.0},
                   {file, p.id});
  }
}

}  // namespace

std::unique_ptr<Scan> read_street_graph(const StreetFile& nodes, const StreetFile& links,
                                        const std::string& scan) {
  GraphBuilder graph;
  add_positions(read_panoramas(nodes), nodes.path, graph);
  TextTable table(links.text);
  while (table.next()) {
    const auto& cells = table.cells();
    const InputError::Where where{links.path, fmt::format("line {}", table.line()), {}};
    if (cells.size() != 3) {
      throw InputError(where, fmt::format("has {} of 3 cells", cells.size()),
                       "write start,heading,end");
    }
    graph.add_edge(
        {graph.find(std::string(cells[0]), where), graph.find(std::string(cells[2]), where), {}},
        where);
  }
  return std::move(graph).build(scan);
}

}  // namespace warpath::formats
