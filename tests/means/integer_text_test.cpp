// Tests that integers of 128 bits come back from their decimal digits.

#include "host/core/means/integer_text.hpp"

#include <gtest/gtest.h>

namespace warpath {
namespace {

using Integer = Statistics::Integer;
constexpr std::uint64_t all = ~std::uint64_t{0}, top = std::uint64_t{1} << 63;

TEST(IntegerText, HasTheDecimalDigits) {
  for (const auto& [integer, text] :
       {std::pair(Integer{0, 0}, "0"), std::pair(Integer{7, 0}, "7"),
        std::pair(Integer{all, all}, "-1"), std::pair(Integer{0, 1}, "18446744073709551616"),
        std::pair(Integer{all, top - 1}, "170141183460469231731687303715884105727"),
        std::pair(Integer{0, top}, "-170141183460469231731687303715884105728")}) {
    EXPECT_EQ(means::decimal(integer), text);
    EXPECT_EQ(means::integer_of(text), integer) << text;
  }
}

TEST(IntegerText, RefusesEverythingElse) {
  for (const char* text :
       {"", "-", "-0", "00", "01", "+1", " 1", "1 ", "1e3", "0x1", "1.0", "--1",
        "170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
        "999999999999999999999999999999999999999999999"}) {
    EXPECT_FALSE(means::integer_of(text)) << text;
  }
}

}  // namespace
}  // namespace warpath
