#include <fmt/format.h>

#include <set>

#include "host/files/formats/graph_builder.hpp"
#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

// The two directions of an edge were measured separately and rounded.
constexpr double tolerance = 1e-3;  // metres

}  // namespace

bool is_navigable_graph(json::Value root) {
  json::Object object;
  if (!root.get(object) || object.size() == 0) return false;
  if (has_key(object, "nodes")) return false;  // it is a plain graph
  return (*object.begin()).value.is_object();
}

std::unique_ptr<Scan> read_navigable_graph(const JsonFile& file, const std::string& scan) {
  const std::string& path = file.path();
  const json::Object root = as_object(file.root(), {path});
  GraphBuilder graph(tolerance);
  for (const auto [id, neighbours] : root) graph.add_node(std::string(id), {path, std::string(id)});
  std::set<std::pair<Node, Node>> moves;
  Node from = 0;
  for (const auto [id, neighbours] : root) {
    for (const auto [to, entry] : as_object(neighbours, {path, std::string(id)})) {
      const InputError::Where where{path, fmt::format("{} to {}", id, to), {}};
      const double distance = as_metres(require(as_object(entry, where), "distance", where),
                                        {path, where.item, "distance"});
      const Node end = graph.find(std::string(to), where);
      graph.add_edge({from, end, distance}, where);
      moves.emplace(from, end);
    }
    ++from;
  }
  for (const auto& [a, b] : moves) {
    if (moves.contains({b, a})) continue;
    throw InputError({path, graph.id(b)},
                     fmt::format("does not name {} as its neighbour", graph.id(a)),
                     "both viewpoints must name the edge, or neither");
  }
  return std::move(graph).build(scan);
}

}  // namespace warpath::formats
