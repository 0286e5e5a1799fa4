#include "host/core/graph/many_searches.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace warpath::graph {
namespace {

constexpr double no_distance = std::numeric_limits<double>::infinity();
// In scans up to this size a whole row costs little, whatever the graph.
constexpr std::size_t small_scan = 1024;
// In larger scans a thread's memory of all nodes would leave its cache.
constexpr std::size_t large_grid = std::size_t{1} << 15;

using FromSources = ManySearches::FromSources;
constexpr std::size_t lanes = ManySearches::max_sources;

// Each of these takes a node's distances, and makes those of a neighbour the smaller ones of its
// own and of the ways over the node. It tells whether any has become smaller. These are intrinsics
// because GCC lowers the compiler's vectors before it inlines, for the processor of the whole file.

struct AnyProcessor {
  const double* from;

  [[gnu::always_inline]] bool pass_on(double length, double* to) const {
    bool is_nearer = false;
    for (std::size_t k = 0; k < lanes; ++k) {
      const double candidate = from[k] + length;
      is_nearer |= candidate < to[k];
      to[k] = std::min(to[k], candidate);
    }
    return is_nearer;
  }
};

#ifdef __x86_64__
struct Avx2 {
  static constexpr std::size_t width = 4;
  const double* from;

  [[gnu::target("avx2")]] bool pass_on(double length, double* to) const {
    __m256d nearer = _mm256_setzero_pd();
    for (std::size_t k = 0; k < lanes; k += width) {
      const __m256d candidate = _mm256_add_pd(_mm256_loadu_pd(from + k), _mm256_set1_pd(length));
      const __m256d best = _mm256_loadu_pd(to + k);
      nearer = _mm256_or_pd(nearer, _mm256_cmp_pd(candidate, best, _CMP_LT_OQ));
      _mm256_storeu_pd(to + k, _mm256_min_pd(candidate, best));
    }
    return _mm256_movemask_pd(nearer) != 0;
  }
};

struct Avx512 {
  static constexpr std::size_t width = 8;
  const double* from;

  [[gnu::target("avx512f")]] bool pass_on(double length, double* to) const {
    unsigned nearer = 0;
    for (std::size_t k = 0; k < lanes; k += width) {
      const __m512d candidate = _mm512_add_pd(_mm512_loadu_pd(from + k), _mm512_set1_pd(length));
      const __m512d best = _mm512_loadu_pd(to + k);
      const __mmask8 is_nearer = _mm512_cmp_pd_mask(candidate, best, _CMP_LT_OQ);
      _mm512_storeu_pd(to + k, _mm512_mask_blend_pd(is_nearer, best, candidate));
      nearer |= is_nearer;
    }
    return nearer != 0;
  }
};
#endif

// Takes one turn along an order, or against it, and tells whether a node had news.
template <class Processor>
[[gnu::always_inline]] inline bool take_turn(const WeightedGraph& graph,
                                             std::span<const Node> order, bool is_back,
                                             FromSources* nodes, std::uint8_t* has_news) {
  bool had_news = false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Node node = order[is_back ? order.size() - 1 - i : i];
    if (has_news[node] == 0) continue;
    had_news = true;
    has_news[node] = 0;
    const Processor processor{nodes[node].distance};
    for (const auto& [length, next] : graph.arcs(node)) {
      has_news[next] |= static_cast<std::uint8_t>(processor.pass_on(length, nodes[next].distance));
    }
  }
  return had_news;
}

bool take_turn_anywhere(const WeightedGraph& graph, std::span<const Node> order, bool is_back,
                        FromSources* nodes, std::uint8_t* has_news) {
  return take_turn<AnyProcessor>(graph, order, is_back, nodes, has_news);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] bool take_turn_avx2(const WeightedGraph& graph, std::span<const Node> order,
                                            bool is_back, FromSources* nodes,
                                            std::uint8_t* has_news) {
  return take_turn<Avx2>(graph, order, is_back, nodes, has_news);
}
[[gnu::target("avx512f")]] bool take_turn_avx512(const WeightedGraph& graph,
                                                 std::span<const Node> order, bool is_back,
                                                 FromSources* nodes, std::uint8_t* has_news) {
  return take_turn<Avx512>(graph, order, is_back, nodes, has_news);
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
  if (__builtin_cpu_supports("avx512f")) usable.push_back(take_turn_avx512);
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
  FromSources none;
  std::ranges::fill(none.distance, no_distance);
  nodes_.assign(graph.size(), none);
  has_news_.assign(graph.size(), 0);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    nodes_[sources[k]].distance[k] = 0.0;
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
      for (std::size_t n = first; n < last; ++n) rows[k][n] = nodes_[n].distance[k];
    }
  }
}

// Returns false if nodes still have news after many turns.
bool ManySearches::take_turns(const WeightedGraph& graph, const Orders& orders) {
  for (std::size_t turn = 0; turn < max_turns; ++turn) {
    const std::vector<Node>& order = orders[turn / 2 % orders.size()];
    if (!take_turn_(graph, order, turn % 2 != 0, nodes_.data(), has_news_.data())) return true;
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
