#include "tests/support/pair_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/definitions/metric_traits.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/metrics/metric_formulas.hpp"
#include "kernels/sweep/exp.hpp"
#include "kernels/sweep/layout.hpp"

namespace warpath::testing {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

float random_distance(std::mt19937_64& random) {
  switch (below(random, 60)) {
    case 0:
      return infinity;
    case 1:
      return std::numeric_limits<float>::min();
    case 2:
      return 3.0f;
    default:
      return 0.001f + static_cast<float>(random() >> 40) * 1e-6f;
  }
}

int random_length(std::mt19937_64& random, int longest) {
  return below(random, 10) == 0 ? 1 : 1 + static_cast<int>(below(random, longest));
}

PathPair random_pair(std::mt19937_64& random, int viewpoints, int n, int m) {
  const auto any = [&] { return static_cast<int>(below(random, viewpoints)); };
  PathPair pair;
  for (int i = 0; i < n; ++i) {
    pair.reference.push_back(i > 0 && below(random, 6) == 0 ? pair.reference.back() : any());
  }
  auto at = static_cast<int>(below(random, n));
  for (int j = 0; j < m; ++j) {
    pair.query.push_back(below(random, 5) != 0 ? pair.reference[at] : any());
    if (below(random, 8) != 0) at = (at + 1) % n;
  }
  return pair;
}

using Sum = decltype(kernels::SweepResult<kernels::ScalarLanes>::length);

Measured::Total total(const Sum& sum) {
  return {sum.high, sum.low};
}
Sum sum(const Measured::Total& total) {
  return {total.high, total.low};
}

float plain_dtw(const TableView& table, std::span<const int> reference,
                std::span<const int> query) {
  const std::size_t n = reference.size();
  std::vector<float> row(n + 1, infinity), next(n + 1, infinity);
  row[0] = 0.0f;
  for (const int q : query) {
    next[0] = infinity;
    for (std::size_t i = 1; i <= n; ++i) {
      next[i] = std::min({row[i], row[i - 1], next[i - 1]}) + table.between(q, reference[i - 1]);
    }
    std::swap(row, next);
  }
  return row[n];
}

template <class Symbol>
int plain_levenshtein(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  std::vector<int> row(a.size() + 1), next(a.size() + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) row[i] = static_cast<int>(i);
  for (std::size_t j = 0; j < b.size(); ++j) {
    next[0] = static_cast<int>(j) + 1;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      next[i] = std::min({row[i - 1] + (a[i - 1] != b[j]), row[i] + 1, next[i - 1] + 1});
    }
    std::swap(row, next);
  }
  return row[a.size()];
}

std::vector<std::pair<int, int>> edges(std::span<const int> path) {
  std::vector<std::pair<int, int>> all;
  for (std::size_t i = 1; i < path.size(); ++i) all.emplace_back(path[i - 1], path[i]);
  return all;
}

}  // namespace

std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("WARPATH_SEED");
    const std::uint64_t s = given != nullptr ? std::stoull(given) : std::random_device{}();
    setenv("WARPATH_SEED", std::to_string(s).c_str(), 0);  // for the fake CUDA runtime
    std::cout << "seed " << s << " (WARPATH_SEED repeats it)\n";
    return s;
  }();
  return seed;
}

std::size_t run_pairs() {
  const char* given = std::getenv("WARPATH_PAIRS");
#if defined(WARPATH_SANITIZED)
  constexpr std::size_t usual = 4'000;  // each takes twenty times as long
#else
  constexpr std::size_t usual = 100'000;
#endif
  return given != nullptr ? std::stoull(given) : usual;
}

PairCases make_pair_cases(std::uint64_t seed, int count, int max_reference, int max_query) {
  std::mt19937_64 random(seed);
  PairCases cases;
  cases.seed = seed;
  cases.pad = 1 + static_cast<int>(below(random, 60));
  cases.pitch = kernels::table_pitch(cases.pad);
  cases.table.assign(static_cast<std::size_t>(cases.pad) * cases.pitch, infinity);
  for (int a = 0; a < cases.pad; ++a) {
    for (int b = 0; b <= a; ++b) {
      cases.table[a * cases.pitch + b] = cases.table[b * cases.pitch + a] =
          a == b ? 0.0f : random_distance(random);
    }
  }
  for (int p = 0; p < count; ++p) {
    const int n = random_length(random, max_reference);
    cases.pairs.push_back(random_pair(random, cases.pad, n, random_length(random, max_query)));
  }
  return cases;
}

Measured measure_plainly(const TableView& table, std::span<const int> reference,
                         std::span<const int> query, float minus_inverse_threshold) {
  const int goal = reference.back();
  Measured m{};
  Sum coverage{}, deviation{}, length{};
  m.dtw = plain_dtw(table, reference, query);
  for (const int r : reference) {
    float nearest = infinity;
    for (const int q : query) nearest = std::min(nearest, table.between(q, r));
    coverage.add(kernels::exp_nonpositive<kernels::ScalarLanes>(nearest * minus_inverse_threshold));
  }
  m.nearest = infinity;
  for (const int q : query) {
    float nearest = infinity;
    for (const int r : reference) nearest = std::min(nearest, table.between(q, r));
    deviation.add(nearest);
    m.max_deviation = std::max(m.max_deviation, nearest);
    m.nearest = std::min(m.nearest, table.between(q, goal));
  }
  m.goal = table.between(query.back(), goal);
  m.first = table.between(query.front(), goal);
  for (std::size_t j = 1; j < query.size(); ++j) {
    length.add(table.between(query[j - 1], query[j]));
  }
  m.coverage = total(coverage);
  m.deviation = total(deviation);
  m.length = total(length);
  m.edits[0] =
      plain_levenshtein<int>({reference.begin(), reference.end()}, {query.begin(), query.end()});
  m.edits[1] = plain_levenshtein(edges(reference), edges(query));
  return m;
}

std::vector<Measured> measure_plainly(const PairCases& cases, float minus_inverse_threshold) {
  std::vector<Measured> all;
  for (const PathPair& pair : cases.pairs) {
    all.push_back(
        measure_plainly(cases.view(), pair.reference, pair.query, minus_inverse_threshold));
  }
  return all;
}

// ---------------------------------------------------------------- batches

namespace {

void write_counts(const PairBatch& batch, std::size_t row, Scores& out) {
  using enum Metric;
  if (out.status[row] == Status::unreachable) return;
  out.at(n_query_raw, row) = batch.n_query_raw[row];
  const Pair& pair = batch.pairs[row];
  const auto m = static_cast<double>(batch.queries[pair.query].size());
  out.at(steps, row) = m - 1;
  out.at(n_query, row) = m;
  out.at(n_ref, row) = static_cast<double>(batch.references[pair.reference].size());
}

}  // namespace

kernels::Rules rules_of(const Convention& convention, bool given_success) {
  kernels::Rules rules = batch::make_rules(MetricSet::of_paths(), convention, given_success, false);
  rules.quantities = kernels::quantity_all;
  return rules;
}

void RowWriter::clear(bool is_unreachable, std::uint32_t metrics) const {
  for (const Metric m : MetricSet::of_paths()) {
    if (is_unreachable && metrics >> index_of(m) & 1) scores.at(m, row) = std::nanf("");
  }
}

void RowWriter::flags(std::uint32_t bits) const {
  scores.zero_rules[row] = kernels::zero_rules_of(bits);
  scores.status[row] = definitions::status_of(bits);
}

float edge_length(const Distances& distances, std::span<const Node> path) {
  double length = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) length += distances.edge(path[i - 1], path[i]);
  return static_cast<float>(length);
}

Scores score_plainly(const PairBatch& batch, const Convention& convention) {
  using namespace kernels;
  const batch::DistanceTables tables(batch.scans, convention);
  const bool given_success = !batch.task_success.empty();
  const Rules rules = rules_of(convention, given_success);
  const bool edges = convention.edit_unit == EditUnit::edges;
  std::vector<Distances> scans;
  for (const Scan* scan : batch.scans) scans.emplace_back(*scan, convention.distance);
  Scores scores(batch.pairs.size());
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const Pair& pair = batch.pairs[row];
    const auto reference = batch.references[pair.reference], query = batch.queries[pair.query];
    const auto& at = tables[pair.scan];
    const TableView view{tables.distance() + at.base, at.pitch, at.pad};
    const std::vector<int> r(reference.begin(), reference.end()), q(query.begin(), query.end());
    const Measured m = measure_plainly(view, r, q, -1.0f / rules.threshold);
    const SweepResult<ScalarLanes> sums{.dtw = m.dtw,
                                        .coverage = sum(m.coverage),
                                        .deviation = sum(m.deviation),
                                        .length = sum(m.length),
                                        .max_deviation = m.max_deviation,
                                        .goal = m.goal,
                                        .nearest = m.nearest,
                                        .first = m.first,
                                        .edits = m.edits[edges]};
    const PairInputs<ScalarLanes> terms{
        .n = static_cast<int>(r.size()),
        .m = static_cast<int>(q.size()),
        .reference_length = tables.path_length(pair.scan, reference),
        .cls_query_length = edge_length(scans[pair.scan], query),
        .cls_reference_length = edge_length(scans[pair.scan], reference),
        .start_to_goal = view.between(r.front(), r.back()),
        .task_success = given_success ? static_cast<float>(batch.task_success[row]) : NAN};
    RowWriter writer{scores, row};
    MetricFormulas<ScalarLanes, quantity_all, RowWriter>(sums, terms, rules, writer).run();
    write_counts(batch, row, scores);
  }
  return scores;
}

std::vector<Convention> conventions() {
  std::vector<Convention> all;
  for (const Preset& preset : presets()) {
    if (definitions::is_of_paths(preset.convention)) all.push_back(preset.convention);
  }
  Convention other = all.front();
  other.preset = "other";
  other.distance = Distance::euclid_2d;
  other.threshold = 1.4178781489211116;
  other.ndtw_norm = NdtwNorm::reference_length;
  other.oracle = Compare::less;
  other.edit_unit = EditUnit::viewpoints;
  all.push_back(other);
  other.preset = "another";
  other.ndtw_norm = NdtwNorm::sqrt_nodes;
  other.ndtw_threshold = 2.25;
  other.spl_zero = SplZero::undefined;
  other.cls_zero = ClsZero::undefined;
  other.edit_norm = EditNorm::product;
  all.push_back(other);
  return all;
}

void expect_same_scores(const Scores& got, const Scores& want, const std::string& how) {
  ASSERT_EQ(got.size(), want.size()) << how;
  for (const MetricInfo& info : path_metric_table()) {
    const auto& a = got.column[info.metric];
    const auto& b = want.column[info.metric];
    ASSERT_EQ(a.size(), b.size()) << how << ": " << info.name;
    for (std::size_t row = 0; row < b.size(); ++row) {
      ASSERT_TRUE(same_bits(a[row], b[row]))
          << how << ": " << info.name << " " << a[row] << " != " << b[row] << ", row " << row
          << ", seed " << run_seed();
    }
  }
  for (std::size_t row = 0; row < want.size(); ++row) {
    ASSERT_EQ(got.status[row], want.status[row]) << how << ", row " << row;
    ASSERT_EQ(got.zero_rules[row], want.zero_rules[row]) << how << ", row " << row;
  }
}

}  // namespace warpath::testing
