// Tests the records and logs of EmbodiedScore, and the notes on ids, ranks and OVON.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/files/formats/dump_gaps.hpp"
#include "host/files/formats/replay_log.hpp"
#include "host/files/formats/result_dump.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

class DumpNotes : public ::testing::Test {
 protected:
  void read(const std::vector<std::pair<std::string, std::string>>& texts,
            formats::DumpDuplicates duplicates = formats::DumpDuplicates::error) {
    std::vector<std::string> files;
    for (const auto& [name, text] : texts) files.push_back(folder.write(name, text));
    dump = formats::read_result_dumps(files, duplicates);
  }

  bool notes(const std::string& text) const {
    return std::ranges::any_of(
        dump.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
  }

  double value(const std::string& measure, std::size_t episode) const {
    const formats::DumpMeasure* column = dump.find(measure);
    return column == nullptr ? -99.0 : column->values.at(episode).number;
  }

  TemporaryFolder folder;
  formats::ResultDump dump;
};

// ---------------------------------------------------------------- EmbodiedScore

constexpr const char* record =
    R"({"benchmark": "ovon", "split": "val", "episodes": [
      {"index": 0, "episode_id": "7", "scene_id": "a.glb", "actions": [1, 0], "track": [[0, 0, 0]],
       "metrics": {"success": 1.0, "spl": 0.5, "distance_to_goal": 0.25, "soft_spl": 0.75}},
      {"index": 1, "episode_id": "7", "scene_id": "b.glb",
       "metrics": {"success": 0.0, "spl": 0.0, "distance_to_goal": Infinity, "soft_spl": 0.5}},
      {"index": 2, "episode_id": "8", "scene_id": "b.glb", "metrics": null}]})";

TEST_F(DumpNotes, AreReadWithTheRecordsOfEmbodiedScore) {
  read({{"oracle.json", record}});
  ASSERT_EQ(dump.episodes.size(), 3u);
  EXPECT_EQ(dump.episodes[1].id, "7");
  EXPECT_EQ(dump.episodes[1].scene, "b.glb");
  EXPECT_EQ(dump.measures.size(), 4u);  // neither index nor actions
  EXPECT_EQ(value("SPL", 0), 0.5);
  EXPECT_EQ(value("softSPL", 0), 0.75);
  EXPECT_TRUE(std::isinf(value("NE", 1)));
  EXPECT_EQ(dump.find("SR")->values[2].kind, formats::DumpValue::Kind::absent);
  EXPECT_EQ(dump.where(2).item, "entry 2");
  EXPECT_TRUE(notes("1 id is in several scenes (7): an episode is its scene_id and its id"));
  EXPECT_TRUE(notes("OVON: copies of its evaluator"));
}

constexpr const char* replay =
    "[22:27:49]:[Warning]: no template\n"
    "ep  0 id=     7: steps= 35 stop=1 |dpos|max=0.000000 success ours/truth=0/1 OK\n"
    "ep  1 id=    11: steps= 16 |dpos|max=0.000000 |dmetric|max=0.00e+00 success=1.0 OK\n"
    "ep  2 id=    12: steps=  4 |dpos|max=0.000000 success=nan FAIL ndtw: truth 1 ours 2\n"
    "2 ok, 1 fail\n";

TEST_F(DumpNotes, AreReadWithTheLogOfAReplay) {
  EXPECT_EQ(formats::replay_log_lines("ep 1\nno line\n"), "");
  read({{"2026_r2r.log", replay}});
  ASSERT_EQ(dump.episodes.size(), 3u);
  EXPECT_EQ(dump.episodes[1].id, "11");
  EXPECT_EQ(value("steps", 0), 35.0);
  EXPECT_EQ(value("SR", 0), 0.0);  // ours, not the older evaluator's
  EXPECT_EQ(value("SR", 1), 1.0);
  EXPECT_TRUE(std::isnan(value("SR", 2)));
  EXPECT_THROW(read({{"other.log", "nothing\n"}}), InputError);
}

// ---------------------------------------------------------------- ranks

TEST_F(DumpNotes, SayThatIdsOfRanksCollide) {
  const std::vector<std::pair<std::string, std::string>> ranks{
      {"a_r0_w2.json", R"({"1": {"success": 1}, "2": {"success": 1}})"},
      {"a_r1_w2.json", R"({"1": {"success": 0}, "2": {"success": 1}})"}};
  EXPECT_THROW(read(ranks), InputError);
  read(ranks, formats::DumpDuplicates::first);
  EXPECT_TRUE(notes("1 entry is in several files with other values (1): the ids of ranks collide"));
  // Equal values are those of a sampler that fills up its last batch.
  read({{"b_r0_w2.json", ranks[0].second}, {"b_r1_w2.json", R"({"2": {"success": 1}})"}});
  EXPECT_FALSE(notes("collide"));
  // Within a file, other values are no matter of ranks.
  read({{"c.jsonl", "{\"id\": 1, \"success\": 1}\n{\"id\": 1, \"success\": 0}\n"}},
       formats::DumpDuplicates::last);
  EXPECT_FALSE(notes("collide"));
}

TEST_F(DumpNotes, TellScenesApartWhereRanksRepeatIds) {
  read({{"a_r0_w2.json", R"([{"episode_id": 1, "scene_id": "x", "success": 1}])"},
        {"a_r1_w2.json", R"([{"episode_id": 1, "scene_id": "y", "success": 0}])"}});
  EXPECT_EQ(dump.episodes.size(), 2u);
  EXPECT_FALSE(notes("collide"));
  EXPECT_TRUE(notes("several scenes"));
}

TEST_F(DumpNotes, NameFilesOfAnOlderRun) {
  const std::vector<std::string> files{"s_r0_w2.json", "s_r1_w2.json", "s_r3_w4.json"};
  const std::string note = formats::mixed_runs(files);
  EXPECT_EQ(note.find("s_r0_w2.json and s_r3_w4.json are of one name but of 2 and 4 ranks"), 0u)
      << note;
  EXPECT_EQ(formats::mixed_runs(std::span(files).first(2)), "");
}

TEST_F(DumpNotes, OnOvonGoByNamesToo) {
  read({{"OVON_val.json", R"({"1": {"success": 1}})"}});
  EXPECT_TRUE(notes("OVON: copies"));
  read({{"other.json", R"({"1": {"success": 1}})"}});
  EXPECT_FALSE(notes("OVON"));
}

}  // namespace
}  // namespace warpath::testing
