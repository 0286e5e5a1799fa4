#pragma once

#include "host/core/graph/search.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::reference {

/// Holds the distances of a pair of paths on a graph.
struct PairDistances {
  std::span<const double* const> rows;  ///< rows[i][columns[j]] is d(q_j, r_i)
  std::span<const Node> columns;
  std::span<const double> reference_steps, query_steps;  ///< [k] is d(p_k, p_k+1)
  double start_to_goal;                                  ///< d(r_1, r_|R|), summed from r_|R|
};

Measures measure(const PairDistances& distances, const graph::WeightedGraph& graph,
                 std::span<const Node> reference, std::span<const Node> query,
                 const Convention& convention, Workspace& workspace);

}  // namespace warpath::reference
