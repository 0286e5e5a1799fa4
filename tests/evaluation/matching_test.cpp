#include "host/files/evaluation/matching.hpp"

#include <gtest/gtest.h>

namespace warpath {
namespace {

using Entries = std::vector<std::uint32_t>;

formats::Dataset dataset_of(const std::vector<std::string>& ids) {
  formats::Dataset dataset;
  for (const std::string& id : ids) dataset.items.push_back({id, 0, 0});
  return dataset;
}

formats::Predictions predictions_of(const std::vector<std::string>& ids) {
  formats::Predictions predictions;
  for (const std::string& id : ids) predictions.entries.push_back({id, {}});
  return predictions;
}

Entries entries_of(const evaluation::Matching& matching, std::size_t item) {
  const auto entries = matching.entries_of(item);
  return {entries.begin(), entries.end()};
}

TEST(Matching, FindsCopiesUnknownIdsAndItemsWithoutAny) {
  const evaluation::Matching matching(dataset_of({"a", "b", "c"}),
                                      predictions_of({"b", "x", "a", "b", "y"}));
  EXPECT_EQ(entries_of(matching, 0), Entries({2}));
  EXPECT_EQ(entries_of(matching, 1), Entries({0, 3}));
  EXPECT_EQ(entries_of(matching, 2), Entries());
  EXPECT_EQ(matching.unknown(), Entries({1, 4}));
  EXPECT_EQ(matching.item_of(0), 1u);
  EXPECT_EQ(matching.item_of(1), evaluation::Matching::no_item);
  EXPECT_EQ(matching.item_of(3), 1u);
  EXPECT_FALSE(matching.repeats(2));
}

TEST(Matching, MatchesANumberWithTheFirstInstructionInNdhOnly) {
  const formats::Dataset dataset = dataset_of({"12_0", "13"});
  formats::Predictions predictions = predictions_of({"12", "13"});
  EXPECT_EQ(evaluation::Matching(dataset, predictions).unknown(), Entries({0}));
  predictions.format = formats::PredictionFormat::inst_idx;
  const evaluation::Matching matching(dataset, predictions);
  EXPECT_EQ(matching.item_of(0), 0u);
  EXPECT_EQ(matching.item_of(1), 1u);
}

TEST(Matching, GivesTheFirstLineOfAPairsFileAllEntriesOfItsId) {
  formats::Dataset dataset = dataset_of({"a", "b", "a"});
  dataset.is_pairs = true;
  const evaluation::Matching matching(dataset, predictions_of({"a", "b", "a"}));
  EXPECT_EQ(entries_of(matching, 0), Entries({0, 2}));
  EXPECT_EQ(entries_of(matching, 2), Entries());
  EXPECT_TRUE(matching.repeats(2));
  EXPECT_FALSE(matching.repeats(0));
}

TEST(Matching, ScoresTheFirstThreeInstructionsOrAll) {
  EXPECT_TRUE(evaluation::is_scored_item({"1_2", 0, 0, 2}, Instructions::first3));
  EXPECT_FALSE(evaluation::is_scored_item({"1_3", 0, 0, 3}, Instructions::first3));
  EXPECT_TRUE(evaluation::is_scored_item({"1_3", 0, 0, 3}, Instructions::all));
}

}  // namespace
}  // namespace warpath
