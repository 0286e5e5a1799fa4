// Tests how tables are laid out: cleaned, folded, bold.

#include "host/program/report/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "host/files/io/wrap.hpp"
#include "host/program/report/metric_table.hpp"

namespace warpath::testing {
namespace {

using Style = report::Table::Style;

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, io::columns(line));
  return widest;
}

TEST(Table, EscapesTheMarkupOfItsStyle) {
  const report::Table table{{"a|b"}, {{"~^\\{}_\n"}}, "l"};
  EXPECT_NE(table.render(Style::markdown).find("| a\\|b "), std::string::npos);
  EXPECT_NE(table.render(Style::latex)
                .find("\\textasciitilde{}\\textasciicircum{}\\textbackslash{}\\{\\}\\_ "),
            std::string::npos);
  EXPECT_EQ(table.render(Style::text), "  a|b\n  ~^\\{}_\n");
}

TEST(Table, WritesTheGreekLettersOfCorrelationsInLatex) {
  const report::Table table{{"ρ", "τ"}, {{"0.5", "0.4"}}};
  const std::string text = table.render(Style::latex);
  EXPECT_NE(text.find("$\\rho$ & $\\tau$"), std::string::npos) << text;
}

TEST(Table, FoldsIntoEvenBlocksWithTheFirstColumnInEach) {
  const report::Table table{{"agent", "one", "two", "six"}, {{"a", "1", "2", "6"}}};
  EXPECT_EQ(table.render(Style::text), "  agent  one  two  six\n  a        1    2    6\n");
  EXPECT_EQ(table.render(Style::text, {17, false}),
            "  agent  one  two\n  a        1    2\n\n  agent  six\n  a        6\n");
  const report::Table four{{"agent", "one", "two", "six", "ten"}, {{"a", "1", "2", "6", "x"}}};
  EXPECT_EQ(four.render(Style::text, {22, false}),
            "  agent  one  two\n  a        1    2\n\n  agent  six  ten\n  a        6    x\n");
}

TEST(Table, RepeatsTheLastColumnInEveryBlockIfAsked) {
  report::Table table{{"agent", "one", "two", "n"}, {{"a", "1", "2", "9"}}};
  table.repeats_last = true;
  EXPECT_EQ(table.render(Style::text), "  agent  one  two  n\n  a        1    2  9\n");
  EXPECT_EQ(table.render(Style::text, {17, false}),
            "  agent  one  n\n  a        1  9\n\n  agent  two  n\n  a        2  9\n");
}

TEST(Table, FoldsToAnyWidth) {
  const report::Table table{{"a", "m"}, {{"x", "1"}}};
  EXPECT_EQ(table.render(Style::text, {2'000'000'000, false}), table.render(Style::text));
}

TEST(Table, PutsAColumnThatIsTooWideIntoItsOwnBlock) {
  const report::Table table{{"k", "0123456789", "b"}, {{"r", "x", "y"}}};
  const std::string text = table.render(Style::text, {8, false});
  EXPECT_NE(text.find("\n\n  k  b\n"), std::string::npos) << text;
}

TEST(Table, MarksBoldInItsStyleWithoutTakingColumns) {
  report::Table table{{"a", "m"}, {{"x", "0.5 ± 0.1"}, {"y", "0.4 ± 0.1"}}, "lr"};
  table.bold[{0, 1}] = 3;
  EXPECT_NE(table.render(Style::markdown).find("**0.5** ± 0.1"), std::string::npos);
  EXPECT_NE(table.render(Style::latex).find("\\textbf{0.5} $\\pm$ 0.1"), std::string::npos);
  EXPECT_EQ(table.render(Style::text).find('\x1b'), std::string::npos);
  EXPECT_EQ(table.render(Style::text, {0, true}),
            "  a          m\n  x  \x1b[1m0.5\x1b[0m ± 0.1\n  y  0.4 ± 0.1\n");
}

TEST(Table, WritesLatexWithTheRulesOfBooktabs) {
  const report::Table table{{"a", "m"}, {{"[x]", "1"}}};
  EXPECT_EQ(table.render(Style::latex),
            "\\begin{tabular}{lr}\n  \\toprule\n  a       & m \\\\\n  \\midrule\n"
            "  {[}x{]} & 1 \\\\\n  \\bottomrule\n\\end{tabular}\n");
}

// ---------------------------------------------------------------- means

Estimate estimate(double mean, double below, double above, std::uint64_t n, std::uint64_t of) {
  return {mean, std::array{mean - below, mean + above}, n, of, n};
}

ItemSummary summary(const Estimate& sr, const Estimate& ne) {
  ItemSummary s;
  s.estimates[Metric::SR] = sr;
  s.estimates[Metric::NE] = ne;
  return s;
}

const std::vector<report::MetricColumn> sr_and_ne{{info(Metric::SR), ""}, {info(Metric::NE), "m"}};

TEST(EstimateText, ShowsTheInterval) {
  const MetricInfo& sr = info(Metric::SR);
  const auto text = [&](const Estimate& e, report::NumberStyle style = {}) {
    const report::EstimateText t = report::estimate_text(e, sr, style);
    return t.mean + t.interval;
  };
  EXPECT_EQ(text(estimate(0.6709, 0.0252, 0.0252, 9, 9)), "0.6709 ± 0.0252");
  EXPECT_EQ(text({1.0, std::array{0.9877, 1.0}, 9, 9, 9}), "1.0000 −0.0123");
  EXPECT_EQ(text({0.0, std::array{0.0, 0.0123}, 9, 9, 9}), "0.0000 +0.0123");
  EXPECT_EQ(text(estimate(0.5, 0.25, 0.125, 9, 9)), "0.5000 −0.2500 +0.1250");
  EXPECT_EQ(text({0.5, std::nullopt, 9, 9, 1}), "0.5000 ± –");
  EXPECT_EQ(text({std::nullopt, std::nullopt, 0, 9, 0}), "–");
  EXPECT_EQ(text(estimate(0.67091, 0.1, 0.1, 9, 9), {2, false, true}), "0.67 ± 0.10");
  EXPECT_EQ(text(estimate(0.67091, 0.1, 0.1, 9, 9), {4, true, false}), "67.09");
  EXPECT_EQ(text(estimate(0.67091, 0.1, 0.1, 9, 9), {1, true, false}), "67");
}

TEST(EstimateText, GivesLengthsOneDecimalFewerAndZeroNoSign) {
  const MetricInfo& gp = info(Metric::GP);
  EXPECT_EQ(report::estimate_text(estimate(-1.2345, 0, 0, 9, 9), gp, {}).mean, "-1.234");
  EXPECT_EQ(report::estimate_text(estimate(-1e-6, 0, 0, 9, 9), gp, {}).mean, "0.000");
}

TEST(MetricTable, ShowsTheNumberOfItemsOfEachMean) {
  const ItemSummary all = summary(estimate(0.5, 0.1, 0.1, 9, 9), estimate(2, 1, 1, 9, 9));
  const ItemSummary some = summary(estimate(0.5, 0.1, 0.1, 8, 9), estimate(2, 1, 1, 3, 9));
  const report::Table table =
      report::make_metric_table("agent", {{"a", all}, {"b", some}}, sr_and_ne, {});
  EXPECT_EQ(table.header, (std::vector<std::string>{"agent", "SR ↑", "NE (m) ↓", "n"}));
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"a", "0.5000 ± 0.1000", "2.000 ± 1.000", "9"}));
  EXPECT_EQ(table.rows[1],
            (std::vector<std::string>{"b", "0.5000 ± 0.1000", "2.000 ± 1.000 (3 of 9)", "8 of 9"}));
}

TEST(MetricTable, RepeatsNIfRowsHaveDifferentItems) {
  const auto agent = [](std::uint64_t n, std::uint64_t of) {
    return summary(estimate(0.5, 0.1, 0.1, n, of), estimate(2, 1, 1, n, of));
  };
  const auto repeats = [&](const ItemSummary& a, const ItemSummary& b) {
    return report::make_metric_table("agent", {{"a", a}, {"b", b}}, sr_and_ne, {}).repeats_last;
  };
  EXPECT_FALSE(repeats(agent(9, 9), agent(9, 9)));
  EXPECT_TRUE(repeats(agent(9, 9), agent(8, 9)));
  EXPECT_TRUE(repeats(agent(8, 9), agent(8, 9))) << "not full";
  EXPECT_TRUE(repeats(agent(9, 9), agent(8, 8)));
}

using BoldCells = std::vector<std::pair<std::size_t, std::size_t>>;

BoldCells bold_of(const std::vector<ItemSummary>& summaries) {
  std::vector<report::MetricRow> rows;
  for (const ItemSummary& s : summaries) rows.push_back({"x", s});
  report::Table table = report::make_metric_table("agent", rows, sr_and_ne, {});
  report::mark_best(table, rows, sr_and_ne, {});
  BoldCells cells;
  for (const auto& [cell, bytes] : table.bold) cells.push_back(cell);
  return cells;
}

TEST(MetricTable, MarksTheBestOfEachMetricBold) {
  const auto agent = [](double sr, double ne, std::uint64_t n = 9) {
    return summary(estimate(sr, 0.1, 0.1, n, 9), estimate(ne, 1, 1, 9, 9));
  };
  EXPECT_EQ(bold_of({agent(0.5, 2), agent(0.6, 3)}), (BoldCells{{0, 2}, {1, 1}}));
  EXPECT_EQ(bold_of({agent(0.6, 2), agent(0.60000001, 3)}), (BoldCells{{0, 1}, {0, 2}, {1, 1}}))
      << "what prints the same ties";
  EXPECT_EQ(bold_of({agent(0.5, 2), agent(0.6, 3, 8)}), (BoldCells{{0, 2}}))
      << "means over different items are not compared";
  EXPECT_EQ(bold_of({agent(0.5, 2)}), BoldCells{}) << "one agent has no rival";
}

// ---------------------------------------------------------------- lines

TEST(Wrap, BreaksAtSpacesAndIndentsLaterLines) {
  EXPECT_EQ(io::wrap("one two three", 9, "", "  "), "one two\n  three\n");
  EXPECT_EQ(io::wrap("one", 2, "- ", "  "), "- one\n");
  EXPECT_EQ(io::wrap("äöü äöü", 7), "äöü äöü\n") << "letters, not bytes";
  EXPECT_LE(widest_line(io::wrap(std::string(60, 'x') + " y z", 62)), 62u);
}

TEST(Wrap, ShortensLongNamesInTheMiddle) {
  EXPECT_EQ(io::shortened_to_width("abcdefghij", 10), "abcdefghij");
  EXPECT_EQ(io::shortened_to_width("abcdefghij", 5), "ab…ij");
  EXPECT_EQ(io::shortened_to_width("äbcdefghïj", 5), "äb…ïj");
}

}  // namespace
}  // namespace warpath::testing
