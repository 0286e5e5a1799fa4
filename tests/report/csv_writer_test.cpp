// Tests that a number which equals one of the last is written as any other.

#include "host/program/report/csv_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace warpath::testing {
namespace {

TEST(CsvWriter, WritesANumberThatEqualsARecentOne) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array values{0.1, 0.1, nan,   nan,   0.0,     -0.0, -0.0,
                          3.0, 3.0, 1e300, 1e300, 1.0 / 3, 0.1};
  for (const bool is_double : {false, true}) {
    report::CsvWriter plain, repeating;
    report::RecentNumbers recent;
    for (const double value : values) {
      for (report::CsvWriter* csv : {&plain, &repeating}) csv->text("id");
      plain.number(value, is_double);
      repeating.number(value, is_double, recent);
      for (const double other : {0.5, 0.1}) {  // of which one ends the row
        plain.number(other, is_double);
        repeating.number(other, is_double, recent);
      }
      for (report::CsvWriter* csv : {&plain, &repeating}) csv->end_row();
    }
    EXPECT_EQ(repeating.take(), plain.take());
  }
}

}  // namespace
}  // namespace warpath::testing
