// Scores paths that are in memory as viewpoint indices: no files, no ids.

#include <iostream>
#include <vector>

#include "warpath/paths.hpp"
#include "warpath/scorer.hpp"

namespace {

using warpath::Metric;
using warpath::Node;

// Makes the graph of one building. Positions are in metres; an edge without a weight has the
// Euclidean length.
//
//             5
//             |
//   0 --- 1 --- 2 --- 3 --- 4
warpath::Scan make_street() {
  const std::vector<warpath::Edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 5}};
  return {"street",
          {"0", "1", "2", "3", "4", "5"},
          {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {6, 0, 0}, {8, 0, 0}, {4, 1.5, 0}},
          edges};
}

std::uint32_t add(warpath::PathSet& paths, const std::vector<Node>& path) {
  paths.elements.insert(paths.elements.end(), path.begin(), path.end());
  return paths.end_path();
}

}  // namespace

int main() {
  const warpath::Scan street = make_street();

  warpath::PairBatch batch;
  batch.scans = {&street};
  const std::uint32_t reference = add(batch.references, {0, 1, 2, 3});
  for (const std::vector<Node>& path : std::vector<std::vector<Node>>{
           {0, 1, 2, 3},           // follows the reference
           {0, 1, 2, 5},           // turns off before the goal
           {0, 1, 2, 5, 2, 3, 4},  // looks around and overshoots
       }) {
    const std::uint32_t query = add(batch.queries, path);
    batch.pairs.push_back({.scan = 0, .reference = reference, .query = query});
  }

  const warpath::Convention convention;  // every metric as in its own paper, success within 3 m
  const warpath::Scorer scorer(batch.scans, convention);  // used again for the next batch
  const warpath::Scores scores = scorer.score(batch);

  std::cout << "path  NE    SR  SPL   nDTW\n";
  for (std::size_t pair = 0; pair < scores.size(); ++pair) {
    std::cout << pair << "     " << scores.at(Metric::NE, pair) << "  "
              << scores.at(Metric::SR, pair) << "  " << scores.at(Metric::SPL, pair) << "  "
              << scores.at(Metric::nDTW, pair) << '\n';
  }

  // For batches of any size: returns only statistics and keeps no pair's own score.
  const warpath::BatchStatistics statistics = scorer.statistics(batch);
  std::cout << "mean nDTW " << *statistics.summary.of(Metric::nDTW).mean() << '\n';
}
