#include "host/files/formats/scan_data.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/files/formats/graph_builder.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

template <class T>
std::string hash_of(const std::vector<T>& numbers) {
  return io::content_hash(
      {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)});
}

// Returns the hash of the arrays: equal arrays have equal hashes, on machines of one byte order.
std::string hash_of(const ScanData& data) {
  std::string text;
  for (const std::string& viewpoint : data.viewpoints) {
    text += fmt::format("{}:{}\n", viewpoint.size(), viewpoint);
  }
  for (const Edge& edge : data.edges) {
    text += fmt::format("{} {} {}\n", edge.from, edge.to,
                        edge.weight ? fmt::format("{}", *edge.weight) : "-");
  }
  if (data.is_directed) text += "directed\n";
  return io::content_hash(io::content_hash(text) + hash_of(data.positions) +
                          hash_of(data.distances));
}

double checked_length(double length, const InputError::Where& where) {
  if (!std::isfinite(length)) {
    throw InputError(where, fmt::format("is {}", length), "give a finite number of metres");
  }
  return checked_metres(length, where);
}

void check_count(std::size_t count, std::size_t wanted, const InputError::Where& where,
                 std::string_view shape) {
  if (count == 0 || count == wanted) return;
  throw InputError(where, fmt::format("should have {} elements, has {}", wanted, count),
                   fmt::format("give {}, or none", shape));
}

void check_distance(double metres, const InputError::Where& where) {
  if (std::isnan(metres) || metres < 0.0) {
    throw InputError(where, fmt::format("is {}", metres),
                     "distances are metres, or infinite where no path leads");
  }
  if (std::isfinite(metres)) checked_metres(metres, where);
}

void check_distances(const ScanData& data, const std::string& name) {
  const std::size_t size = data.viewpoints.size();
  check_count(data.distances.size(), size * size, {name, {}, "distances"},
              "one for each two viewpoints");
  if (data.distances.empty()) return;
  const auto between = [&](std::size_t a, std::size_t b) { return data.distances[a * size + b]; };
  const auto place = [&](std::size_t a, std::size_t b) {
    return InputError::Where{
        name, fmt::format("from {} to {}", data.viewpoints[a], data.viewpoints[b]), "distances"};
  };
  for (std::size_t a = 0; a < size; ++a) {
    if (between(a, a) != 0.0) {
      throw InputError(place(a, a), fmt::format("is {}", between(a, a)),
                       "a viewpoint is 0 m from itself");
    }
    for (std::size_t b = 0; b < size; ++b) {
      const double metres = between(a, b);
      // Most are good, and the text that says where they are takes long to make.
      const bool is_good = metres >= 0.0 && (metres <= 1e6 || std::isinf(metres));
      if (!is_good) check_distance(metres, place(a, b));
    }
  }
}

void add_viewpoints(const ScanData& data, const std::string& name, GraphBuilder& graph) {
  check_count(data.positions.size(), data.viewpoints.size(), {name, {}, "positions"},
              "one for each viewpoint");
  for (std::size_t n = 0; n < data.viewpoints.size(); ++n) {
    const std::string& id = data.viewpoints[n];
    if (data.positions.empty()) {
      graph.add_node(id, {name, id, {}});
      continue;
    }
    for (const double x : data.positions[n]) checked_length(x, {name, id, "position"});
    graph.add_node(id, data.positions[n], {name, id, {}});
  }
}

// An edge without a weight is as long as the ready distance of its ends.
void check_joined(const ScanData& data, const Edge& edge, const InputError::Where& where) {
  const auto is_finite = [&](Node from, Node to) {
    return std::isfinite(data.distances[from * data.viewpoints.size() + to]);
  };
  if (is_finite(edge.from, edge.to) && (data.is_directed || is_finite(edge.to, edge.from))) return;
  throw InputError(where,
                   fmt::format("joins {} and {}, whose distance is infinite",
                               data.viewpoints[edge.from], data.viewpoints[edge.to]),
                   "give the edge a weight, or the viewpoints a distance");
}

void add_edges(const ScanData& data, const std::string& name, GraphBuilder& graph) {
  for (std::size_t e = 0; e < data.edges.size(); ++e) {
    const Edge& edge = data.edges[e];
    const InputError::Where where{name, fmt::format("edge {}", e), {}};
    for (const Node end : {edge.from, edge.to}) {
      if (end < data.viewpoints.size()) continue;
      throw InputError(
          where, fmt::format("joins viewpoint {}, but there are {}", end, data.viewpoints.size()),
          "edges name viewpoints by their index, from 0");
    }
    if (edge.weight) checked_length(*edge.weight, {where.file, where.item, "weight"});
    if (!edge.weight && !data.distances.empty()) check_joined(data, edge, where);
    graph.add_edge(edge, where);
  }
}

}  // namespace

StoredScan make_scan(ScanData data) {
  const std::string name = "scan " + data.id;
  GraphBuilder graph(0.0, data.is_directed);
  add_viewpoints(data, name, graph);
  check_distances(data, name);
  add_edges(data, name, graph);
  std::string hash = hash_of(data);
  return {std::move(graph).build(data.id, std::move(data.distances)), std::nullopt,
          std::move(hash)};
}

}  // namespace warpath::formats
