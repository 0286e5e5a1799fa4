#include <fmt/format.h>

#include "host/files/formats/graph_builder.hpp"
#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

std::array<double, 3> position_of(json::Value value, const InputError::Where& where) {
  const json::Array numbers = as_array(value, where);
  if (numbers.size() != 2 && numbers.size() != 3) {
    throw InputError(where, fmt::format("should have 2 or 3 numbers, has {}", numbers.size()),
                     "write [x, y] or [x, y, z] in metres");
  }
  std::array<double, 3> result{};
  std::size_t k = 0;
  for (const json::Value number : numbers) result[k++] = as_metres(number, where);
  return result;
}

void read_nodes(json::Array list, const std::string& file, GraphBuilder& graph) {
  for (const json::Value element : list) {
    InputError::Where where{file, fmt::format("node {}", graph.size()), {}};
    const json::Object object = as_object(element, where);
    std::string id = id_text(require(object, "id", where), where);
    where.item = id;
    const InputError::Where place{file, id, "position"};
    const json::Value value = require(object, "position", place);
    if (value.is_null()) {
      graph.add_node(std::move(id), where);
    } else {
      graph.add_node(std::move(id), position_of(value, place), where);
    }
  }
}

Edge read_edge(json::Value element, const GraphBuilder& graph, InputError::Where where) {
  const json::Array parts = as_array(element, where);
  if (parts.size() != 2 && parts.size() != 3) {
    throw InputError(where, fmt::format("should have 2 or 3 parts, has {}", parts.size()),
                     "write [from, to] or [from, to, weight]");
  }
  const auto end = [&](std::size_t k) { return graph.find(id_text(parts.at(k), where), where); };
  Edge edge{end(0), end(1), {}};
  if (parts.size() == 3) {
    where.field = "weight";
    edge.weight = as_metres(parts.at(2), where);
  }
  return edge;
}

bool is_directed(json::Object root, const std::string& file) {
  const auto [given, count] = find_key(root, "directed");
  bool is_directed = false;
  if (count == 0 || given.get(is_directed)) return is_directed;
  throw InputError({file, {}, "directed"}, "is neither true nor false",
                   "say true if each edge leads from its first node to its second only");
}

}  // namespace

std::string scan_of_plain_graph(const JsonFile& file) {
  const auto [given, count] = find_key(as_object(file.root(), {file.path()}), "scan");
  if (count == 0) return "";
  return id_text(given, {file.path(), {}, "scan"});
}

std::unique_ptr<Scan> read_plain_graph(const JsonFile& file, const std::string& scan) {
  const std::string& path = file.path();
  const json::Object root = as_object(file.root(), {path});
  const auto list = [&](const char* key) {
    return as_array(require(root, key, {path}), {path, {}, key});
  };
  GraphBuilder graph(0.0, is_directed(root, path));
  read_nodes(list("nodes"), path, graph);
  std::size_t count = 0;
  for (const json::Value element : list("edges")) {
    const InputError::Where where{path, fmt::format("edge {}", count++), {}};
    graph.add_edge(read_edge(element, graph, where), where);
  }
  return std::move(graph).build(scan);
}

}  // namespace warpath::formats
