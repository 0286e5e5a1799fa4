#include "host/core/graph/many_searches.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace warpath::graph {
namespace {

constexpr double no_distance = std::numeric_limits<double>::infinity();
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

bool take_turn_anywhere(const WeightedGraph& graph, std::span<const Node> order, bool is_back,
                        double* distance, std::uint8_t* has_news) {
  return take_turn(graph, order, is_back, distance, has_news);
}

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
#endif

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

std::vector<ManySearches::Turn> ManySearches::usable_turns() {
  std::vector<Turn> usable;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    usable.push_back(take_turn_avx512);
  }
  if (__builtin_cpu_supports("avx2")) usable.push_back(take_turn_avx2);
#endif
  usable.push_back(take_turn_anywhere);
  return usable;
}

bool ManySearches::suit(const WeightedGraph& graph) {
  if (graph.lattice() != nullptr) return false;
  return graph.size() <= small_scan || (graph.is_grid() && graph.size() <= large_grid);
}

void ManySearches::run(const WeightedGraph& graph, const Orders& orders,
                       std::span<const Node> sources,
                       std::span<const std::unique_ptr<double[]>> rows) {
  distance_.assign(graph.size() * max_sources, no_distance);
  has_news_.assign(graph.size(), 0);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    distance_[sources[k] * max_sources + k] = 0.0;
    has_news_[sources[k]] = 1;
  }
  if (!take_turns(graph, orders)) {
    for (std::size_t k = 0; k < sources.size(); ++k) {
      std::fill_n(rows[k].get(), graph.size(), no_distance);
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
  for (std::size_t turn = 0; turn < max_turns; ++turn) {
    const std::vector<Node>& order = orders[turn / 2 % orders.size()];
    if (!take_turn_(graph, order, turn % 2 != 0, distance_.data(), has_news_.data())) return true;
  }
  return false;
}

Orders orders_of_turns(const WeightedGraph& graph) {
  if (!graph.is_grid() || graph.size() <= small_scan) return {order_of_search(graph)};
  std::vector<Node> by_number(graph.size());
  std::iota(by_number.begin(), by_number.end(), Node{0});
  return {std::move(by_number), turn_rows_around(graph)};
}

}  // namespace warpath::graph
