// Tests the forms of result dumps, what is joined, told and refused.

#include "host/files/formats/result_dump.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "host/files/formats/dump_gaps.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

class ResultDumps : public ::testing::Test {
 protected:
  formats::ResultDump read(
      const std::vector<std::string>& texts,
      formats::DumpDuplicates duplicates = formats::DumpDuplicates::error) const {
    std::vector<std::string> files;
    for (const std::string& text : texts) {
      files.push_back(folder.write(fmt::format("dump{}.json", files.size()), text));
    }
    return formats::read_result_dumps(files, duplicates);
  }

  static double value(const formats::ResultDump& dump, const std::string& measure,
                      std::size_t episode) {
    const formats::DumpMeasure* column = dump.find(measure);
    return column == nullptr ? -99.0 : column->values.at(episode).number;
  }

  static bool notes(const formats::ResultDump& dump, const std::string& text) {
    return std::ranges::any_of(
        dump.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
  }

  TemporaryFolder folder;
};

TEST_F(ResultDumps, AreReadInEveryForm) {
  const std::string by_id =
      "{\"7\": {\"success\": 1.0, \"spl\": 0.5}, \"8\": {\"success\": 0, \"spl\": 0}}";
  const std::string list =
      "[{\"episode_id\": 7, \"success\": true, \"spl\": 0.5}, {\"episode_id\": 8, \"success\": "
      "false, \"spl\": 0}]";
  const std::string lines =
      "{\"episode_id\": \"7\", \"success\": 1, \"spl\": 5e-1}\n\n{\"id\": 8, \"success\": 0.0, "
      "\"spl\": 0}\n";
  for (const std::string& text : {by_id, list, lines}) {
    const formats::ResultDump dump = read({text});
    ASSERT_EQ(dump.episodes.size(), 2u) << text;
    EXPECT_EQ(dump.episodes[0].id, "7");
    EXPECT_EQ(dump.episodes[1].id, "8");
    EXPECT_EQ(dump.measures.size(), 2u);
    EXPECT_EQ(value(dump, "SR", 0), 1.0);
    EXPECT_EQ(value(dump, "SPL", 0), 0.5);
    EXPECT_EQ(value(dump, "SR", 1), 0.0);
    EXPECT_TRUE(dump.notes.empty()) << dump.notes.front();
  }
}

TEST_F(ResultDumps, MayBeOneFilePerEpisode) {
  const std::vector<std::string> files{
      folder.write("log/stats_12.json", "{\n  \"success\": 1.0,\n  \"spl\": NaN\n}"),
      folder.write("log/stats_13.json", "{\"id\": 99, \"success\": 0.0, \"spl\": 0.0}")};
  const formats::ResultDump dump =
      formats::read_result_dumps(files, formats::DumpDuplicates::error);
  ASSERT_EQ(dump.episodes.size(), 2u);
  EXPECT_EQ(dump.episodes[0].id, "12");
  EXPECT_EQ(dump.episodes[1].id, "99");
  EXPECT_TRUE(std::isnan(value(dump, "SPL", 0)));
}

TEST_F(ResultDumps, KeepWhatIsNoFiniteNumber) {
  const formats::ResultDump dump =
      read({"{\"a\": {\"success\": 1, \"spl\": NaN}, \"b\": {\"success\": 1, \"spl\": Infinity},"
            " \"c\": {\"success\": 1, \"spl\": -Infinity}, \"d\": {\"success\": 1, \"spl\": 1e999},"
            " \"e\": {\"success\": 1, \"spl\": -1e999}, \"f\": {\"success\": 1, \"spl\": null},"
            " \"g\": {\"success\": 1}, \"h\": {\"success\": 1, \"spl\": \"NaN\"}}"});
  const auto& spl = dump.find("SPL")->values;
  EXPECT_TRUE(spl[0].is_number() && std::isnan(spl[0].number));
  EXPECT_TRUE(spl[1].is_number() && spl[1].number == INFINITY);
  EXPECT_TRUE(spl[2].is_number() && spl[2].number == -INFINITY);
  EXPECT_TRUE(spl[3].is_number() && spl[3].number == INFINITY);
  EXPECT_TRUE(spl[4].is_number() && spl[4].number == -INFINITY);
  EXPECT_EQ(spl[5].kind, formats::DumpValue::Kind::null);
  EXPECT_EQ(spl[6].kind, formats::DumpValue::Kind::absent);
  EXPECT_EQ(spl[7].kind, formats::DumpValue::Kind::other);
}

TEST_F(ResultDumps, KnowTheNamesThatEvaluatorsWrite) {
  const formats::ResultDump dump = read(
      {"{\"scene_id\": \"s\", \"episode_id\": 1, \"success\": 1.0, \"spl\": 0.25, \"os\": 1.0, "
       "\"ne\": 2.5, \"steps\": 31, \"episode_instruction\": \"Go.\", \"ndtw\": 0.5, \"fps\": "
       "3.5}\n"
       "{\"sucs_all\": 1.0, \"spls_all\": 0.25, \"oss_all\": 1.0, \"ones_all\": 2.5, \"length\": "
       "1}"});
  EXPECT_EQ(value(dump, "OSR", 0), 1.0);
  EXPECT_EQ(value(dump, "NE", 0), 2.5);
  EXPECT_EQ(value(dump, "steps", 0), 31.0);
  EXPECT_EQ(value(dump, "nDTW", 0), 0.5);
  EXPECT_EQ(value(dump, "fps", 0), 3.5);
  EXPECT_EQ(dump.episodes.size(), 1u);
  EXPECT_TRUE(notes(dump, "1 line of means skipped"));
  EXPECT_TRUE(notes(dump, "not averaged: episode_instruction"));
  EXPECT_EQ(formats::measure_name("distance_to_goal"), "NE");
  EXPECT_EQ(formats::measure_name("sr"), "SR");
  EXPECT_EQ(formats::measure_name("fps"), "fps");
}

TEST_F(ResultDumps, AreOfVlnPeIfTheyNestTheirValues) {
  const formats::ResultDump dump =
      read({"{\"path_key\": \"a_1\", \"info\": {\"TL\": 5, \"NE\": -1, \"osr\": 0, \"success\": 0, "
            "\"spl\": 0}, \"fail_reason\": \"fall\"}\n"
            "{\"path_key\": \"a_2\", \"info\": {\"TL\": 5, \"NE\": 1, \"osr\": 1, \"success\": 1, "
            "\"spl\": 1}}"});
  EXPECT_TRUE(dump.is_vlnpe);
  EXPECT_EQ(dump.episodes[1].id, "a_2");
  EXPECT_EQ(value(dump, "PL", 0), 5.0);
  EXPECT_EQ(value(dump, "FR", 0), 1.0);
  EXPECT_EQ(value(dump, "StR", 0), 0.0);
  EXPECT_EQ(dump.find("FR")->values[1].kind, formats::DumpValue::Kind::absent);
}

// ---------------------------------------------------------------- duplicates and gaps

constexpr const char* one = "{\"1\": {\"success\": 1, \"spl\": NaN}}";
constexpr const char* other = "{\"1\": {\"success\": 0, \"spl\": NaN}}";

TEST_F(ResultDumps, JoinEqualEntries) {
  const formats::ResultDump dump = read({one, one});
  EXPECT_EQ(dump.episodes.size(), 1u);
  EXPECT_TRUE(notes(dump,
                    "1 entry of an episode that is there already, with equal values: one "
                    "counts; episode 1"));
}

TEST_F(ResultDumps, RefuseOrChooseDifferingEntries) {
  EXPECT_THROW(read({one, other}), InputError);
  EXPECT_EQ(value(read({one, other}, formats::DumpDuplicates::first), "SR", 0), 1.0);
  EXPECT_EQ(value(read({one, other}, formats::DumpDuplicates::last), "SR", 0), 0.0);
  EXPECT_EQ(read({one, other}, formats::DumpDuplicates::each).episodes.size(), 2u);
  EXPECT_EQ(read({one, one}, formats::DumpDuplicates::each).episodes.size(), 2u);
  EXPECT_TRUE(notes(read({one, other}, formats::DumpDuplicates::last),
                    "with other values: the last counts"));
}

TEST_F(ResultDumps, TellEpisodesOfTwoScenesApart) {
  const formats::ResultDump dump =
      read({"[{\"scene_id\": \"a\", \"episode_id\": 1, \"success\": 1},"
            " {\"scene_id\": \"b\", \"episode_id\": 1, \"success\": 0}]"});
  EXPECT_EQ(dump.episodes.size(), 2u);
}

TEST_F(ResultDumps, SayWhereIdsAreMissing) {
  EXPECT_TRUE(
      notes(read({"{\"1\": {\"success\": 1}, \"2\": {\"success\": 1}, \"4\": {\"success\": 1}}"}),
            "1 id between 1 and 4 is not there: 3"));
  EXPECT_TRUE(notes(read({"[{\"success\": 1, \"spl\": 1}, {\"success\": 0, \"spl\": 0}]"}),
                    "2 entries without an id"));
  EXPECT_EQ(formats::missing_ids({"1", "2", "x"}), "");
  EXPECT_EQ(formats::missing_ids({"1", "900"}), "");  // ids of no row
  EXPECT_EQ(formats::missing_ids({"10", "1", "2", "3", "4", "5", "11", "12"}),
            "4 ids between 1 and 12 are not there: 6, 7, 8, 9");
  EXPECT_EQ(formats::missing_ids({"0", "18446744073709551615"}), "");
}

TEST(MissingChunks, AreNamed) {
  using Names = std::vector<std::string>;
  const auto missing = [](const Names& names) { return formats::missing_chunks(names); };
  EXPECT_EQ(missing({"out/val_unseen_3-0.json", "out/val_unseen_3-2.json"}),
            Names{"out/val_unseen_3-1.json"});
  EXPECT_EQ(missing({"stats_ep_ckpt_0_val_r1_w2.json"}), Names{"stats_ep_ckpt_0_val_r0_w2.json"});
  EXPECT_EQ(missing({"a_2-0.jsonl.gz", "a_2-1.jsonl.gz"}), Names{});
  EXPECT_EQ(missing({"a_2-0.json", "b_2-1.json"}), (Names{"a_2-1.json", "b_2-0.json"}));
  EXPECT_EQ(missing({"run_2026-11.json", "run_3-05.json", "a_3-7.json", "a3-0.json", "x.json",
                     "_0-0.json", "-.json", "_w2.json", ""}),
            Names{});
}

// ---------------------------------------------------------------- bad input

struct Refused {
  const char* name;
  std::vector<std::string> texts;
  std::vector<std::string> says;
};

const Refused refused[]{
    {"Empty", {""}, {"dump0.json", "is empty"}},
    {"Truncated", {"{\"1\": {\"success\": 1"}, {"dump0.json", "ends in the middle"}},
    {"NotJson", {"{\"1\": {\"success\": nan}}"}, {"dump0.json: line 1", "not valid JSON"}},
    {"Table", {"id,success\n1,1\n"}, {"a table (CSV)"}},
    {"NoEpisode", {"{}"}, {"has no episode"}},
    {"EmptyList", {"[]"}, {"has no episode"}},
    {"Number", {"[1]"}, {"entry 0", "should be an object, is a number"}},
    {"Text", {"\"success\""}, {"dump0.json"}},
    {"Predictions",
     {"{\"1\": [{\"position\": [0, 0, 0]}]}"},
     {"dump0.json: 1: should be an episode's values, is a list", "name result dumps"}},
    {"Dataset", {"{\"episodes\": [], \"instruction_vocab\": {}}"}, {"episodes", "is a list"}},
    {"NotFiniteEntry", {"{\"1\": NaN}"}, {"is NaN or infinite"}},
    {"Means",
     {"{\"success\": 0.58, \"spl\": 0.5}"},
     {"success: is 0.58: these are means of a run", "stats_ep"}},
    {"IdIsAList", {"[{\"episode_id\": [1], \"success\": 1}]"}, {"entry 0: episode_id", "an id"}},
    {"IdIsNaN", {"[{\"episode_id\": NaN, \"success\": 1}]"}, {"episode_id", "NaN or infinite"}},
    {"TwoNames",
     {"{\"1\": {\"ne\": 1.0, \"distance_to_goal\": 2.0}}"},
     {"episode 1: distance_to_goal: differs from 'ne', another name of NE", "keep one"}},
    {"MixedForms",
     {"{\"1\": {\"success\": 1}}", "{\"info\": {\"success\": 1}}"},
     {"dump1.json", "VLN-PE", "one run at a time"}},
    {"OnlyTexts", {"{\"1\": {\"answer\": \"left\"}}"}, {"has no measure of any episode"}},
    {"TwoRuns",
     {"{\"3\": {\"success\": 1}}", "{\"3\": {\"success\": 0}}"},
     {"dump1.json: episode 3: episode 3 is also in", "dump0.json with other values",
      "--duplicates"}},
};

class BadDump : public ResultDumps, public ::testing::WithParamInterface<Refused> {};

TEST_P(BadDump, IsRefusedInOneLine) {
  const std::string text = error_of_call([&] { read(GetParam().texts); });
  EXPECT_NE(text, "");
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  for (const std::string& part : GetParam().says) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " not in " << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, BadDump, ::testing::ValuesIn(refused),
                         [](const auto& row) { return row.param.name; });

TEST_F(ResultDumps, OfTooManyMeasuresAreRefused) {
  std::string text = "{";
  for (int k = 0; k < 300; ++k) text += fmt::format("{}\"{}\": {{\"m{}\": 1}}", k ? "," : "", k, k);
  EXPECT_THROW(read({text + "}"}), InputError);
}

TEST_F(ResultDumps, OfManyEpisodesAreReadInSeconds) {
  std::string text;
  for (int k = 0; k < 100'000; ++k) {
    text += fmt::format(
        "{{\"episode_id\": {}, \"success\": {}, \"spl\": {}, \"ne\": {}, \"os\": 1.0, \"ndtw\": "
        "0.5, \"steps\": {}}}\n",
        k, k % 2, k % 7 == 0 ? "NaN" : "0.25", k % 11 == 0 ? "Infinity" : "2.5", k % 300);
  }
  const auto begin = std::chrono::steady_clock::now();
  const formats::ResultDump dump = read({text});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(dump.episodes.size(), 100'000u);
  EXPECT_LT(seconds.count(), 20.0);  // 0.3 s on an idle machine; a quadratic reader takes hours
}

}  // namespace
}  // namespace warpath::testing
