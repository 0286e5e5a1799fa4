#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/core/graph/search.hpp"

namespace warpath::graph {

/// Orders of all nodes, of which ManySearches takes one after the other.
using Orders = std::vector<std::vector<Node>>;

/// Finds the distances from several sources at once; one object per thread. A node passes on what
/// it has of all of them together, in turns along orders of the nodes and against them, until
/// nothing comes nearer; where that takes many turns, as in a maze, each source is searched alone.
/// The distances have the bits of Search, which are those of a minimum over paths.
class ManySearches {
 public:
  static constexpr std::size_t max_sources = 16;
  /// Holds the distances of a node from all sources.
  struct alignas(64) FromSources {
    double distance[max_sources];
  };
  /// Takes one turn of all sources along an order, or against it, and tells whether a node had
  /// news.
  using Turn = bool (*)(const WeightedGraph& graph, std::span<const Node> order, bool is_back,
                        FromSources* nodes, std::uint8_t* has_news);
  /// Returns turns with registers of each width that this processor has, the widest first. Sums and
  /// comparisons have the same bits in all.
  static std::vector<Turn> usable_turns();

  ManySearches() : ManySearches(usable_turns().front()) {}
  explicit ManySearches(Turn take_turn) : take_turn_(take_turn) {}

  /// Fewer sources take longer together than each on its own.
  static constexpr std::size_t min_sources = 6;
  /// Turns after which sources are searched alone.
  static constexpr std::size_t max_turns = 128;

  /// Tells whether several searches of such a graph take less time together.
  static bool suit(const WeightedGraph& graph);

  /// Writes d(sources[k], n) to rows[k][n] for every node n. @pre up to max_sources; no lattice
  /// @param orders of all nodes, see orders_of_turns
  void run(const WeightedGraph& graph, const Orders& orders, std::span<const Node> sources,
           std::span<const std::unique_ptr<double[]>> rows);

 private:
  bool take_turns(const WeightedGraph& graph, const Orders& orders);

  const Turn take_turn_;
  std::vector<FromSources> nodes_;
  std::vector<std::uint8_t> has_news_;  // whether a node has come nearer since it passed on
  Search single_;
};

/// Returns orders that have neighbours near each other, so that ManySearches takes few turns. On a
/// large grid these are the rows from left to right and from right to left, so that a turn carries
/// news all the way in each of the four quarters; elsewhere that in which a search finds the nodes.
Orders orders_of_turns(const WeightedGraph& graph);

}  // namespace warpath::graph
