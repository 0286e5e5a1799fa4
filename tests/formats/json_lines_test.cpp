// Tests JSON Lines: every file that may be a list may instead have one object per line.

#include <gtest/gtest.h>

#include <cmath>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/task_success.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

constexpr const char* first = R"({"instr_id":"1_0","trajectory":[["a",0,0],["b",0,0]]})";
constexpr const char* second = R"({"instr_id":"1_1","trajectory":[["c",0,0]]})";

formats::Predictions read_lines(const std::string& text) {
  const TemporaryFolder folder;
  formats::StringTable table;
  return formats::read_predictions(folder.write("p.jsonl", text), {}, table);
}

std::string error_in_lines(const std::string& text) {
  return error_of_call([&] { read_lines(text); });
}

TEST(JsonLines, AcceptEveryKindOfLineEnd) {
  const std::string a = first, b = second;
  for (const std::string& text :
       {a + "\n" + b, a + "\n" + b + "\n", a + "\r\n" + b + "\r\n", "\n\n  " + a + "  \n \n\t" + b,
        "\xEF\xBB\xBF" + a + "\n" + b, gzip(a + "\n" + b + "\n")}) {
    const formats::Predictions p = read_lines(text);
    ASSERT_EQ(p.entries.size(), 2u) << text;
    EXPECT_TRUE(p.is_lines);
    EXPECT_EQ(p.entries[0].id, "1_0");
    EXPECT_EQ(p.entries[1].id, "1_1");
    EXPECT_EQ(p.paths.size_of(p.entries[0].trajectory.path), 2u);
  }
}

TEST(JsonLines, ReadOneLineAsOneEntry) {
  const formats::Predictions p = read_lines(first);
  ASSERT_EQ(p.entries.size(), 1u);
  EXPECT_EQ(p.entries[0].id, "1_0");
  EXPECT_EQ(p.format, formats::PredictionFormat::evalai);
}

TEST(JsonLines, ReadAnObjectByIdOnOneLineAsAnObject) {
  const formats::Predictions p = read_lines(R"({"1_0":[["a",0,0]]})");
  EXPECT_EQ(p.format, formats::PredictionFormat::speaker_follower);
  EXPECT_FALSE(p.is_lines);
}

TEST(JsonLines, ReadAnObjectOverManyLinesAsAnObject) {
  const formats::Predictions p =
      read_lines("{\"1_0\":\n{\"trajectory\":[[\"a\",0,0]]}\n,\n\"1_1\":{\"path\":[\"b\"]}}");
  EXPECT_EQ(p.format, formats::PredictionFormat::speaker_follower);
  EXPECT_EQ(p.entries.size(), 2u);
}

TEST(JsonLines, ReadNans) {
  const formats::Predictions p = read_lines(
      R"({"instr_id":"1_0","trajectory":[["a",NaN,-Infinity]]})" + std::string("\n") + second);
  ASSERT_EQ(p.entries.size(), 2u);
  EXPECT_TRUE(p.entries[0].trajectory.not_finite);
  EXPECT_FALSE(p.entries[1].trajectory.not_finite);
}

TEST(JsonLines, NameTheLineOfAnError) {
  const std::string a = std::string(first) + "\n\n";
  EXPECT_NE(error_in_lines(a +
                           R"({"instr_id":"1_1","trajectory":[}})"
                           "\n" +
                           second)
                .find("p.jsonl: line 3, column 33: not valid JSON: unexpected '}'"),
            std::string::npos);
  EXPECT_NE(error_in_lines(a + R"({"instr_id":"1_1","traj)").find("p.jsonl: line 3: the JSON ends"),
            std::string::npos);
  EXPECT_NE(
      error_in_lines(a + R"({"instr_id":"1_1","tour":[]})").find("line 3: no key 'trajectory'"),
      std::string::npos);
  EXPECT_NE(error_in_lines(a + second + "\n[1]").find("line 4: should be an object"),
            std::string::npos);
  EXPECT_NE(error_in_lines(a + second + "\n" + R"({"instr_id":NaN,"trajectory":}])")
                .find("line 4, column 30: not valid JSON: unexpected '}'"),
            std::string::npos)
      << error_in_lines(a + second + "\n" + R"({"instr_id":NaN,"trajectory":}])");
}

// Joined by commas, these lines form a list with another number of elements.
TEST(JsonLines, RefuseALineThatIsNotOneWholeEntry) {
  const std::string a = std::string(first) + "\n";
  EXPECT_NE(error_in_lines(a + R"({"instr_id":"1_1","trajectory":[["c",0,0])"
                               "\n"
                               R"(["d",0,0]]})")
                .find("p.jsonl: line 2: the JSON ends in the middle"),
            std::string::npos);
  EXPECT_NE(error_in_lines(a + second + "," + second).find("line 2, column 44: not valid JSON"),
            std::string::npos)
      << error_in_lines(a + second + "," + second);
}

// Each empty line used to be searched to the end of the text, which took minutes.
TEST(JsonLines, SkipManyEmptyLines) {
  EXPECT_EQ(
      read_lines(first + std::string("\n") + second + std::string(1'000'000, '\n')).entries.size(),
      2u);
}

TEST(JsonLines, NameTheLineOfAnErrorInADataset) {
  const TemporaryFolder folder;
  const std::string text = R"({"path_id":1,"scan":"s","path":["a"],"instructions":["",""]}
{"path_id":2,"scan":"s","path":["a"],"instructions":[""]}

{"scan":"s","path":["a"],"instructions":[""]})";
  formats::StringTable table;
  const std::string file = folder.write("d.jsonl", text.substr(0, text.rfind('\n')));
  const formats::Dataset d = formats::read_dataset(file, {}, formats::ReferenceChoice::path, table);
  EXPECT_EQ(d.task->form, "r2r");
  EXPECT_TRUE(d.is_lines);
  EXPECT_EQ(d.items.size(), 3u);
  const std::string error = error_of_call([&] {
    formats::read_dataset(folder.write("d.jsonl", text), {}, formats::ReferenceChoice::path, table);
  });
  EXPECT_NE(error.find("d.jsonl: line 4: no key 'id'"), std::string::npos) << error;
}

TEST(JsonLines, AreAcceptedForTaskSuccess) {
  const TemporaryFolder folder;
  for (const char* text :
       {"{\"a\":1}\n{\"b\":0.25,\"c\":\"?\"}\n",
        "{\"instr_id\":\"a\",\"success\":true}\n{\"instr_id\":\"b\",\"success\":0.25}\n"
        "{\"instr_id\":\"c\",\"success\":null}",
        "[{\"instr_id\":\"a\",\"success\":1},{\"b\":0.25},{\"c\":NaN}]"}) {
    const formats::TaskSuccess success = formats::read_task_success(folder.write("t.jsonl", text));
    EXPECT_EQ(success.file, folder.path("t.jsonl"));
    const auto& values = success.values;
    EXPECT_EQ(values.size(), 3u) << text;
    EXPECT_EQ(values.at("a"), 1.0);
    EXPECT_EQ(values.at("b"), 0.25);
    EXPECT_TRUE(std::isnan(values.at("c")));
  }
}

}  // namespace
}  // namespace warpath::testing
