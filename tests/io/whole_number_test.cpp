// Tests how whole numbers are read from the command line.

#include "host/files/io/whole_number.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace warpath::testing {
namespace {

TEST(WholeNumber, IsReadUpToSixtyFourBits) {
  EXPECT_EQ(io::parse_whole_number("0"), 0u);
  EXPECT_EQ(io::parse_whole_number("18446744073709551615"), ~std::uint64_t{0});
}

TEST(WholeNumber, IsNothingElse) {
  for (const char* text :
       {"", "-1", "+1", "01", " 1", "1 ", "1e6", "1.0", "x", "18446744073709551616"}) {
    EXPECT_FALSE(io::parse_whole_number(text)) << text;
  }
}

TEST(Count, IsReadAsPeopleWriteIt) {
  const std::pair<const char*, std::uint64_t> counts[] = {
      {"0", 0},
      {"17", 17},
      {"1e9", 1'000'000'000},
      {"1E3", 1000},
      {"1e+3", 1000},
      {"1.5e9", 1'500'000'000},
      {"1G", 1'000'000'000},
      {"1.5k", 1500},
      {"2M", 2'000'000},
      {"1_000_000", 1'000'000},
      {"1.0", 1},
      {"12.30e1", 123},
      {"1e19", 10'000'000'000'000'000'000u},
      {"18446744073709551615", ~std::uint64_t{0}}};
  for (const auto& [text, count] : counts) {
    EXPECT_EQ(io::parse_count(text), count) << text;
  }
}

TEST(Count, IsWholeAndOfSixtyFourBits) {
  for (const char* text : {"",
                           "-1",
                           "+1",
                           "01",
                           " 1",
                           "1 ",
                           "x",
                           "1e",
                           "e9",
                           "1e-3",
                           "1000e-3",
                           "1.5",
                           "1.25e1",
                           ".5e1",
                           "5.e1",
                           "1m",
                           "1_",
                           "_1",
                           "1__0",
                           "0x10",
                           "10^9",
                           "1e3k",
                           "nan",
                           "1e400",
                           "2e19",
                           "18446744073709551616",
                           "1e99999999999"}) {
    EXPECT_FALSE(io::parse_count(text)) << text;
  }
}

}  // namespace
}  // namespace warpath::testing
