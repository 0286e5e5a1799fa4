#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "host/checks/compare.hpp"
#include "host/checks/pairs.hpp"
#include "kernels/views/rules.hpp"
#include "warpath/convention.hpp"
#include "warpath/distances.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::testing {

using checks::RandomBatch;
using checks::same_bits;

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

/// Returns scores computed from the plain loops by MetricFormulas in plain C++, on the tables of
/// the CPU back end: what every back end must return to the last bit.
Scores score_plainly(const PairBatch& batch, const Convention& convention);

/// Returns the convention as kernels read it, with all quantities.
kernels::Rules rules_of(const Convention& convention, bool given_success);

/// Receives a row from MetricFormulas, or what its flags mean.
struct RowWriter {
  Scores& scores;
  std::size_t row;

  void set(Metric m, float value) const { scores.at(m, row) = value; }
  void clear(bool is_unreachable, std::uint32_t metrics) const;
  void flags(std::uint32_t bits) const;
};

/// Returns PL of a path inside CLS if steps are edges; NaN if a step is not an edge.
float edge_length(const Distances& distances, std::span<const Node> path);

/// Returns all presets, and conventions with settings that none of them has.
std::vector<Convention> conventions();

/// Expects every metric, status and zero rule to be equal to the last bit.
void expect_same_scores(const Scores& got, const Scores& want, const std::string& how);

}  // namespace warpath::testing
