// Tests that lists in an object, and result dumps, give in chunks what they give as a whole.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "host/files/formats/entry_chunks.hpp"
#include "host/tasks/tasks.hpp"
#include "tests/support/chunked_files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

constexpr const char* episode =
    R"({{"episode_id": {0}, "trajectory_id": 1, "scene_id": "mp3d/s/s{0}.glb",)"
    R"( "start_position": [{0}, 0, 0.5], "goals": [{{"position": [{0}, 1, 2]}}],)"
    R"( "reference_path": [[{0}, 0, 0.5], [1, 2, 3]], "info": {{"geodesic_distance": 4.5}},)"
    R"( "instruction": {{"instruction_id": {0}, "instruction_text": "go", "language": "en"}}}})";
constexpr const char* prediction =
    R"({{"instr_id": "{0}_0", "trajectory": [["a{0}", 0.5, 0.25], ["b", 1, 2]]}})";

// Returns an object that has a list between other keys.
std::string wrapped(const std::string& key, const std::string& list, const std::string& before = "",
                    const std::string& behind = "") {
  return fmt::format("{{{}\"{}\" : {}{}}}", before, key, list, behind);
}

const std::string vocabulary = R"(, "instruction_vocab": {"words": [["a"], {"b": 1}], "size": 2})";

// Takes the list of one key, and counts its entries.
struct ListCounter : EntryCounter {
  bool takes_list_in(std::string_view key, const json::Object&) override { return key == "list"; }
};

void expect_same_dataset(const std::string& content, const tasks::Task* forced = nullptr) {
  expect_same(content, [&](const auto& file, const io::Reading& reading, auto& table) {
    const formats::DatasetChoice choice{formats::ReferenceChoice::path, false, true};
    return formats::read_dataset(file, forced, choice, table, reading);
  });
}

void expect_same_predictions(const std::string& content) {
  expect_same(content, [](const auto& file, const io::Reading& reading, auto& table) {
    return formats::read_predictions(file, {}, table, false, reading);
  });
}

// Reads the file behind another one of the run, so that there is something to come back to.
void expect_same_dump(const std::string& content) {
  const TemporaryFolder folder;
  const std::string before =
      folder.write("before.json", R"({"first": {"success": 0, "spl": 0, "own": 3, "own": 4}})");
  expect_same(content, [&](const std::string& file, const io::Reading& reading, auto&) {
    const std::vector<std::string> files{before, file};
    return formats::read_result_dumps(files, formats::DumpDuplicates::first, reading);
  });
}

TEST(WrappedChunks, HaveEachEntryOnce) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {wrapped("list", list_of(200, episode)),
        wrapped("list", list_of(200, episode, "\n,\n"), "\n", vocabulary),
        wrapped("list", list_of(200, prediction), R"("version": 1, "x": {"y": [1, "[{"]}, )"),
        "\xEF\xBB\xBF" + wrapped("list", list_of(200, prediction, ","), " ", vocabulary) + "\n"}) {
    for (const bool is_packed : {false, true}) {
      const std::string file = folder.write("list.json", is_packed ? gzip(text) : text);
      for (const std::size_t bytes : {400, 1000}) {
        ListCounter counter;
        const auto read = formats::read_in_chunks(file, in_chunks(bytes), counter);
        ASSERT_TRUE(read) << text.substr(0, 80) << bytes;
        EXPECT_EQ(counter.entries, 200u);
        EXPECT_GT(counter.chunks, text.size() / bytes / 2);
        EXPECT_EQ(read->hash, io::content_hash(io::read_input(file)));
        EXPECT_FALSE(read->is_lines);
      }
    }
  }
}

TEST(WrappedChunks, LeaveOtherObjectsToTheReaderOfWholeFiles) {
  const TemporaryFolder folder;
  const std::string good = list_of(100, prediction);
  for (const std::string& text :
       {wrapped("other", good), wrapped("list", good).substr(1), wrapped("list", good) + "}",
        wrapped("list", good, R"("list": 1, )"), wrapped("list", good, "", R"(, "list": [])"),
        wrapped("list", good, "", ", \"x\": " + good), wrapped("list", good, "", ", 1"),
        wrapped("list", "[" + good + "]"), wrapped(R"(a\"list)", good),
        wrapped("list", good, R"("path_id": 1, )"), wrapped("list", good, "", R"(, "instr_id": 1)"),
        wrapped("list", good.substr(0, good.size() - 1) + "}")}) {
    ListCounter counter;
    const std::string file = folder.write("other.json", text);
    EXPECT_FALSE(formats::read_in_chunks(file, in_chunks(400), counter)) << text.substr(0, 80);
  }
}

TEST(WrappedChunks, OfEpisodesGiveWhatTheWholeFileGives) {
  const std::string list = list_of(100, episode);
  expect_same_dataset(wrapped("episodes", list));
  expect_same_dataset(wrapped("episodes", list, R"("version": "v1", )", vocabulary));
  expect_same_dataset(wrapped("episodes", list_of(60, episode, "\n ,\n"), "", vocabulary));
  expect_same_dataset(list);
  expect_same_dataset(lines_of(100, episode));
  for (const char* const form : {"vlnce", "r2r"}) {
    const tasks::Task* task = tasks::find_task(form);
    expect_same_dataset(wrapped("episodes", list), task);
    expect_same_dataset(wrapped("other", list), task);
    expect_same_dataset(list, task);
  }
}

TEST(WrappedChunks, OfEpisodesHaveTheErrorsOfTheWholeFile) {
  const std::string list = list_of(100, episode);
  for (const char* const later :
       {"1", "{}", R"({"episode_id": 7})", R"({"episode_id": "x", "scene_id": "s"})",
        R"({"episode_id": "x", "scene_id": "s", "start_position": [0, 0, 0]})", "[1,]", "NaN"}) {
    const std::string more = fmt::format("[{}]", later);
    expect_same_dataset(wrapped("episodes", joined(list, more)));
    expect_same_dataset(wrapped("episodes", joined(more, list), "", vocabulary));
  }
  expect_same_dataset(wrapped("episodes", list, R"("episodes": 3, )"));
  expect_same_dataset(wrapped("episodes", list, "", R"(, "episodes": 3)"));
  expect_same_dataset(wrapped("episodes", list, "", R"(, "gt": [])"));
  expect_same_dataset(wrapped("gt", list, R"("x": [{"episode_id": 1}], )"));
  expect_same_dataset(wrapped("gt", list, "", R"(, "episodes": [])"));
  expect_same_dataset(wrapped("episodes", list, "", R"(, "path_id": 3)"));
  expect_same_dataset(wrapped("episodes", list) + "x");
}

TEST(WrappedChunks, OfPredictionsGiveWhatTheWholeFileGives) {
  const std::string list = list_of(100, prediction);
  for (const std::string& some :
       {list, list_of(100, prediction, "\n,\n"), R"([{"sr": 1.0}, )" + list.substr(1),
        joined(list, R"([{"instr_id": 1}])"),
        list_of(60, R"({{"instr_id": "x", "trajectory": [["{0}"]]}})"),
        list_of(60, R"({{"instruction_id": {0}, "path": [[1, 2, {0}]]}})")}) {
    expect_same_predictions(wrapped("results", some));
    expect_same_predictions(wrapped("results", some, R"("model": "m", "sr": [{"x": 1}], )"));
    expect_same_predictions(wrapped("results", some, "", vocabulary));
    expect_same_predictions(wrapped("x", some, "", R"(, "scores": [{"sr": 1.0}, {"sr": 0}])"));
    expect_same_predictions(wrapped("results", some, "", ", \"other\": " + list));
    expect_same_predictions(wrapped("results", some, "\"other\": " + list_of(3, prediction) + ","));
    expect_same_predictions(wrapped("results", some, "", R"(, "bboxes": 1)"));
    expect_same_predictions(wrapped("x", some));
  }
  expect_same_predictions(object_of(60, R"([{{"trajectory": [["a{0}"]]}}, {{"trajectory": 1}}])"));
}

TEST(WrappedChunks, OfPredictionsAreReadEarly) {
  const TemporaryFolder folder;
  const auto is_read = [&](const std::string& content) {
    const std::string file = folder.write("p.json", content);
    return formats::read_early_predictions(file, {}, in_chunks(400)).has_value();
  };
  const std::string list = list_of(100, prediction);
  EXPECT_TRUE(is_read(wrapped("results", list)));
  EXPECT_TRUE(is_read(wrapped("results", list, R"("model": "m", )", vocabulary)));
  EXPECT_FALSE(is_read(wrapped("results", list, "", ", \"other\": " + list)));
  EXPECT_FALSE(is_read(wrapped("results", list, "", R"(, "bboxes": 1)")));
}

TEST(WrappedChunks, OfResultDumpsGiveWhatTheWholeFileGives) {
  constexpr const char* values =
      R"({{"success": {0}, "spl": 0.5, "distance_to_goal": NaN, "own{0}": null}})";
  constexpr const char* entry =
      R"({{"episode_id": {0}, "scene_id": "s", "success": 1.0, "info": "x", "spl": 1e999}})";
  constexpr const char* nested =
      R"({{"id": {0}, "fail_reason": "fall", "info": {{"success": 0, "NE": {0}, "NE": 1}}}})";
  for (const std::string& text :
       {object_of(100, values),
        object_of(100, values, "\n,\n"),
        list_of(100, entry),
        lines_of(100, entry),
        lines_of(100, entry) + "\n \n",
        "\n" + lines_of(100, entry),
        lines_of(50, entry) + "\n" + lines_of(50, entry),
        list_of(100, nested),
        lines_of(100, nested),
        lines_of(60, entry) + "{\"sucs_all\": 1}\n" + lines_of(60, entry),
        joined(list_of(100, entry), list_of(100, nested)),
        joined(object_of(100, values), object_of(100, values)),
        list_of(300, values),
        joined(list_of(100, entry), R"([{"episode_id": 1, "success": 0.5}])"),
        joined(list_of(100, entry), R"([{"success": 0.5}])"),
        joined(list_of(100, entry), R"([{"success": 1, "sr": 1, "os": 1, "osr": 0}])"),
        joined(list_of(100, entry), R"([{"episode_id": []}])"),
        list_of(100, entry) + "]",
        joined(list_of(100, entry), "[1]"),
        joined(object_of(100, values), R"({"x": 1})"),
        joined(object_of(100, values), R"({"success": {"success": 1}})"),
        joined(object_of(100, values), R"({"info": {"success": 1}})"),
        joined(object_of(100, values), R"({"instr_id": {"success": 1}})"),
        lines_of(100, entry) + "{\n",
        wrapped("episodes", list_of(100, entry))}) {
    expect_same_dump(text);
  }
}

// Returns a text with one change: a part of it is removed, repeated or replaced by a sign.
std::string changed(std::string text, std::mt19937& random) {
  constexpr std::string_view signs = "{}[],:\"\\\n 1aN";
  const std::size_t at = random() % text.size(), size = random() % 40;
  switch (random() % 4) {
    case 0:
      return text.erase(at, size);
    case 1:
      return text.insert(at, text.substr(at, size));
    case 2:
      return text.insert(at, 1, signs[random() % signs.size()]);
    default:
      return text.replace(at, 1, 1, signs[random() % signs.size()]);
  }
}

TEST(WrappedChunks, OfChangedFilesGiveWhatTheWholeFileGives) {
  const std::string before = R"("version": 1, )", other = R"(, "y": [{"sr": 1}])";
  const std::string episodes = wrapped("episodes", list_of(12, episode), before, vocabulary);
  const std::string predictions = wrapped("x", list_of(20, prediction), before, vocabulary + other);
  constexpr const char* entry = R"({{"id": {0}, "success": 1, "spl": 0.5, "own": [1, "{{}}"]}})";
  std::mt19937 random(run_seed());
  for (int k = 0; k < 100; ++k) {
    SCOPED_TRACE(fmt::format("seed {}, change {}", run_seed(), k));
    expect_same_dataset(changed(episodes, random));
    expect_same_predictions(changed(predictions, random));
    for (const std::string& dump :
         {list_of(30, entry), lines_of(30, entry), object_of(30, entry, ",\n")}) {
      expect_same_dump(changed(dump, random));
    }
  }
}

}  // namespace
}  // namespace warpath::testing
