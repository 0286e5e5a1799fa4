#pragma once

#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <vector>

#include "kernels/views/rules.hpp"
#include "warpath/convention.hpp"
#include "warpath/distances.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::testing {

/// Returns the seed of this run, printed once: $WARPATH_SEED, or a new one.
std::uint64_t run_seed();
/// Returns how many random pairs to try in total: $WARPATH_PAIRS, or 100,000 (4,000 under a
/// sanitizer).
std::size_t run_pairs();

/// Returns a number below n.
inline std::size_t below(std::mt19937_64& random, std::size_t n) {
  return random() % n;
}

/// Holds distances as the kernels read them: entry (a, b) is at a * pitch + b; column `pad` is
/// +inf.
struct TableView {
  const float* distance;
  int pitch, pad;

  float between(int a, int b) const { return distance[static_cast<std::size_t>(a) * pitch + b]; }
};

struct PathPair {
  std::vector<int> reference, query;
};

/// Makes random pairs over a random table: some viewpoints unreachable, some distinct ones at
/// distance 0 (stored as the smallest normal float), paths that repeat viewpoints, queries that
/// follow the reference most of the time so that edges match.
struct PairCases {
  std::uint64_t seed;
  std::vector<float> table;
  int pitch, pad;
  std::vector<PathPair> pairs;

  TableView view() const { return {table.data(), pitch, pad}; }
};
PairCases make_pair_cases(std::uint64_t seed, int count, int max_reference, int max_query);

/// Holds everything that a sweep measures of a pair.
struct Measured {
  struct Total {
    float high, low;  ///< as kernels::Sum
  };
  float dtw;
  Total coverage, deviation, length;
  float max_deviation, goal, nearest, first;
  int edits[2];  ///< over viewpoints and over edges
};

/// Measures a pair with plain loops, directly from the equations, in single precision: the expected
/// result of every sweep.
Measured measure_plainly(const TableView& table, std::span<const int> reference,
                         std::span<const int> query, float minus_inverse_threshold);

std::vector<Measured> measure_plainly(const PairCases& cases, float minus_inverse_threshold);

/// Returns a directed scan made from another: some of its edges lead one way, those of others have
/// a weight of their own in each direction.
Scan make_directed(const Scan& scan, std::mt19937_64& random);

/// Makes small random scans in two parts that no edge joins, with coincident viewpoints, and pairs
/// of walks on them that sometimes jump.
class RandomBatch {
 public:
  /// @param directed makes all scans but the first directed
  explicit RandomBatch(std::uint64_t seed, int scans = 5, bool directed = false);

  /// Adds pairs with lengths from 1. Every reference has `queries` queries.
  void add_pairs(std::size_t count, int max_reference, int max_query, std::size_t queries = 1);
  /// Adds pairs of all lengths, some unreachable; some references have many queries.
  void add_every_kind();
  void add_pair(std::uint32_t scan, const std::vector<Node>& reference,
                const std::vector<Node>& query);
  /// @param jump one step in that many is a jump to any viewpoint; 0: no jumps.
  std::vector<Node> walk(std::uint32_t scan, Node start, std::size_t nodes, std::size_t jump);
  const PairBatch& batch() const { return batch_; }
  std::mt19937_64& random() { return random_; }

 private:
  void add_query(std::uint32_t scan, std::uint32_t reference, const std::vector<Node>& query);

  std::mt19937_64 random_;
  std::deque<Scan> scans_;
  PairBatch batch_;
};

/// Returns pairs of two references of 40 viewpoints, in the last two scans of an empty batch.
PairBatch long_references_of_last_scans(RandomBatch& made, std::size_t pairs);

/// Returns the pairs of `batch` in another order: row k is row order[k] of the original.
PairBatch reordered(const PairBatch& batch, const std::vector<std::uint32_t>& order);

/// Returns scores computed from the plain loops by MetricFormulas in plain C++, on the tables of
/// the CPU back end: what every back end must return to the last bit.
Scores score_plainly(const PairBatch& batch, const Convention& convention);

/// Returns the convention as kernels read it, with all quantities.
kernels::Rules rules_of(const Convention& convention, bool given_success);

/// Writes to scores what a pair's flags mean.
void note_flags(std::uint32_t bits, std::size_t row, Scores& scores);

/// Returns PL of a path inside CLS if steps are edges; NaN if a step is not an edge.
float edge_length(const Distances& distances, std::span<const Node> path);

/// Returns all presets, and conventions with settings that none of them has.
std::vector<Convention> conventions();

/// Tells whether two values have the same bits; NaNs count as the same.
bool same_bits(float a, float b);
bool same_bits(double a, double b);

/// Expects every metric, status and zero rule to be equal to the last bit.
void expect_same_scores(const Scores& got, const Scores& want, const std::string& how);

}  // namespace warpath::testing
