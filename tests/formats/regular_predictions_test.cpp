// Tests that predictions which are read without a document of their JSON are what the document
// gives, and that all other forms are left to it.

#include "host/files/formats/regular_predictions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <random>
#include <string>

#include "host/files/formats/entry_chunks.hpp"
#include "tests/support/chunked_files.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using formats::Predictions;
using formats::StringTable;

constexpr std::string_view plain_entry = R"({"instr_id": "1_0", "trajectory": ["a", "b", "a"]})";
constexpr std::string_view angle_entry =
    R"({"instr_id":"2_0","trajectory":[["a",0.5,-1],["viewpoint_with_a_long_name",1e-16,2.25E+2]]})";
constexpr std::string_view nested_entry =
    R"({"instr_id": "3_0", "trajectory": [["c"], ["a", "b", 0.5], ["d"]]})";
constexpr std::string_view empty_entry = R"({"trajectory" : [ ] , "instr_id" : ""})";

std::string list(std::string_view a, std::string_view b) {
  return fmt::format("[{}, {}]", a, b);
}

std::string described(const Predictions& read, const StringTable& viewpoints) {
  std::string text;
  for (const formats::Prediction& prediction : read.entries) {
    const formats::Trajectory& t = prediction.trajectory;
    text += fmt::format("{}: {} candidates, {}{}{}{}{}{}", prediction.id, t.candidates, t.malformed,
                        t.not_finite, t.has_headings, t.nested, t.plain, t.has_objects);
    for (const formats::Token token : read.paths[t.path]) text += ' ' + viewpoints[token];
    text += '\n';
  }
  return text;
}

std::string described_by_document(const std::string& text) {
  StringTable viewpoints;
  const Predictions read = formats::parse_predictions("file", text, viewpoints);
  EXPECT_EQ(read.notes, std::vector<std::string>());
  return described(read, viewpoints);
}

std::optional<std::string> described_without(const std::string& text, bool takes_nested = true) {
  StringTable viewpoints;
  Predictions read;
  if (!formats::read_regular_predictions(text, takes_nested, viewpoints, read)) return std::nullopt;
  return described(read, viewpoints);
}

TEST(RegularPredictions, AreWhatTheDocumentGives) {
  for (const std::string& text :
       {list(plain_entry, plain_entry), list(angle_entry, plain_entry),
        list(nested_entry, angle_entry), list(angle_entry, empty_entry),
        "\n" + list(angle_entry, nested_entry) + " \r\n\t", fmt::format("[{}]", angle_entry)}) {
    EXPECT_EQ(described_without(text), described_by_document(text)) << text;
  }
  EXPECT_FALSE(described_without(list(nested_entry, angle_entry), false));
}

TEST(RegularPredictions, OfOtherFormsAreLeftToTheDocument) {
  for (const std::string_view entry :
       {R"({"instr_id": 1, "trajectory": ["a"]})",
        R"({"instr_id": "1", "trajectory": null})",
        R"({"instr_id": "1", "trajectory": ["a"], "x": 1})",
        R"({"instr_id": "1"})",
        R"({})",
        R"({"instr_id": "1", "instr_id": "1"})",
        R"({"instr_id": "1", "path": ["a"]})",
        R"({"instr_id": "1", "trajectory": [[]]})",
        R"({"instr_id": "1", "trajectory": [[1, "a"]]})",
        R"({"instr_id": "1", "trajectory": [["a", null]]})",
        R"({"instr_id": "1", "trajectory": [["a", NaN]]})",
        R"({"instr_id": "1", "trajectory": [["a", 1e999]]})",
        R"({"instr_id": "1", "trajectory": [["a", 100000000000000000000]]})",
        R"({"instr_id": "1", "trajectory": [["a", 01]]})",
        R"({"instr_id": "1", "trajectory": [["a", 1.]]})",
        R"({"instr_id": "1", "trajectory": [["a", .5]]})",
        R"({"instr_id": "1", "trajectory": [["a", +1]]})",
        R"({"instr_id": "1", "trajectory": [["a", 1e]]})",
        R"({"instr_id": "1", "trajectory": [["a", 1 2]]})",
        R"({"instr_id": "1", "trajectory": [["a",]]})",
        R"({"instr_id": "1", "trajectory": ["a",]})",
        R"({"instr_id": "1", "trajectory": {"path": ["a"]}})",
        R"({"instr_id": "1", "trajectory": [{"viewpointId": "a"}]})",
        R"({"instr_id": "1", "trajectory": ["\u0061"]})",
        "{\"instr_id\": \"1\", \"trajectory\": [\"\xC3\xA4\"]}",
        "{\"instr_id\": \"1\", \"trajectory\": [\"12345678\xFF\"]}",
        "{\"instr_id\": \"1\", \"trajectory\": [\"a\nb\"]}",
        "{\"instr_id\": \"1\", \"trajectory\": [\"a\n\"]}",
        R"([])",
        R"("a")"}) {
    EXPECT_FALSE(described_without(list(angle_entry, entry))) << entry;
  }
  for (const std::string& text :
       {std::string(), std::string("[]"), std::string("[,]"), list(angle_entry, plain_entry) + "]",
        std::string(plain_entry), list(angle_entry, plain_entry).substr(0, 80)}) {
    EXPECT_FALSE(described_without(text)) << text;
  }
}

TEST(RegularPredictions, OfAnyDamagedTextAreThoseOfTheDocument) {
  constexpr std::string_view bytes = "[]{},:\" \n\\0123456789.-+eEtrufalsnNI\xC3\x7f";
  const std::string good = fmt::format("[{},{},{}]", angle_entry, nested_entry, plain_entry);
  std::mt19937 draw(1);
  std::size_t regular = 0;
  for (int k = 0; k < 20'000; ++k) {
    std::string text = good;
    for (auto times = 1 + draw() % 2; times > 0; --times) {
      const std::size_t place = draw() % text.size();
      const char byte = bytes[draw() % bytes.size()];
      const auto kind = draw() % 3;
      if (kind == 0) text[place] = byte;
      if (kind == 1) text.insert(place, 1, byte);
      if (kind == 2) text.erase(place, 1);
    }
    const auto read = described_without(text);
    if (!read) continue;
    ++regular;
    try {
      ASSERT_EQ(*read, described_by_document(text)) << text;
    } catch (const InputError& error) {
      FAIL() << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(regular, 1000u);
}

// Counts the chunks that are read as texts, every second one.
struct TextCounter : EntryCounter {
  std::size_t texts = 0, asked = 0;

  bool read_text(std::size_t slot, std::string_view text) override {
    EXPECT_TRUE(text.starts_with("[") && text.find_last_of(']') != text.npos) << text;
    const std::lock_guard lock(mutex);
    if (++asked % 2 == 0) return false;
    ++texts;
    sizes[slot] = static_cast<std::size_t>(std::ranges::count(text, '{'));
    return true;
  }

  std::mutex mutex;
};

TEST(RegularPredictions, AreReadOfChunksOfAList) {
  const TemporaryFolder folder;
  const char* entry = R"({{"instr_id": "{0}", "trajectory": ["a"]}})";
  TextCounter of_list, of_lines, of_object;
  ASSERT_TRUE(formats::read_in_chunks(folder.write("list.json", list_of(200, entry)),
                                      in_chunks(300), of_list));
  EXPECT_EQ(of_list.entries, 200u);
  EXPECT_EQ(of_list.asked, of_list.chunks - 1);
  EXPECT_EQ(of_list.texts, of_list.chunks / 2);
  ASSERT_TRUE(formats::read_in_chunks(folder.write("lines.json", lines_of(200, entry)),
                                      in_chunks(300), of_lines));
  ASSERT_TRUE(formats::read_in_chunks(folder.write("object.json", object_of(200, entry)),
                                      in_chunks(300), of_object));
  EXPECT_EQ(of_lines.asked + of_object.asked, 0u);
}

}  // namespace
}  // namespace warpath::testing
