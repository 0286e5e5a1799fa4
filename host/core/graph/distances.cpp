#include "warpath/distances.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "host/core/graph/many_searches.hpp"

namespace warpath {
namespace {

// In scans up to this size a whole row is cheaper than tracking the nodes of a bounded search.
constexpr std::size_t small_scan = 1024;

struct Searches {
  graph::Search single;
  graph::ManySearches many;
};

}  // namespace

Distances::Distances(const Scan& scan, Distance distance)
    : scan_(&scan),
      ready_(distance == Distance::hops ? std::span<const double>() : scan.distances()),
      graph_(std::make_unique<graph::WeightedGraph>(scan, distance)),
      reversed_(scan.is_directed() ? graph_->reversed() : nullptr),
      search_(std::make_unique<graph::Search>()),
      rows_(scan.size()) {
  if (!scan.is_directed()) return;
  if (are_searched()) {
    rows_to_.resize(scan.size());
    return;
  }
  const std::size_t size = scan.size();
  ready_columns_.resize(ready_.size());
  for (std::size_t a = 0; a < size; ++a) {
    for (std::size_t b = 0; b < size; ++b) ready_columns_[b * size + a] = ready_[a * size + b];
  }
}

Distances::Distances(Distances&&) noexcept = default;
Distances& Distances::operator=(Distances&&) noexcept = default;
Distances::~Distances() = default;

std::unique_ptr<double[]> Distances::new_row(const graph::WeightedGraph& graph, Node source,
                                             graph::Search& search) const {
  auto row = std::make_unique_for_overwrite<double[]>(scan_->size());
  std::fill_n(row.get(), scan_->size(), std::numeric_limits<double>::infinity());
  search.all(graph, source, row.get());
  return row;
}

std::span<const double> Distances::row_of(const graph::WeightedGraph& graph, Rows& rows,
                                          Node source) {
  auto& row = rows[source];
  if (!row) {
    row = new_row(graph, source, *search_);
    ++rows_made_;
  }
  return {row.get(), scan_->size()};
}

std::span<const double> Distances::row(Node source) {
  if (!are_searched()) return ready_.subspan(source * scan_->size(), scan_->size());
  if (graph_->lattice() != nullptr) {
    make_rows({&source, 1});
    return {rows_[source].get(), scan_->size()};
  }
  return row_of(*graph_, rows_, source);
}

std::span<const double> Distances::row_to(Node target) {
  if (!scan_->is_directed()) return row(target);
  if (are_searched()) return row_of(*reversed_, rows_to_, target);
  return std::span(ready_columns_).subspan(target * scan_->size(), scan_->size());
}

void Distances::make_rows(std::span<const Node> sources) {
  if (!are_searched()) return;
  if (graph_->lattice() == nullptr) return make_rows(*graph_, rows_, sources);
  // A march gives the distances to one viewpoint, so a row takes one from each.
  if (std::ranges::all_of(sources, [&](Node n) { return rows_[n] != nullptr; })) return;
  std::vector<Node> all(scan_->size());
  std::iota(all.begin(), all.end(), Node{0});
  make_rows(*reversed_, rows_to_, all);
  for (const Node source : sources) {
    auto& row = rows_[source];
    if (row) continue;
    row = std::make_unique_for_overwrite<double[]>(scan_->size());
    for (const Node n : all) row[n] = rows_to_[n][source];
    ++rows_made_;
  }
}

void Distances::make_rows_to(std::span<const Node> targets) {
  if (!scan_->is_directed()) return make_rows(targets);
  if (are_searched()) make_rows(*reversed_, rows_to_, targets);
}

void Distances::make_rows(const graph::WeightedGraph& graph, Rows& rows,
                          std::span<const Node> sources) {
  std::vector<Node> missing;
  for (const Node n : sources) {
    if (!rows[n]) missing.push_back(n);
  }
  std::ranges::sort(missing);
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  if (missing.empty()) return;
  const bool suit = graph::ManySearches::suit(graph);
  const graph::Orders orders = suit ? graph::orders_of_turns(graph) : graph::Orders();
  if (suit) {  // sources that are near each other pass on together
    std::vector<std::size_t> rank(graph.size());
    for (std::size_t k = 0; k < graph.size(); ++k) rank[orders[0][k]] = k;
    std::ranges::sort(missing, {}, [&](Node n) { return rank[n]; });
  }
  const std::size_t together = suit ? graph::ManySearches::max_sources : 1;
  tbb::enumerable_thread_specific<Searches> searches;
  tbb::parallel_for(std::size_t{0}, (missing.size() + together - 1) / together, [&](std::size_t b) {
    const auto rest = std::span(missing).subspan(b * together);
    const auto block = rest.first(std::min(together, rest.size()));
    Searches& of_thread = searches.local();
    if (block.size() < graph::ManySearches::min_sources) {
      for (const Node n : block) rows[n] = new_row(graph, n, of_thread.single);
      return;
    }
    std::array<std::unique_ptr<double[]>, graph::ManySearches::max_sources> made;
    for (std::size_t k = 0; k < block.size(); ++k) {
      made[k] = std::make_unique_for_overwrite<double[]>(scan_->size());
    }
    of_thread.many.run(graph, orders, block, made);
    for (std::size_t k = 0; k < block.size(); ++k) rows[block[k]] = std::move(made[k]);
  });
  rows_made_ += missing.size();
}

double Distances::between(Node from, Node to) {
  const bool is_marched = graph_->lattice() != nullptr;
  if (is_marched && (rows_to_[to] || scan_->size() <= small_scan)) return row_to(to)[from];
  if (!are_searched() || rows_[from] || (!is_marched && scan_->size() <= small_scan)) {
    return row(from)[to];
  }
  search_->to(*graph_, from, {&to, 1});
  return (*search_)[to];
}

double Distances::edge(Node from, Node to) const {
  return graph_->edge(from, to);
}

std::vector<Node> Distances::path(Node from, Node to) {
  if (scan_->has_distances_only() && scan_->adjacent(from, to)) return {from, to};
  return search_->path(*graph_, from, to);
}

void Distances::clear() {
  for (auto& row : rows_) row.reset();
  for (auto& row : rows_to_) row.reset();
  rows_made_ = 0;
}

}  // namespace warpath
