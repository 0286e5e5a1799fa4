#include "warpath/error.hpp"

#include <gtest/gtest.h>

namespace warpath {
namespace {

TEST(InputError, GivesItsPartsAndOneLineOfThem) {
  const InputError error({"agent.json", "entry 3", "path"}, "is empty", "give a viewpoint");
  EXPECT_STREQ(error.what(), "agent.json: entry 3: path: is empty; give a viewpoint");
  EXPECT_EQ(error.where().file, "agent.json");
  EXPECT_EQ(error.where().item, "entry 3");
  EXPECT_EQ(error.where().field, "path");
  EXPECT_EQ(error.problem(), "is empty");
  EXPECT_EQ(error.remedy(), "give a viewpoint");
}

TEST(InputError, KeepsPartsAsTheyWereGivenAndWithoutALineBreakInItsText) {
  const InputError error({"a\nb"}, "has two\nlines", "");
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  EXPECT_EQ(error.where().file, "a\nb");
  EXPECT_EQ(error.problem(), "has two\nlines");
  EXPECT_TRUE(error.remedy().empty());
}

TEST(InputError, CopiesWithItsParts) {
  const auto copy = [] { return InputError({"scan.json"}, "is missing", "add it"); }();
  const InputError again = copy;
  EXPECT_EQ(again.where().file, "scan.json");
  EXPECT_EQ(again.remedy(), "add it");
}

}  // namespace
}  // namespace warpath
