#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "host/formats/graphs.hpp"

namespace warpath {
namespace {

std::array<double, 3> position(json::element value, const InputError::Where& where) {
  const json::array numbers = as_array(value, where);
  if (numbers.size() != 2 && numbers.size() != 3) {
    throw InputError(where, fmt::format("should have 2 or 3 numbers, has {}", numbers.size()),
                     "write [x, y] or [x, y, z] in metres");
  }
  std::array<double, 3> result{};
  std::size_t k = 0;
  for (const json::element number : numbers) result[k++] = as_metres(number, where);
  return result;
}

struct Nodes {
  std::vector<std::string> ids;
  std::vector<std::array<double, 3>> positions;
  std::unordered_map<std::string, Node> index;
};

Nodes read_nodes(json::array list, const std::string& file) {
  Nodes nodes;
  for (const json::element element : list) {
    InputError::Where where{file, fmt::format("node {}", nodes.ids.size()), {}};
    const json::object object = as_object(element, where);
    std::string id = id_text(require(object, "id", where), where);
    where.item = id;
    if (!nodes.index.emplace(id, static_cast<Node>(nodes.ids.size())).second) {
      throw InputError(where, "the node is there twice", "give each node an id of its own");
    }
    where.field = "position";
    nodes.positions.push_back(position(require(object, "position", where), where));
    nodes.ids.push_back(std::move(id));
  }
  return nodes;
}

Node end_of(json::element value, const Nodes& nodes, const InputError::Where& where) {
  const std::string id = id_text(value, where);
  const auto it = nodes.index.find(id);
  if (it == nodes.index.end()) {
    throw InputError(where, fmt::format("names the node '{}', which is not there", id),
                     "add the node or remove the edge");
  }
  return it->second;
}

Edge read_edge(json::element element, const Nodes& nodes, InputError::Where where) {
  const json::array parts = as_array(element, where);
  if (parts.size() != 2 && parts.size() != 3) {
    throw InputError(where, fmt::format("should have 2 or 3 parts, has {}", parts.size()),
                     "write [from, to] or [from, to, weight]");
  }
  Edge edge{end_of(parts.at(0), nodes, where), end_of(parts.at(1), nodes, where), {}};
  if (edge.from == edge.to) {
    throw InputError(where, "joins a node with itself", "remove the edge");
  }
  if (parts.size() == 3) {
    where.field = "weight";
    edge.weight = as_metres(parts.at(2), where);
    if (*edge.weight < 0.0) {
      throw InputError(where, fmt::format("is negative, {}", *edge.weight),
                       "weights are lengths in metres");
    }
  }
  return edge;
}

// The file may say which scan it is; then that must be the one wanted.
void check_scan(json::object root, const std::string& scan, const std::string& file) {
  json::element given;
  if (root["scan"].get(given) != simdjson::SUCCESS) return;
  const InputError::Where where{file, {}, "scan"};
  const std::string id = id_text(given, where);
  if (id == scan) return;
  throw InputError(where, fmt::format("is the graph of '{}', but '{}' is asked for", id, scan),
                   "name the folder or file that has that scan");
}

std::vector<Edge> read_edges(json::array list, const Nodes& nodes, const std::string& file) {
  std::vector<Edge> edges;
  std::unordered_set<std::uint64_t> seen;
  for (const json::element element : list) {
    const InputError::Where where{file, fmt::format("edge {}", edges.size()), {}};
    const Edge edge = read_edge(element, nodes, where);
    const auto [low, high] = std::minmax(edge.from, edge.to);
    if (!seen.insert(std::uint64_t{low} << 32 | high).second) {
      throw InputError(where, "is there twice (edges lead both ways)", "keep one of the two");
    }
    edges.push_back(edge);
  }
  return edges;
}

}  // namespace

std::unique_ptr<Scan> read_plain_graph(const JsonFile& file, const std::string& scan) {
  const std::string& path = file.path();
  const json::object root = as_object(file.root(), {path});
  check_scan(root, scan, path);
  const auto list = [&](const char* key) {
    return as_array(require(root, key, {path}), {path, {}, key});
  };
  Nodes nodes = read_nodes(list("nodes"), path);
  const std::vector<Edge> edges = read_edges(list("edges"), nodes, path);
  return std::make_unique<Scan>(scan, std::move(nodes.ids), std::move(nodes.positions), edges);
}

}  // namespace warpath
