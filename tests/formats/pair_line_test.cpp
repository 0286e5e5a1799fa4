// Tests that a line of a pairs file comes back from the reader, whatever its names are.

#include "host/files/formats/pair_line.hpp"

#include <gtest/gtest.h>

#include "host/files/formats/dataset.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

TEST(PairLine, ComesBackFromTheReader) {
  const std::vector<std::string> names{"a", "with \"quotes\" and \\", "tab\tand\x01", "ü\u2028",
                                       "\x7f"};
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  const Scan scan("s", names, {}, edges);
  const std::vector<Node> reference{0, 1, 2, 3, 4}, prediction{4, 3};
  std::string text;
  formats::append_line({.id = "walk \"0\"",
                        .scan = "s\n",
                        .graph = scan,
                        .reference = reference,
                        .prediction = prediction},
                       text);
  formats::append_line(
      {.id = "1", .scan = "s\n", .graph = scan, .reference = prediction, .prediction = {}}, text);
  const TemporaryFolder folder;
  formats::StringTable viewpoints;
  const formats::PairsFile pairs =
      formats::read_pairs(folder.write("pairs.jsonl", text), viewpoints);
  ASSERT_EQ(pairs.dataset.items.size(), 2u);
  EXPECT_EQ(pairs.dataset.items[0].id, "walk \"0\"");
  EXPECT_EQ(pairs.dataset.scans, std::vector<std::string>{"s\n"});
  const auto names_of = [&](std::span<const formats::Token> tokens) {
    std::vector<std::string> read;
    for (const formats::Token token : tokens) read.push_back(viewpoints[token]);
    return read;
  };
  EXPECT_EQ(names_of(pairs.dataset.references[0]), names);
  EXPECT_EQ(names_of(pairs.predictions.paths[0]), (std::vector<std::string>{names[4], names[3]}));
  EXPECT_EQ(pairs.predictions.paths[1].size(), 0u);
}

}  // namespace
}  // namespace warpath::testing
