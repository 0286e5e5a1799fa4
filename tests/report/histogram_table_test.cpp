#include "host/program/report/histogram_table.hpp"

#include <gtest/gtest.h>

namespace warpath::testing {
namespace {

Histogram of(std::initializer_list<double> values) {
  Histogram histogram(Unit::length);
  for (const double value : values) histogram.add(value);
  return histogram;
}

TEST(HistogramTable, ShowsCountsAndSharesSideBySide) {
  const Histogram a = of({2.5, 3.5, 5.0, 5.5}), b = of({9.0});
  const report::NamedHistogram both[]{{"A", &a}, {"B", &b}};
  const report::Table table = report::histogram_table("x, m", both, 2);
  EXPECT_EQ(table.header, (std::vector<std::string>{"x, m", "A", "", "B", ""}));
  const std::vector<std::vector<std::string>> rows{{"2 to 4", "2", std::string(10, '='), "0", ""},
                                                   {"4 to 6", "2", std::string(10, '='), "0", ""},
                                                   {"6 to 8", "0", "", "0", ""},
                                                   {"8 to 10", "0", "", "1", std::string(20, '=')}};
  EXPECT_EQ(table.rows, rows);
}

TEST(HistogramTable, NamesSingleBinsAndOverflow) {
  const Histogram a = of({63.0, 70.0, 80.0});
  const report::NamedHistogram one[]{{"A", &a}};
  const report::Table table = report::histogram_table("x", one);
  const std::vector<std::vector<std::string>> rows{{"63", "1", std::string(10, '=')},
                                                   {"64 or more", "2", std::string(20, '=')}};
  EXPECT_EQ(table.rows, rows);
}

TEST(HistogramTable, HasNoRowsWithoutValues) {
  const Histogram empty = of({});
  const report::NamedHistogram one[]{{"A", &empty}};
  EXPECT_TRUE(report::histogram_table("x", one).rows.empty());
}

}  // namespace
}  // namespace warpath::testing
