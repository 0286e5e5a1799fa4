#include <fmt/format.h>

#include <algorithm>
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
    if (cells.size() != 4 && cells.size() != 5) {
      throw InputError(where, fmt::format("has {} of 4 cells", cells.size()),
                       "write pano,yaw,lat,lng");
    }
    if (cells.size() == 5 && cells[4] != "seen" && cells[4] != "unseen") {
      throw InputError(where, fmt::format("has '{}' in its fifth cell", cells[4]),
                       "write pano,yaw,lat,lng, and behind it seen or unseen");
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

struct Link {
  Node from, to;
  std::string_view heading;
  std::size_t line;
};

std::vector<Link> read_links(const StreetFile& links, const GraphBuilder& graph) {
  std::vector<Link> all;
  TextTable table(links.text);
  while (table.next()) {
    const auto& cells = table.cells();
    const InputError::Where where{links.path, fmt::format("line {}", table.line()), {}};
    if (cells.size() != 3) {
      throw InputError(where, fmt::format("has {} of 3 cells", cells.size()),
                       "write start,heading,end");
    }
    all.push_back({graph.find(std::string(cells[0]), where),
                   graph.find(std::string(cells[2]), where), cells[1], table.line()});
  }
  return all;
}

GraphBuilder read_nodes(const StreetFile& nodes, bool is_directed) {
  GraphBuilder graph(0.0, is_directed);
  add_positions(read_panoramas(nodes), nodes.path, graph);
  return graph;
}

void add_link(const Link& link, const StreetFile& links, GraphBuilder& graph) {
  graph.add_edge({link.from, link.to, {}}, {links.path, fmt::format("line {}", link.line), {}});
}

}  // namespace

std::unique_ptr<Scan> read_street_graph(const StreetFile& nodes, const StreetFile& links,
                                        const std::string& scan) {
  GraphBuilder graph = read_nodes(nodes, false);
  for (const Link& link : read_links(links, graph)) add_link(link, links, graph);
  return std::move(graph).build(scan);
}

std::unique_ptr<HeadingLinks> read_heading_links(const StreetFile& nodes, const StreetFile& links,
                                                 const std::string& scan) {
  GraphBuilder graph = read_nodes(nodes, true);
  std::vector<std::vector<Link>> by_node(graph.size());
  for (const Link& link : read_links(links, graph)) {
    std::vector<Link>& kept = by_node[link.from];
    const auto same = std::ranges::find(kept, link.heading, &Link::heading);
    if (same == kept.end())
      kept.push_back(link);
    else
      *same = link;
  }
  std::vector<std::uint32_t> headings;
  for (const std::vector<Link>& kept : by_node) {
    headings.push_back(static_cast<std::uint32_t>(kept.size()));
    for (const Link& link : kept) add_link(link, links, graph);
  }
  const auto directed = std::move(graph).build(scan);
  return std::make_unique<HeadingLinks>(HeadingLinks{std::move(*directed), std::move(headings)});
}

}  // namespace warpath::formats
