#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "host/checks/random.hpp"
#include "host/checks/scans.hpp"
#include "warpath/graph.hpp"
#include "warpath/paths.hpp"

// Pairs of viewpoint paths on synthetic scans.

namespace warpath::checks {

/// Holds a batch and the scans that it points to.
struct SyntheticBatch {
  std::vector<Scan> scans;
  PairBatch batch;
};

/// Limits path lengths, in viewpoints, both ends included.
struct LengthRange {
  std::size_t low, high;
};

/// Makes pairs of every length class, from single viewpoints to over 1000 per path, on adversarial
/// scans of 1 to 300 viewpoints: walks, jumps, near copies, repeats, unreachable pairs, shared
/// references.
/// @param task_success also generates a task success per pair, some of them unknown.
SyntheticBatch adversarial_pairs(Random& random, std::size_t pairs, bool task_success);

/// Describes a benchmark's pairs: paths of uniformly random viewpoints, the worst case for
/// look-ups.
struct Shape {
  std::string name;
  LengthRange reference, query;
  std::size_t viewpoints;
  std::size_t queries_per_reference = 1;
};

SyntheticBatch uniform_pairs(Random& random, const Shape& shape, std::size_t pairs);

/// Makes pairs on adversarial scans of 1 to 70 viewpoints and few edges, with lengths as they are
/// asked for.
class RandomBatch {
 public:
  /// @param directed makes all scans but the first directed
  explicit RandomBatch(std::uint64_t seed, int scans = 5, bool directed = false);

  /// Adds pairs with lengths from 1. Every reference has `queries` queries.
  void add_pairs(std::size_t count, std::size_t max_reference, std::size_t max_query,
                 std::size_t queries = 1);
  /// Adds pairs of all lengths, some unreachable; some references have many queries.
  void add_every_kind();
  void add_pair(std::uint32_t scan, const std::vector<Node>& reference,
                const std::vector<Node>& query);
  /// @param jump probability that a step leads to any viewpoint
  std::vector<Node> walk(std::uint32_t scan, Node start, std::size_t nodes, double jump = 0.0);
  const PairBatch& batch() const { return batch_; }

 private:
  void add_query(std::uint32_t scan, std::uint32_t reference, const std::vector<Node>& query);

  Random random_;
  std::deque<Scan> scans_;
  PairBatch batch_;
};

/// Returns pairs of two references of 40 viewpoints, in the last two scans of an empty batch.
PairBatch long_references_of_last_scans(RandomBatch& made, std::size_t pairs);

/// Returns a batch of one pair.
PairBatch pair_of(const Scan& scan, const std::vector<Node>& reference,
                  const std::vector<Node>& query);

/// Returns the mean of |R| |Q| over the pairs of a PairBatch or a PointBatch.
template <class Pairs>
double mean_cells(const Pairs& batch) {
  double cells = 0.0;
  for (const auto& pair : batch.pairs) {
    cells += static_cast<double>(batch.references.size_of(pair.reference)) *
             static_cast<double>(batch.queries.size_of(pair.query));
  }
  return cells / static_cast<double>(batch.pairs.size());
}

/// Returns the scan of each reference; 0 for one that no pair has.
std::vector<std::uint32_t> scans_of(const PairBatch& batch);

}  // namespace warpath::checks
