#include "host/checks/synthetic/pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace warpath::synthetic {
namespace {

using Position = std::array<double, 3>;
using Path = std::vector<Node>;

constexpr double reach = 3.0;  // metres; viewpoints this close share an edge

std::vector<Position> random_positions(Random& random, std::size_t viewpoints) {
  // Places about two viewpoints per reach in each direction of each floor, as in real buildings.
  const double side = 1.0 + 0.9 * std::sqrt(static_cast<double>(viewpoints));
  std::vector<Position> positions(viewpoints);
  for (Position& p : positions) {
    const double floor = 2.8 * static_cast<double>(random.below(3));
    p = {random.between(0, side), random.between(0, side), floor + random.between(0, 0.3)};
  }
  return positions;
}

double apart(const Position& a, const Position& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

// Joins the first `joined` viewpoints: each with all earlier ones in reach, or with the nearest
// one.
std::vector<Edge> join(const std::vector<Position>& positions, std::size_t joined) {
  std::vector<Edge> edges;
  for (Node n = 1; n < joined; ++n) {
    const std::size_t before = edges.size();
    Node nearest = 0;
    for (Node m = 0; m < n; ++m) {
      const double distance = apart(positions[n], positions[m]);
      if (distance <= reach) edges.push_back({m, n, {}});
      if (distance < apart(positions[n], positions[nearest])) nearest = m;
    }
    if (edges.size() == before) edges.push_back({nearest, n, {}});
  }
  return edges;
}

Scan make_scan(std::string id, std::vector<Position> positions, std::size_t joined) {
  std::vector<std::string> names;
  for (std::size_t n = 0; n < positions.size(); ++n) names.push_back(id + std::to_string(n));
  const std::vector<Edge> edges = join(positions, joined);
  return Scan(std::move(id), std::move(names), std::move(positions), edges);
}

std::size_t length_in(Random& random, const LengthRange& range) {
  return range.low + random.below(range.high - range.low + 1);
}

// Makes adversarial paths on one scan.
class Walker {
 public:
  Walker(Random& random, const Scan& scan) : random_(random), scan_(scan) {
    for (Node n = 0; n < scan.size(); ++n) {
      if (!scan.neighbours(n).empty()) joined_.push_back(n);
    }
    if (joined_.empty()) joined_.push_back(0);
  }

  Path reference(std::size_t nodes) {
    Path path = random_.below(4) == 0 ? jumps(nodes) : walk(any(), nodes, 0.0);
    return with_isolated_node(std::move(path));
  }

  Path query(const Path& reference, std::size_t nodes) {
    Path path;
    switch (random_.below(6)) {
      case 0:
        path = jumps(nodes);
        break;
      case 1:
        path = walk(reference.front(), nodes, 0.4);
        break;
      case 2:
      case 3:
        path = near_copy(reference, nodes);
        break;
      default:
        path = walk(reference.front(), nodes, 0.0);
    }
    return with_isolated_node(std::move(path));
  }

 private:
  bool chance(double p) { return random_.unit() < p; }
  Node any() { return joined_[random_.below(joined_.size())]; }
  Node neighbour(Node n) {
    const auto next = scan_.neighbours(n);
    return next.empty() ? n : next[random_.below(next.size())];
  }

  Path jumps(std::size_t nodes) {
    Path path(nodes);
    for (Node& n : path) n = any();
    return path;
  }

  Path walk(Node start, std::size_t nodes, double stay) {
    Path path{start};
    while (path.size() < nodes) {
      path.push_back(chance(stay) ? path.back() : neighbour(path.back()));
    }
    return path;
  }

  Path near_copy(const Path& of, std::size_t nodes) {
    Path path(nodes);
    for (std::size_t k = 0; k < nodes; ++k) {
      const Node n = of[nodes <= of.size() ? k : k * of.size() / nodes];
      path[k] = chance(0.1) ? neighbour(n) : n;
    }
    return path;
  }

  // Adds the last viewpoint, isolated in all but the smallest scans, to one path in 40.
  Path with_isolated_node(Path path) {
    if (chance(1.0 / 40)) {
      path[random_.below(path.size())] = static_cast<Node>(scan_.size() - 1);
    }
    return path;
  }

  Random& random_;
  const Scan& scan_;
  Path joined_;
};

// A class of lengths, and how many of 1000 pairs have their longer path in it.
struct LengthClass {
  LengthRange range;
  std::size_t share;
};
constexpr LengthClass classes[] = {
    {{1, 4}, 300}, {{5, 20}, 499}, {{21, 64}, 170}, {{65, 300}, 30}, {{1000, 1300}, 1}};
constexpr std::size_t class_count = std::size(classes);

std::size_t random_class(Random& random) {
  std::size_t ticket = random.below(1000), c = 0;
  while (ticket >= classes[c].share) ticket -= classes[c++].share;
  return c;
}

// Returns the lengths of both paths; one pair in three has one of them in any shorter class.
std::array<std::size_t, 2> random_lengths(Random& random, std::size_t longer) {
  std::array<std::size_t, 2> length_class{longer, longer};
  if (random.below(3) == 0) length_class[random.below(2)] = random.below(longer + 1);
  return {length_in(random, classes[length_class[0]].range),
          length_in(random, classes[length_class[1]].range)};
}

template <class Nodes>
std::uint32_t add(PathSet& paths, const Nodes& path) {
  paths.elements.insert(paths.elements.end(), path.begin(), path.end());
  return paths.end_path();
}

void add_pair(Random& random, const Scan& scan, std::uint32_t scan_number, std::size_t longer,
              PairBatch& batch) {
  Walker walker(random, scan);
  const auto [n, m] = random_lengths(random, longer);
  const bool shared =
      !batch.pairs.empty() && batch.pairs.back().scan == scan_number && random.below(2) == 0;
  if (!shared) add(batch.references, walker.reference(n));
  const auto reference = static_cast<std::uint32_t>(batch.references.size() - 1);
  const auto nodes = batch.references[reference];
  const Path query = walker.query({nodes.begin(), nodes.end()}, m);
  batch.pairs.push_back({scan_number, reference, add(batch.queries, query)});
  batch.n_query_raw.push_back(static_cast<std::uint32_t>(m + random.below(3)));
}

void point_to_scans(SyntheticBatch& made) {
  for (const Scan& scan : made.scans) made.batch.scans.push_back(&scan);
}

}  // namespace

Scan random_scan(Random& random, std::string id, std::size_t viewpoints) {
  return make_scan(std::move(id), random_positions(random, viewpoints), viewpoints);
}

Scan adversarial_scan(Random& random, std::string id, std::size_t viewpoints) {
  auto positions = random_positions(random, viewpoints);
  for (std::size_t k = 0; k < viewpoints / 15; ++k) {
    positions[random.below(viewpoints)] = positions[random.below(viewpoints)];
  }
  return make_scan(std::move(id), std::move(positions), viewpoints - viewpoints / 20);
}

SyntheticBatch adversarial_pairs(Random& random, std::size_t pairs, bool task_success) {
  SyntheticBatch made;
  for (const std::size_t viewpoints : {1, 2, 20, 85, 150, 300}) {
    made.scans.push_back(adversarial_scan(random, std::to_string(viewpoints) + "_", viewpoints));
  }
  point_to_scans(made);
  std::uint32_t scan = 0;
  for (std::size_t k = 0; k < pairs; ++k) {
    // Larger scans are more frequent. Neighbouring pairs have the same scan, so that they can share
    // references.
    if (k % 4 == 0) {
      scan = static_cast<std::uint32_t>(std::max(random.below(6), random.below(6)));
    }
    // Every class has a pair, however few pairs there are.
    const std::size_t longer = k < class_count ? k : random_class(random);
    add_pair(random, made.scans[scan], scan, longer, made.batch);
    if (task_success) made.batch.task_success.push_back(random_success(random));
  }
  return made;
}

SyntheticBatch uniform_pairs(Random& random, const Shape& shape, std::size_t pairs) {
  SyntheticBatch made;
  made.scans.push_back(random_scan(random, "scan", shape.viewpoints));
  point_to_scans(made);
  PairBatch& batch = made.batch;
  Path path;
  auto draw = [&](const LengthRange& range) {
    path.resize(length_in(random, range));
    for (Node& n : path) n = static_cast<Node>(random.below(shape.viewpoints));
    return path;
  };
  for (std::size_t k = 0; k < pairs; ++k) {
    if (k % shape.queries_per_reference == 0) add(batch.references, draw(shape.reference));
    const auto reference = static_cast<std::uint32_t>(batch.references.size() - 1);
    batch.pairs.push_back({0, reference, add(batch.queries, draw(shape.query))});
    batch.n_query_raw.push_back(static_cast<std::uint32_t>(path.size()));
  }
  return made;
}

}  // namespace warpath::synthetic
