#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/checks/random.hpp"
#include "host/checks/scans.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/paths.hpp"

namespace warpath::testing {

/// Holds a grid of 480 viewpoints, and one of 4,182 that has it in its last corner: the same ways
/// with the same lengths, and others so long that no shortest path between two of the 480 takes
/// them. So all distances between these have the same bits in both.
class EqualScans {
 public:
  explicit EqualScans(std::uint64_t seed, bool directed = false) {
    checks::Random random(seed);
    std::vector<Edge> small_edges, large_edges;
    const auto add = [&](Node a, Node b, bool is_inside) {
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const double length = is_inside ? random.between(0.5, 1.5) : random.between(100.0, 200.0);
        large_edges.push_back({from, to, length});
        if (is_inside) small_edges.push_back({in_small(from), in_small(to), length});
        if (!directed) break;
      }
    };
    for (int y = 0; y < large_rows; ++y) {
      for (int x = 0; x < large_columns; ++x) {
        if (x + 1 < large_columns) add(at(x, y), at(x + 1, y), is_inside(x, y));
        if (y + 1 < large_rows) add(at(x, y), at(x, y + 1), is_inside(x, y));
      }
    }
    small = add_scan("small", columns * rows, std::move(small_edges), directed);
    large = add_scan("large", large_columns * large_rows, std::move(large_edges), directed);
  }

  std::shared_ptr<GraphStore> graphs = std::make_shared<GraphStore>();
  const Scan *small, *large;

  /// Returns the viewpoint of the large scan that is viewpoint n of the small one.
  static Node in_large(Node n) {
    const int x = static_cast<int>(n) % columns, y = static_cast<int>(n) / columns;
    return at(x + large_columns - columns, y + large_rows - rows);
  }
  static PathSet in_large(PathSet paths) {
    for (Node& node : paths.elements) node = in_large(node);
    return paths;
  }

  /// Makes pairs on the small scan, each with a reference of its own.
  PairBatch pairs(std::uint64_t seed, int count, int max_reference, int max_query) const {
    checks::Random random(seed);
    PairBatch batch;
    batch.scans = {small};
    for (int k = 0; k < count; ++k) {
      const auto start = static_cast<Node>(random.below(small->size()));
      const auto walk = [&](int longest) {
        const auto size = static_cast<std::size_t>(1 + k % longest);
        return checks::walk(random, *small, start, size, {.stay = 0.1, .jump = 0.03});
      };
      const std::uint32_t reference = checks::add_path(batch.references, walk(max_reference));
      batch.pairs.push_back({0, reference, checks::add_path(batch.queries, walk(max_query))});
    }
    return batch;
  }
  /// Returns the same pairs on the large scan.
  PairBatch in_large(PairBatch batch) const {
    batch.scans = {large};
    batch.references = in_large(std::move(batch.references));
    batch.queries = in_large(std::move(batch.queries));
    return batch;
  }

 private:
  static constexpr int columns = 24, rows = 20, large_columns = 82, large_rows = 51;

  static Node at(int x, int y) { return static_cast<Node>(y * large_columns + x); }
  static bool is_inside(int x, int y) {
    return x >= large_columns - columns && y >= large_rows - rows;
  }
  static Node in_small(Node n) {
    const int x = static_cast<int>(n) % large_columns, y = static_cast<int>(n) / large_columns;
    return static_cast<Node>((y - large_rows + rows) * columns + x - large_columns + columns);
  }

  const Scan* add_scan(const std::string& id, int size, std::vector<Edge> edges, bool directed) {
    ScanData scan{.id = id, .viewpoints = {}};
    for (int v = 0; v < size; ++v) scan.viewpoints.push_back(std::to_string(v));
    scan.edges = std::move(edges);
    scan.is_directed = directed;
    return &graphs->add(std::move(scan));
  }
};

}  // namespace warpath::testing
