// Compares the generated tables of documents with the program.

#include "tests/support/documents.hpp"

#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

TEST(Documents, HaveTheMetricsThatWarpathPrints) {
  EXPECT_EQ(generated_text("docs/metrics.md", "warpath metrics --markdown"),
            run({"metrics", "--markdown"}).out)
      << "put the output of warpath metrics --markdown between the two comments of docs/metrics.md";
}

TEST(Documents, HaveTheEvaluatorsThatWarpathPrints) {
  EXPECT_EQ(generated_text("docs/evaluators.md", "warpath presets --for all --markdown"),
            run({"presets", "--for", "all", "--markdown"}).out)
      << "put the output between the two comments of docs/evaluators.md";
}

TEST(Documents, HaveThePresetsThatWarpathPrints) {
  const std::string printed = run({"presets", "--markdown"}).out;
  const std::string begin = "\n## Presets\n\n", end = "\n## Settings";
  ASSERT_NE(printed.find(begin), std::string::npos);
  const std::size_t first = printed.find(begin) + begin.size();
  EXPECT_EQ(generated_text("docs/presets.md", "warpath presets --markdown: Presets"),
            printed.substr(first, printed.find(end, first) - first))
      << "put the list under Presets of warpath presets --markdown between the two comments of "
         "docs/presets.md";
}

}  // namespace
}  // namespace warpath::testing
