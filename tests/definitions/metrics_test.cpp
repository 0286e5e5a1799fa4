// Tests the table of metrics: its texts for users, and the worked example of its header.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "host/core/definitions/metric_traits.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/sweep/quantities.hpp"
#include "tests/support/files.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

double spl_of_example = 0.0;

Scores score_example() {
  // The header contains the following lines.
  const Edge edges[] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}};
  const Scan street("street", {"a", "b", "c", "d", "e"},
                    {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {5, 0, 0}, {4, 2, 0}}, edges);
  PairBatch batch;
  batch.scans = {&street};
  batch.references.elements = {0, 1, 2, 3};
  batch.queries.elements = {0, 1, 2, 4};
  batch.pairs = {{0, batch.references.end_path(), batch.queries.end_path()}};
  batch.n_query_raw = {4};
  const Scores scores = score(batch, Convention{}, Backend::reference);
  const double spl = scores.at(Metric::SPL, 0);
  // This is the end of the example.
  spl_of_example = spl;
  return scores;
}

std::string trimmed(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin);
}

std::vector<std::string> lines_of(const std::string& file) {
  std::istringstream text(read_text(source(file)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(trimmed(line));
  return lines;
}

// Returns the lines of `file` from the one that begins with `first` to the one that begins with
// `last`.
std::vector<std::string> between(const std::string& file, const std::string& first,
                                 const std::string& last) {
  std::vector<std::string> found;
  for (std::string line : lines_of(file)) {
    if (line.starts_with("///")) line = trimmed(line.substr(3));
    if (found.empty() && !line.starts_with(first)) continue;
    found.push_back(line);
    if (line.starts_with(last)) return found;
  }
  ADD_FAILURE() << file << " has no lines from '" << first << "' to '" << last << "'";
  return {};
}

// Returns the header's comment on each metric of paths; those of tasks follow an empty line.
std::map<std::string, std::string> header_comments() {
  std::map<std::string, std::string> comments;
  std::string comment;
  bool is_inside = false;
  for (const std::string& line : lines_of("include/warpath/metrics.hpp")) {
    if (line.empty() && is_inside) break;
    if (is_inside && line.starts_with("///")) {
      comment += line.substr(3);
    } else if (is_inside) {
      comments[line.substr(0, line.find(','))] = std::exchange(comment, "");
    }
    if (line == "enum class Metric {") is_inside = true;
  }
  return comments;
}

// Returns the number after the last '=', without its unit.
std::string result_in(const std::string& comment) {
  std::string number = comment.substr(comment.rfind("= ") + 2);
  number.resize(number.find_first_of(" ,") == std::string::npos ? number.size()
                                                                : number.find_first_of(" ,"));
  if (number.ends_with('.')) number.pop_back();
  return number;
}

TEST(MetricsHeader, BuildsItsExampleAsThisTestDoes) {
  const std::string first = "const Edge edges[]", last = "const double spl";
  EXPECT_EQ(between("include/warpath/metrics.hpp", first, last),
            between("tests/definitions/metrics_test.cpp", first, last));
  score_example();
  EXPECT_DOUBLE_EQ(spl_of_example, 5.0 / 6);
}

TEST(MetricsHeader, ComputesEveryMetricOfTheExampleCorrectly) {
  const Scores scores = score_example();
  const auto comments = header_comments();
  ASSERT_EQ(comments.size(), static_cast<std::size_t>(path_metric_count));
  for (const MetricInfo& m : path_metric_table()) {
    const std::string& comment = comments.at(std::string(m.name));
    EXPECT_EQ(result_in(comment), fmt::format("{:.6g}", scores.at(m.metric, 0))) << comment;
    EXPECT_NE(comment.find(formula(m.metric, Convention{})), std::string::npos) << comment;
  }
}

TEST(Formula, FollowsTheConvention) {
  const Convention paper;
  const auto& duet = find_preset("duet").convention;
  const auto& valan = find_preset("valan").convention;
  EXPECT_EQ(formula(Metric::SR, paper), "1[NE ≤ d_th]");
  EXPECT_EQ(formula(Metric::SR, valan), "1[NE < d_th]");
  EXPECT_EQ(formula(Metric::OSR, duet), "1[ONE < d_th]");
  EXPECT_EQ(formula(Metric::SPL, duet), "SR · PLR / max(PL, PLR, 0.01)");
  EXPECT_EQ(formula(Metric::SED, valan), "SR · (1 − ED / (|R| · |Q|))");
  EXPECT_EQ(formula(Metric::SED, paper), "SR · (1 − ED / max(|R| − 1, |Q| − 1))");
  EXPECT_EQ(formula(Metric::ED, valan), "Levenshtein(R, Q)");
  EXPECT_EQ(formula(Metric::DTW, valan), "min over warpings Σ d(q_j, r_i) / PL(R)");
  EXPECT_EQ(formula(Metric::nDTW, valan), "exp(−DTW · PL(R) / (|R| · d_th))");
  Convention root;
  root.ndtw_norm = NdtwNorm::sqrt_nodes;
  EXPECT_EQ(formula(Metric::nDTW, root), "exp(−DTW / (√|R| · d_th))");
}

TEST(MetricTraits, HaveACountOnlyForNumbersOfViewpoints) {
  const definitions::PathSizes sizes{.reference = 5, .query = 7, .query_raw = 9};
  std::map<Metric, std::size_t> counts;
  for (const Metric m : MetricSet::of_paths()) {
    if (definitions::traits(m).count != nullptr) counts[m] = sizes.*definitions::traits(m).count;
  }
  using enum Metric;
  EXPECT_EQ(counts, (std::map<Metric, std::size_t>{
                        {steps, 6}, {n_query, 7}, {n_query_raw, 9}, {n_ref, 5}}));
}

TEST(MetricTraits, RequestTheReferenceLengthOnlyIfItDivides) {
  using enum Metric;
  Convention c;
  EXPECT_EQ(definitions::quantities_of({DTW, nDTW}, c, false), kernels::quantity_dtw);
  c.ndtw_norm = NdtwNorm::reference_length;
  EXPECT_EQ(definitions::quantities_of({DTW}, c, false), kernels::quantity_dtw);
  EXPECT_EQ(definitions::quantities_of({nDTW}, c, false),
            kernels::quantity_dtw | kernels::quantity_reference);
  EXPECT_EQ(definitions::quantities_of({SDTW}, Convention{}, false),
            kernels::quantity_dtw | kernels::quantity_goal);
  EXPECT_EQ(definitions::quantities_of({SDTW}, Convention{}, true), kernels::quantity_dtw);
  EXPECT_EQ(definitions::quantities_of(MetricSet::of_paths(), c, false), kernels::quantity_all);
  EXPECT_EQ(definitions::quantities_of({n_ref, steps}, c, false), 0u);
}

TEST(Statuses, OfPairsHaveAFlagEach) {
  for (int s = 1; s < status_count; ++s) {
    const auto status = static_cast<Status>(s);
    EXPECT_EQ(info(status).is_of_pairs, definitions::flag_of(status) != 0) << info(status).name;
    if (definitions::flag_of(status) == 0) continue;
    EXPECT_EQ(definitions::status_of(definitions::flag_of(status)), status);
  }
  EXPECT_EQ(definitions::status_of(0), Status::ok);
}

TEST(Statuses, ReportTheMostSevereFlag) {
  for (int a = 1; a < status_count; ++a) {
    for (int b = 1; b < status_count; ++b) {
      const auto first = static_cast<Status>(a), second = static_cast<Status>(b);
      if (definitions::flag_of(first) == 0 || definitions::flag_of(second) == 0) continue;
      EXPECT_EQ(definitions::status_of(definitions::flag_of(first) | definitions::flag_of(second)),
                more_severe(first, second));
    }
  }
}

TEST(ZeroRules, EqualTheFlagsOfTheirNames) {
  using enum ZeroByZero;
  const std::uint8_t rules = kernels::zero_rules_of(
      kernels::flag_zero_spl | kernels::flag_zero_sed | kernels::flag_unreachable);
  EXPECT_TRUE(contains(rules, SPL) && contains(rules, SED));
  EXPECT_FALSE(contains(rules, LS));
  EXPECT_TRUE(contains(kernels::zero_rules_of(kernels::flag_zero_ls), LS));
  EXPECT_EQ(kernels::zero_rules_of(
                ~(kernels::flag_zero_spl | kernels::flag_zero_ls | kernels::flag_zero_sed)),
            0);
}

}  // namespace
}  // namespace warpath::testing
