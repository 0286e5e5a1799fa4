// Tests that `warpath selftest` and `warpath bench` run, and that the self-test detects errors.

#include "host/checks/selftest/selftest.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <sstream>

#include "host/checks/benchmark/timing.hpp"
#include "host/checks/compare.hpp"
#include "host/checks/pairs.hpp"
#include "host/checks/point_pairs.hpp"
#include "host/checks/selftest/point_checks.hpp"
#include "host/checks/selftest/primitives.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/reference/reference.hpp"
#include "host/program/cli/cli.hpp"
#include "tests/support/files.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

struct Ran {
  int code;
  std::string out, err;
};

Ran run(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const int code = cli::run_cli(arguments, out, err);
  return {code, out.str(), err.str()};
}

TEST(Selftest, PassesOnThisMachine) {
#if defined(WARPATH_SANITIZED)
  const char* pairs = "50";
#else
  const char* pairs = "2000";
#endif
  const Ran ran = run({"selftest", "--pairs", pairs});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("\nPASS, back end cpu, seed "), std::string::npos) << ran.out;
  for (const char* row : {"lanes: fma", "DTW against the reference", "same bits: portable",
                          "points against the reference", "points, same bits: portable",
                          "points, same bits: threads"}) {
    EXPECT_NE(ran.out.find(row), std::string::npos) << row;
  }
}

TEST(Selftest, TestsTheReferenceToo) {
  const Ran ran = run({"selftest", "--pairs", "40", "--backend", "reference", "--seed", "7"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("\nPASS, back end reference, seed 7\n"), std::string::npos);
  EXPECT_NE(ran.out.find("points, same bits: order of pairs"), std::string::npos);
}

TEST(Selftest, RejectsUnknownBackEnds) {
  for (const char* command : {"selftest", "bench"}) {
    const Ran ran = run({command, "--backend", "abacus"});
    EXPECT_EQ(ran.code, 2);
    EXPECT_NE(ran.err.find("abacus"), std::string::npos);
    EXPECT_TRUE(ran.out.empty());
  }
  EXPECT_EQ(run({"selftest", "--pairs", "0"}).code, 2);
  EXPECT_EQ(run({"bench", "--seconds", "0"}).code, 2);
  const Ran rows = run({"bench", "--rows", "("});
  EXPECT_EQ(rows.code, 2);
  EXPECT_NE(rows.err.find("--rows (: "), std::string::npos) << rows.err;
}

TEST(Selftest, FailsWhereAnyCheckFails) {
  EXPECT_TRUE(passed({{"one", 1, 0.0, 0.0, true}, {"two", 1, 0.0, 0.0, true}}));
  EXPECT_FALSE(passed({{"one", 1, 0.0, 0.0, true}, {"two", 1, 3.0, 0.0, false}}));
  EXPECT_FALSE(passed({}));
}

// Makes scores to be falsified, of pairs long enough that no metric is always 0.
class SelftestComparison : public ::testing::Test {
 protected:
  SelftestComparison() : random(3), made(adversarial_pairs(random, 300, false)) {
    expected = got = reference::score(made.batch, convention);
  }

  // Returns a pair whose metrics are all above 0.
  std::size_t row() const {
    for (std::size_t k = 0; k < expected.size(); ++k) {
      bool good = expected.status[k] == Status::ok && made.batch.references[k].size() > 4;
      for (const Metric m : MetricSet::of_paths())
        good = good && std::abs(expected.at(m, k)) > 0.01;
      if (good) return k;
    }
    ADD_FAILURE() << "no such pair";
    return 0;
  }

  double worst(Metric m) const {
    return compare(got, expected, made.batch, convention).metric[m].worst;
  }

  Random random;
  SyntheticBatch made;
  Convention convention;
  Scores expected, got;
};

TEST_F(SelftestComparison, FailsForAnErrorInAnyMetric) {
  const std::size_t k = row();
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_EQ(worst(m.metric), 0.0) << m.name;
    const double right = expected.at(m.metric, k);
    for (const double wrong :
         {right * (1 + 1e-4), right * (1 - 1e-4), 0.0, std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN()}) {
      got.at(m.metric, k) = wrong;
      EXPECT_GT(worst(m.metric), allowed(m.metric)) << m.name << " " << right << " " << wrong;
    }
    got.at(m.metric, k) = right;
  }
}

TEST_F(SelftestComparison, AllowsRounding) {
  for (auto& column : got.column) {
    for (double& value : column) value = static_cast<float>(value);
  }
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_LE(worst(m.metric), allowed(m.metric)) << m.name;
  }
  EXPECT_GT(compare_bits(got, expected, MetricSet::of_paths()).count, 0u);
}

TEST_F(SelftestComparison, FailsForInventedAndMissingValues) {
  Metric m = Metric::PL;
  const std::size_t k = row();
  expected.at(m, k) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(worst(m)));
  got.column[m].clear();
  expected = reference::score(made.batch, convention);
  EXPECT_TRUE(std::isinf(worst(m)));
}

TEST_F(SelftestComparison, FailsForASingleWrongBit) {
  const MetricSet all = MetricSet::of_paths();
  const Mismatches before = compare_bits(got, expected, all);
  EXPECT_EQ(before.cases, expected.size() * path_metric_count);
  EXPECT_EQ(before.count, 0u);
  double& value = got.at(Metric::DTW, row());
  value = std::nextafter(value, 0.0);
  EXPECT_EQ(compare_bits(got, expected, all).count, 1u);
  MetricSet others = all;
  others.erase(Metric::DTW);
  EXPECT_EQ(compare_bits(got, expected, others).count, 0u);
}

TEST_F(SelftestComparison, FailsForAWrongStatus) {
  got.status[5] = Status::dtw_undefined;
  got.zero_rules[7] ^= bit_of(ZeroByZero::SED);
  const Mismatches found = compare(got, expected, made.batch, convention).status;
  EXPECT_EQ(found.cases, expected.size());
  EXPECT_EQ(found.count, 2u);
}

// ---------------------------------------------------------------- continuous paths

// Makes scores of continuous paths to be falsified.
class SelftestPointComparison : public ::testing::Test {
 protected:
  SelftestPointComparison() : random(4), batch(adversarial_point_pairs(random, 200, false)) {
    expected = got = score(batch, convention, Backend::reference);
  }

  // Returns a pair whose metrics are all above 0.
  std::size_t row() const {
    for (std::size_t k = 0; k < expected.size(); ++k) {
      bool good = expected.status[k] == Status::ok && batch.references.size_of(k) > 4;
      for (const Metric m : MetricSet::of_paths())
        good = good && std::abs(expected.at(m, k)) > 0.01;
      if (good) return k;
    }
    ADD_FAILURE() << "no such pair";
    return 0;
  }

  Mismatches against_reference() const {
    return compare_with_reference(got, expected, batch, convention);
  }
  Mismatches bits() const { return compare_bits(got, expected, batch, convention); }

  Random random;
  PointBatch batch;
  Convention convention;
  Scores expected, got;
};

TEST_F(SelftestPointComparison, FailsForAndNamesAnErrorInAnyMetric) {
  EXPECT_EQ(against_reference().count, 0u);
  EXPECT_EQ(against_reference().cases, expected.size() * (path_metric_count + 1));
  const std::size_t k = row();
  for (const MetricInfo& m : path_metric_table()) {
    const double right = expected.at(m.metric, k);
    for (const double wrong :
         {right * (1 + 1e-3), right * (1 - 1e-3), 0.0, std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN()}) {
      got.at(m.metric, k) = wrong;
      const Mismatches found = against_reference();
      EXPECT_EQ(found.count, 1u) << m.name << " " << right << " " << wrong;
      EXPECT_GT(found.worst, 1.0) << m.name;
      EXPECT_TRUE(found.first.starts_with(std::string(m.name) + " of ")) << found.first;
    }
    got.at(m.metric, k) = right;
  }
}

TEST_F(SelftestPointComparison, AllowsRounding) {
  for (auto& column : got.column) {
    for (double& value : column) value = static_cast<float>(value);
  }
  EXPECT_EQ(against_reference().count, 0u) << against_reference().first;
  EXPECT_GT(against_reference().worst, 0.0);
  EXPECT_GT(bits().count, 0u);
}

TEST_F(SelftestPointComparison, FailsForASingleWrongBit) {
  EXPECT_EQ(bits().count, 0u);
  double& value = got.at(Metric::DTW, row());
  value = std::nextafter(value, 0.0);
  EXPECT_EQ(bits().count, 1u);
  EXPECT_EQ(against_reference().count, 0u) << "it may round";
}

TEST_F(SelftestPointComparison, FailsForWrongStatusesAndMissingValues) {
  got.status[5] = Status::dtw_undefined;
  got.zero_rules[7] ^= bit_of(ZeroByZero::SED);
  EXPECT_EQ(against_reference().count, 2u);
  EXPECT_TRUE(bits().first.starts_with("status of ")) << bits().first;
  got = expected;
  got.column[Metric::PL].clear();
  EXPECT_EQ(bits().count, expected.size());
  EXPECT_EQ(against_reference().count, expected.size());
}

// Scores wrongly, but only pairs of one length.
Scores spoiled_scores(const PointBatch& batch, const Convention& convention) {
  Scores scores = score(batch, convention, Backend::reference);
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const std::size_t n = batch.references.size_of(batch.pairs[row].reference);
    if (n == 7) scores.at(Metric::MD, row) += 0.25;
  }
  return scores;
}

Scores right_scores(const PointBatch& batch, const Convention& convention) {
  return score(batch, convention, Backend::reference);
}

TEST(PointChecks, NameTheWrongMetricAndPair) {
  Random random(6);
  PointBatch batch = point_walks(random, {5, 9}, 3);
  const PointBatch others = point_walks(random, {7, 12}, 2);
  const Convention convention = find_preset("r4r").convention;
  PointChecks sound({{"this", right_scores}, {"that", right_scores}});
  PointChecks wrong({{"this", spoiled_scores}, {"that", right_scores}});
  PointChecks unlike({{"this", right_scores}, {"that", spoiled_scores}, {"third", right_scores}});
  for (PointChecks* checks : {&sound, &wrong, &unlike}) {
    checks->add(batch, convention);
    checks->add(others, convention);
  }
  EXPECT_TRUE(passed(sound.results()));
  const std::string pair = "MD of 7 x 12 points, pair 0, r4r";
  const std::vector<Check> told = wrong.results();
  EXPECT_FALSE(told[0].ok);
  EXPECT_EQ(told[0].name, "points against the reference: " + pair);
  EXPECT_GT(told[0].worst, 1.0);
  const std::vector<Check> of_ways = unlike.results();
  ASSERT_EQ(of_ways.size(), 3u);
  EXPECT_TRUE(of_ways[0].ok);
  EXPECT_FALSE(of_ways[1].ok);
  EXPECT_EQ(of_ways[1].name, "points, same bits: that: " + pair);
  EXPECT_EQ(of_ways[1].worst, 2.0);
  EXPECT_TRUE(of_ways[2].ok);
  EXPECT_FALSE(PointChecks({{"this", right_scores}}).results()[0].ok) << "nothing was looked at";
}

TEST(SyntheticPoints, CoverAllLengthsAndSpecialCases) {
  Random random(2);
  const PointBatch batch = adversarial_point_pairs(random, 1500, true);
  std::set<std::size_t> lengths, of_queries;
  std::size_t meeting = 0, repeating = 0, far = 0;
  for (const PointPair& pair : batch.pairs) {
    const auto r = batch.references[pair.reference], q = batch.queries[pair.query];
    lengths.insert(r.size());
    of_queries.insert(q.size());
    meeting += std::ranges::find_first_of(q, r) != q.end();
    repeating += std::ranges::adjacent_find(q) != q.end();
    far += std::abs(r[0][0]) > 1e4;
  }
  for (const auto* all : {&lengths, &of_queries}) {
    EXPECT_EQ(*all->begin(), 1u);
    EXPECT_GT(*all->rbegin(), 4096u);
    for (const std::size_t above : {16, 64, 256, 600}) {
      EXPECT_NE(all->upper_bound(above), all->upper_bound(2 * above)) << above;
    }
  }
  for (const std::size_t some : {meeting, repeating, far}) {
    EXPECT_GT(some, 200u);
    EXPECT_LT(some, 1300u);
  }
  EXPECT_LT(batch.references.size(), batch.pairs.size() - 100) << "shared references";
  const Scores scores = score(batch, find_preset("r4r").convention);
  for (const Status status : {Status::ok, Status::cls_undefined, Status::no_task_success}) {
    EXPECT_GT(std::ranges::count(scores.status, status), 0) << info(status).name;
  }
  const PointBatch few = adversarial_point_pairs(random, 7, false);
  EXPECT_GT(few.references.elements.size() + few.queries.elements.size(), 4096u)
      << "each class once";
}

// ---------------------------------------------------------------- primitives

// Falsifies one lane of one operation.
template <Primitive primitive>
void spoiled(const Arguments& in, Results& out) {
  portable_primitives.shapes[3].apply(in, out);
  out.word[primitive][17] ^= 1;
}

template <Primitive primitive>
void expect_seen() {
  PrimitiveUnit unit = portable_primitives;
  unit.shapes[3].apply = spoiled<primitive>;
  for (const PrimitiveCheck& check : check_primitives(unit, 5)) {
    EXPECT_EQ(check.wrong > 0, check.primitive == primitive) << check.name;
  }
}

TEST(Primitives, FailWhereOneLaneIsWrong) {
  expect_seen<lane_min3>();
  expect_seen<lane_shift_up>();
  expect_seen<lane_gather>();
  expect_seen<lane_border>();
  expect_seen<lane_exp>();
  expect_seen<lane_bits>();
  expect_seen<lane_philox>();
  expect_seen<lane_multiply>();
  expect_seen<lane_choose>();
}

TEST(Primitives, IncludeThePortableSetOnEveryMachine) {
  const auto isas = cpu::usable_kernels();
  ASSERT_FALSE(isas.empty());
  EXPECT_STREQ(isas.back()->name, "portable");
  EXPECT_LE(exp_error(11), exp_error_allowed);
}

TEST(SyntheticPairs, CoverAllLengthsAndSpecialCases) {
  Random random(2);
  const SyntheticBatch made = adversarial_pairs(random, 4000, true);
  const Scores scores = reference::score(made.batch, find_preset("r4r").convention);
  std::size_t longest = 0, shortest = 1000;
  for (std::size_t p = 0; p < made.batch.references.size(); ++p) {
    longest = std::max(longest, made.batch.references[p].size());
    shortest = std::min(shortest, made.batch.references[p].size());
  }
  EXPECT_GE(longest, 1000u);
  EXPECT_EQ(shortest, 1u);
  EXPECT_LT(made.batch.references.size(), made.batch.pairs.size());
  for (const Status status : {Status::ok, Status::unreachable, Status::length_undefined,
                              Status::cls_undefined, Status::no_task_success}) {
    EXPECT_GT(std::ranges::count(scores.status, status), 0) << info(status).name;
  }
}

TEST(Bench, FindsItsMetricsByName) {
  const std::vector<benchmark::NamedSet> sets =
      benchmark::named_sets({"ED", "DTW nDTW PC AD MD ED", "everything"});
  const std::size_t metrics[] = {1, 6, path_metric_count};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(sets[k].metrics.size(), metrics[k]);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(sets[k].metrics[Metric::ED]);
}

TEST(Bench, PrintsEveryShape) {
  const Ran ran = run({"bench", "--seconds", "0.005"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  for (const char* shape :
       {"R2R-like 6x6", "R4R-like 12x14", "mixed 5-20 x 5-40", "shared reference 12x14",
        "long 1000x1000", "points 60x80", "points 1000x1000"}) {
    EXPECT_NE(ran.out.find(shape), std::string::npos) << shape;
  }
  for (const char* part : {"back end cpu", "CPUs", "DTW nDTW PC AD MD", "DTW nDTW PC AD MD ED",
                           "everything", "1 thread", "Gcells/s, 1 thread"}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part;
  }
  const testing::TemporaryFolder folder;
  const std::string file = folder.path("bench.json");
  const Ran reference =
      run({"bench", "--seconds", "0.001", "--backend", "reference", "--json", file});
  EXPECT_EQ(reference.code, 0) << reference.err;
  simdjson::dom::parser parser;
  const auto json = parser.load(file);
  EXPECT_EQ(std::string_view(json["back_end"]), "reference");
  EXPECT_EQ(simdjson::dom::array(json["cpu"]).size(), 7u);
  EXPECT_GT(double(json["cpu"].at(0)["reference"]), 0.0);
  EXPECT_EQ(simdjson::dom::array(json["rows"]).size(), 0u);
  EXPECT_NE(reference.out.find("back end reference"), std::string::npos);
}

}  // namespace
}  // namespace warpath::selftest
