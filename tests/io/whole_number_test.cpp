// Tests how whole numbers are read from the command line.

#include "host/io/whole_number.hpp"

#include <gtest/gtest.h>

namespace warpath::testing {
namespace {

TEST(WholeNumber, IsReadUpToSixtyFourBits) {
  EXPECT_EQ(parse_whole_number("0"), 0u);
  EXPECT_EQ(parse_whole_number("18446744073709551615"), ~std::uint64_t{0});
}

TEST(WholeNumber, IsNothingElse) {
  for (const char* text :
       {"", "-1", "+1", "01", " 1", "1 ", "1e6", "1.0", "x", "18446744073709551616"}) {
    EXPECT_FALSE(parse_whole_number(text)) << text;
  }
}

}  // namespace
}  // namespace warpath::testing
