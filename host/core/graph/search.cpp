#include "host/core/graph/search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "warpath/error.hpp"

namespace warpath::graph {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double max_buckets = 1024;
// In scans up to this size a whole row costs little, whatever the graph.
constexpr std::size_t small_scan = 1024;
// In larger scans a thread's memory of all nodes would leave its cache.
constexpr std::size_t large_grid = std::size_t{1} << 15;

// Eight numbers, in as many registers as the processor needs for them.
using Eight [[gnu::vector_size(64)]] = double;
constexpr std::size_t eights = ManySearches::max_sources / 8;

using Mask [[gnu::vector_size(64)]] = std::int64_t;

[[gnu::always_inline]] inline bool any_of(const Mask& mask) {
  const auto four = __builtin_shufflevector(mask, mask, 0, 1, 2, 3) |
                    __builtin_shufflevector(mask, mask, 4, 5, 6, 7);
  const auto two =
      __builtin_shufflevector(four, four, 0, 1) | __builtin_shufflevector(four, four, 2, 3);
  return (two[0] | two[1]) != 0;
}

// Passes a node's distances on to its neighbours, and says which have come nearer.
[[gnu::always_inline]] inline void pass_on(const WeightedGraph& graph, Node node, double* distance,
                                           std::uint8_t* has_news) {
  Eight from[eights];
  std::memcpy(from, distance + node * ManySearches::max_sources, sizeof from);
  for (const auto& [length, next] : graph.arcs(node)) {
    double* const to = distance + next * ManySearches::max_sources;
    Mask is_nearer{};
    for (std::size_t k = 0; k < eights; ++k) {
      const Eight candidate = from[k] + length;
      Eight best;
      std::memcpy(&best, to + 8 * k, sizeof best);
      const auto nearer = candidate < best;
      is_nearer |= nearer;
      best = nearer ? candidate : best;
      std::memcpy(to + 8 * k, &best, sizeof best);
    }
    has_news[next] |= static_cast<std::uint8_t>(any_of(is_nearer));
  }
}

// Takes one turn along an order, or against it, and tells whether a node had news.
[[gnu::always_inline]] inline bool take_turn(const WeightedGraph& graph,
                                             std::span<const Node> order, bool is_back,
                                             double* distance, std::uint8_t* has_news) {
  bool had_news = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = order[is_back ? order.size() - 1 - i : i];
    if (has_news[node] == 0) continue;
    had_news = true;
    has_news[node] = 0;
    pass_on(graph, node, distance, has_news);
  }
  return had_news;
}

using Turn = bool (*)(const WeightedGraph&, std::span<const Node>, bool, double*, std::uint8_t*);

bool take_turn_anywhere(const WeightedGraph& graph, std::span<const Node> order, bool is_back,
                        double* distance, std::uint8_t* has_news) {
  return take_turn(graph, order, is_back, distance, has_news);
}

// Sums and comparisons have the same bits in registers of any width.
#ifdef __x86_64__
[[gnu::target("avx2")]] bool take_turn_avx2(const WeightedGraph& graph, std::span<const Node> order,
                                            bool is_back, double* distance,
                                            std::uint8_t* has_news) {
  return take_turn(graph, order, is_back, distance, has_news);
}
[[gnu::target("avx512f,avx512dq,avx512vl")]] bool take_turn_avx512(const WeightedGraph& graph,
                                                                   std::span<const Node> order,
                                                                   bool is_back, double* distance,
                                                                   std::uint8_t* has_news) {
  return take_turn(graph, order, is_back, distance, has_news);
}
Turn widest_turn() {
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return take_turn_avx512;
  return __builtin_cpu_supports("avx2") ? take_turn_avx2 : take_turn_anywhere;
}
#else
Turn widest_turn() {
  return take_turn_anywhere;
}
#endif

// Callbacks of a search: `improved(n, from)` before each new distance, `reached(n)` for a node of
// the current bucket, `is_done()` between two buckets.

struct Everything {
  void improved(Node, Node) {}
  void reached(Node) {}
  bool is_done() const { return false; }
};

struct Targets {
  std::vector<std::uint8_t>& is_target;
  std::vector<Node>& touched;
  std::size_t left;

  void improved(Node n, Node) { touched.push_back(n); }
  void reached(Node n) {
    left -= is_target[n];
    is_target[n] = 0;
  }
  bool is_done() const { return left == 0; }
};

struct PathTo {
  Node target;
  std::vector<Node>& touched;
  std::vector<Node> parent;
  bool found = false;

  void improved(Node n, Node from) {
    touched.push_back(n);
    parent[n] = from;
  }
  void reached(Node n) { found |= n == target; }
  bool is_done() const { return found; }
};

}  // namespace

WeightedGraph::WeightedGraph(const Scan& scan, Distance distance)
    : scan_(&scan), lattice_(distance == Distance::hops ? nullptr : scan.lattice()) {
  const std::vector<double> lengths = scan.edge_lengths(distance);
  arcs_.reserve(lengths.size());
  double sum = 0.0, longest = 0.0, shortest = infinity, apart = 0.0;
  first_.reserve(scan.size() + 1);
  for (Node n = 0; n < scan.size(); ++n) {
    first_.push_back(arcs_.size());
    for (const Node next : scan.neighbours(n)) {
      const double length = lengths[arcs_.size()];
      arcs_.push_back({length, next});
      sum += length;
      longest = std::max(longest, length);
      shortest = std::min(shortest, length);
      apart += std::abs(static_cast<double>(next) - static_cast<double>(n));
    }
  }
  first_.push_back(arcs_.size());
  const auto count = static_cast<double>(std::max<std::size_t>(arcs_.size(), 1));
  width_ = std::max(sum / count, longest / max_buckets);
  if (!arcs_.empty() && longest <= 2.0 * shortest) {
    width_ = shortest;  // no bucket is wider than an edge: then no node is processed twice
    is_grid_ = apart / count <= 4.0 * std::sqrt(static_cast<double>(scan.size()));
  }
  if (!(width_ > std::numeric_limits<double>::min())) width_ = 1.0;
  // One more for the current bucket, and one for the rounding of an index.
  count_ = std::bit_ceil(static_cast<std::size_t>(longest / width_) + 3);
}

std::unique_ptr<const WeightedGraph> WeightedGraph::reversed() const {
  std::unique_ptr<WeightedGraph> turned(new WeightedGraph(*scan_));
  turned->lattice_ = lattice_;
  turned->is_reversed_ = true;
  turned->is_grid_ = is_grid_;
  turned->width_ = width_;
  turned->count_ = count_;
  turned->first_.assign(size() + 1, 0);
  for (const Arc& arc : arcs_) ++turned->first_[arc.to + 1];
  for (Node n = 0; n < size(); ++n) turned->first_[n + 1] += turned->first_[n];
  turned->arcs_.resize(arcs_.size());
  std::vector<std::size_t> next = turned->first_;
  for (Node n = 0; n < size(); ++n) {
    for (const auto& [length, to] : arcs(n)) turned->arcs_[next[to]++] = {length, n};
  }
  return turned;
}

double WeightedGraph::edge(Node from, Node to) const {
  if (scan_->has_distances_only() && scan_->adjacent(from, to)) {
    return scan_->distances()[from * size() + to];
  }
  for (const Arc& arc : arcs(from)) {
    if (arc.to == to) return arc.length;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

void require_paths(const WeightedGraph& graph) {
  if (graph.lattice() == nullptr) return;
  throw InputError({{}, "scan " + graph.scan().id()},
                   "has distances by fast marching, which are of no way over cells",
                   "take --connect 8");
}

template <class Visitor>
void Search::run(const WeightedGraph& graph, Node source, double* distance, Visitor& visitor) {
  if (buckets_.size() < graph.bucket_count()) buckets_.resize(graph.bucket_count());
  const std::size_t mask = buckets_.size() - 1;
  const double per_width = 1.0 / graph.bucket_width();
  visitor.improved(source, source);
  distance[source] = 0.0;
  buckets_[0].emplace_back(0.0, source);
  std::size_t waiting = 1;
  for (std::size_t k = 0; waiting > 0 && !visitor.is_done(); ++k) {
    auto& bucket = buckets_[k & mask];
    for (std::size_t i = 0; i < bucket.size(); ++i) {  // the bucket may grow meanwhile
      const auto [d, node] = bucket[i];
      if (d > distance[node]) continue;
      visitor.reached(node);
      for (const auto& [length, next] : graph.arcs(node)) {
        const double candidate = d + length;
        if (candidate >= distance[next]) continue;
        visitor.improved(next, node);
        distance[next] = candidate;
        buckets_[static_cast<std::size_t>(candidate * per_width) & mask].emplace_back(candidate,
                                                                                      next);
        ++waiting;
      }
    }
    waiting -= bucket.size();
    bucket.clear();
  }
  if (waiting > 0) {
    for (auto& bucket : buckets_) bucket.clear();
  }
}

void Search::all(const WeightedGraph& graph, Node source, double* distance) {
  if (graph.lattice() != nullptr) {
    if (graph.is_reversed()) return marching_.all(*graph.lattice(), source, distance);
    for (Node n = 0; n < graph.size(); ++n) {
      marching_.to(*graph.lattice(), n, {&source, 1});
      distance[n] = marching_[source];
    }
    return;
  }
  Everything everything;
  run(graph, source, distance, everything);
}

void Search::forget() {
  for (const Node n : touched_) distance_[n] = infinity;
  touched_.clear();
}

void Search::to(const WeightedGraph& graph, Node source, std::span<const Node> targets) {
  forget();
  if (distance_.size() < graph.size()) distance_.resize(graph.size(), infinity);
  if (graph.lattice() != nullptr) return march(graph, source, targets);
  if (is_target_.size() < graph.size()) is_target_.resize(graph.size(), 0);
  Targets visitor{is_target_, touched_, 0};
  for (const Node n : targets) {
    visitor.left += is_target_[n] == 0;
    is_target_[n] = 1;
  }
  run(graph, source, distance_.data(), visitor);
  for (const Node n : targets) is_target_[n] = 0;  // clears targets that no path leads to
}

void Search::march(const WeightedGraph& graph, Node source, std::span<const Node> targets) {
  if (graph.is_reversed()) marching_.to(*graph.lattice(), source, targets);
  for (const Node n : targets) {
    if (distance_[n] < infinity) continue;  // a target twice
    if (!graph.is_reversed()) marching_.to(*graph.lattice(), n, {&source, 1});
    distance_[n] = marching_[graph.is_reversed() ? n : source];
    touched_.push_back(n);
  }
}

std::vector<Node> Search::path(const WeightedGraph& graph, Node from, Node to) {
  require_paths(graph);
  forget();
  if (distance_.size() < graph.size()) distance_.resize(graph.size(), infinity);
  PathTo visitor{to, touched_, std::vector<Node>(graph.size())};
  run(graph, from, distance_.data(), visitor);
  std::vector<Node> nodes;
  if (!visitor.found) return nodes;
  for (Node node = to; node != from; node = visitor.parent[node]) nodes.push_back(node);
  nodes.push_back(from);
  std::ranges::reverse(nodes);
  return nodes;
}

bool ManySearches::suit(const WeightedGraph& graph) {
  if (graph.lattice() != nullptr) return false;
  return graph.size() <= small_scan || (graph.is_grid() && graph.size() <= large_grid);
}

void ManySearches::run(const WeightedGraph& graph, const Orders& orders,
                       std::span<const Node> sources,
                       std::span<const std::unique_ptr<double[]>> rows) {
  distance_.assign(graph.size() * max_sources, infinity);
  has_news_.assign(graph.size(), 0);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    distance_[sources[k] * max_sources + k] = 0.0;
    has_news_[sources[k]] = 1;
  }
  if (!take_turns(graph, orders)) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      std::fill_n(rows[k].get(), graph.size(), infinity);
      single_.all(graph, sources[k], rows[k].get());
    }
    return;
  }
  constexpr std::size_t block = 8;  // doubles of a line of the cache
  for (std::size_t first = 0; first < graph.size(); first += block) {
    const std::size_t last = std::min(first + block, graph.size());
    for (std::size_t k = 0; k < sources.size(); ++k) {
      for (std::size_t n = first; n < last; ++n) rows[k][n] = distance_[n * max_sources + k];
    }
  }
}

// Returns false if nodes still have news after many turns.
bool ManySearches::take_turns(const WeightedGraph& graph, const Orders& orders) {
  static const Turn take_turn = widest_turn();
  for (std::size_t turn = 0; turn < max_turns; ++turn) {
    const std::vector<Node>& order = orders[turn / 2 % orders.size()];
    if (!take_turn(graph, order, turn % 2 != 0, distance_.data(), has_news_.data())) return true;
  }
  return false;
}

namespace {

// Turns around what lies between two numbers that no edge joins: the cells of a row up to a gap.
std::vector<Node> turn_rows_around(const WeightedGraph& graph) {
  std::vector<Node> order(graph.size());
  std::iota(order.begin(), order.end(), Node{0});
  const auto is_joined = [&](Node n) {
    return n + 1 < graph.size() &&
           std::ranges::any_of(graph.arcs(n), [n](const auto& arc) { return arc.to == n + 1; });
  };
  for (auto begin = order.begin(); begin != order.end();) {
    auto end = begin;
    while (is_joined(*end)) ++end;
    std::reverse(begin, ++end);
    begin = end;
  }
  return order;
}

// Orders nodes as a search finds them, component by component.
std::vector<Node> order_of_search(const WeightedGraph& graph) {
  std::vector<Node> order;
  order.reserve(graph.size());
  std::vector<std::uint8_t> is_found(graph.size(), 0);
  const auto find = [&](Node n) {
    if (is_found[n] == 0) order.push_back(n);
    is_found[n] = 1;
  };
  std::size_t done = 0;
  for (Node first = 0; first < graph.size(); ++first) {
    find(first);
    for (; done < order.size(); ++done) {
      for (const auto& arc : graph.arcs(order[done])) find(arc.to);
    }
  }
  return order;
}

}  // namespace

Orders orders_of_turns(const WeightedGraph& graph) {
  if (!graph.is_grid() || graph.size() <= small_scan) return {order_of_search(graph)};
  std::vector<Node> by_number(graph.size());
  std::iota(by_number.begin(), by_number.end(), Node{0});
  return {std::move(by_number), turn_rows_around(graph)};
}

}  // namespace warpath::graph
