#pragma once

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/graph/many_searches.hpp"
#include "warpath/convention.hpp"
#include "warpath/distances.hpp"
#include "warpath/paths.hpp"
#include "warpath/watch.hpp"

namespace warpath::batch {

/// Finds distances on one scan, where there is no table of all. Several threads may use it.
class DistanceFinder {
 public:
  /// @param scan must outlive the object. @throws InputError as Distances
  DistanceFinder(const Scan& scan, const Convention& convention);

  const Scan& scan() const { return distances_.scan(); }
  double threshold() const { return threshold_; }
  /// Returns the length of an edge, or NaN if there is none.
  double edge(Node from, Node to) const { return distances_.edge(from, to); }

  /// Calls `take(k, d)` for each k, where d is the distance from viewpoint from[k] to `target`,
  /// with the bits of Distances::row_to(target). The search ends once all of them are found.
  template <class Take>
  void find(Node target, std::span<const Node> from, const Take& take) {
    if (!distances_.are_searched()) {
      const auto row = distances_.row_to(target);
      for (std::size_t k = 0; k < from.size(); ++k) take(k, row[from[k]]);
      return;
    }
    graph::Search& search = searches_.local();
    search.to(distances_.reversed_graph(), target, from);
    for (std::size_t k = 0; k < from.size(); ++k) take(k, search[from[k]]);
  }

  /// Does the same for several targets, together where that takes less time: calls `take(t, k, d)`
  /// for targets[t], and `note()` once for each. @pre up to max_targets
  template <class Take, class Note>
  void find(std::span<const Node> targets, std::span<const Node> from, const Take& take,
            const Note& note) {
    if (!suits_together(targets.size(), from.size())) {
      for (std::size_t t = 0; t < targets.size(); ++t) {
        find(targets[t], from, [&](std::size_t k, double d) { take(t, k, d); });
        note();
      }
      return;
    }
    Together& together = together_.local();
    search_together(targets, together);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      for (std::size_t k = 0; k < from.size(); ++k) take(t, k, together.rows[t][from[k]]);
      note();
    }
  }
  static constexpr std::size_t max_targets = graph::ManySearches::max_sources;

 private:
  struct Together {
    graph::ManySearches searches;
    std::vector<std::unique_ptr<double[]>> rows;
  };

  bool suits_together(std::size_t targets, std::size_t from) const;
  void search_together(std::span<const Node> targets, Together& together) const;

  Distances distances_;
  const double threshold_;
  const graph::Orders orders_;  // of searches together; empty: they do not suit
  tbb::enumerable_thread_specific<graph::Search> searches_;
  tbb::enumerable_thread_specific<Together> together_;
};

/// Numbers the viewpoints of a scan that paths use, from 0 on, in the order of their first use.
class UsedViewpoints {
 public:
  /// @param viewpoints of the scan
  explicit UsedViewpoints(std::size_t viewpoints) : number_(viewpoints, none) {}

  std::size_t size() const { return used_.size(); }
  std::span<const Node> all() const { return used_; }  ///< by number
  /// Returns the number of a viewpoint. @pre it is used
  Node operator[](Node viewpoint) const { return number_[viewpoint]; }

  void add(std::span<const Node> path) {
    for (const Node n : path) {
      if (number_[n] != none) continue;
      number_[n] = static_cast<Node>(used_.size());
      used_.push_back(n);
    }
  }
  /// Numbers those from number `first` on as the scan does. Then a step leads to a near number on a
  /// grid, and the entries of a row's steps share pages.
  void sort_from(std::size_t first) {
    std::ranges::sort(used_.begin() + static_cast<std::ptrdiff_t>(first), used_.end());
    for (std::size_t k = first; k < used_.size(); ++k) number_[used_[k]] = static_cast<Node>(k);
  }
  /// Forgets those that were added last, but for `size` of them.
  void shrink(std::size_t size) {
    for (; used_.size() > size; used_.pop_back()) number_[used_.back()] = none;
  }

 private:
  static constexpr Node none = ~Node{0};

  std::vector<Node> used_;
  std::vector<Node> number_;  // by viewpoint
};

/// Holds the distances that the pairs of a part of a batch read, in a table of the viewpoints that
/// they use. Entries that none of them reads are 0, and take no memory where pages have no others.
struct CompactTable {
  /// The viewpoints by their numbers, and the edges that the paths take if CLS measures edges.
  std::unique_ptr<const Scan> scan;
  DistanceTables tables;  ///< of this scan alone
};

/// Makes the table of some pairs. It runs a search to each viewpoint of the references, and short
/// ones along the queries' steps, on the threads of the calling task arena.
/// @param rows of the batch, all on the finder's scan
/// @param used the viewpoints of the pairs, those of the references first
/// @param references how many viewpoints the references have
/// @param watch is called with 0 while searches are made; null: none
CompactTable make_compact_table(DistanceFinder& finder, const PairBatchView& batch,
                                std::span<const std::uint32_t> rows, const UsedViewpoints& used,
                                std::size_t references, ClsStep cls_step, const Watch* watch);

/// Says what is true of a whole table, see DistanceTables.
struct TableTraits {
  bool is_symmetric, is_connected;
};

/// Fills the table of a whole scan, which may have more than DistanceTables::max_viewpoints, on the
/// threads of the calling task arena.
/// @param table of kernels::table_entries entries
/// @param watch is called with 0 for each viewpoint; null: none
TableTraits fill_whole_table(DistanceFinder& finder, std::span<float> table, const Watch* watch);

/// Makes such a table.
DistanceTables make_whole_table(DistanceFinder& finder, const Watch* watch);

}  // namespace warpath::batch
