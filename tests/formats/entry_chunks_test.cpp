// Tests that files read in chunks are read as whole ones are: any split gives the same result and
// the same errors.

#include "host/files/formats/entry_chunks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "host/files/formats/append_paths.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/support/chunked_files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/gzip.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

constexpr const char* with_angles =
    R"({{"instr_id": "{0}_0", "trajectory": [["a{0}", 0.5, 0.25], ["b", 1, 2]]}})";
constexpr const char* pretty =
    "{{\n  \"instr_id\": \"{0}_0\",\n  \"trajectory\": [\"a{0}\", \"b\"]\n}}";
constexpr const char* item =
    R"({{"path_id": {0}, "scan": "s{0}", "path": ["a{0}", "b"], "heading": 0.5,)"
    R"( "instructions": ["go", "stop", "left"]}})";

void expect_same_predictions(const std::string& content) {
  expect_same(content, [](const auto& file, const io::Reading& reading, auto& table) {
    return formats::read_predictions(file, {}, table, false, reading);
  });
}

void expect_same_dataset(const std::string& content) {
  expect_same(content, [](const auto& file, const io::Reading& reading, auto& table) {
    return formats::read_dataset(file, nullptr, formats::ReferenceChoice::path, table, reading);
  });
}

void expect_same_positions(const std::string& content) {
  expect_same(content, [](const auto& file, const io::Reading& reading, auto&) {
    return formats::read_position_predictions(file, {}, reading);
  });
}

void expect_same_pairs(const std::string& content) {
  expect_same(content, [](const auto& file, const io::Reading& reading, auto& table) {
    return formats::read_pairs(file, table, reading);
  });
}

TEST(EntryChunks, HaveEachEntryOnce) {
  const TemporaryFolder folder;
  for (const std::string& text :
       {list_of(200, with_angles), list_of(200, pretty, "\n,\n"), list_of(200, pretty) + "\n\n",
        " \n" + list_of(200, with_angles, ","), "\xEF\xBB\xBF" + list_of(200, with_angles),
        lines_of(200, with_angles), "\n\n" + lines_of(200, with_angles) + " \n\r\n",
        lines_of(200, item), object_of(200, "[[{0}, 0, 0.5], [1, 2, 3]]"),
        object_of(200, R"([{{"position": [{0}, 0, 0], "stop": false}}])", "\n,\n"),
        object_of(200, R"({{"trajectory": [["a{0}"]]}})")}) {
    const std::string file = folder.write("entries.json", text);
    for (const bool is_packed : {false, true}) {
      if (is_packed) folder.write("entries.json", gzip(text));
      for (const std::size_t bytes : {300, 1000}) {
        EntryCounter counter;
        const auto read = formats::read_in_chunks(file, in_chunks(bytes), counter);
        ASSERT_TRUE(read) << text.substr(0, 80) << bytes;
        EXPECT_EQ(counter.entries, 200u);
        EXPECT_GT(counter.chunks, text.size() / bytes / 2);
        EXPECT_EQ(read->hash, io::content_hash(io::read_input(file)));
        EXPECT_EQ(read->is_lines, text.find("\n{") != text.npos && text.find('[') > text.find('{'));
      }
    }
  }
}

TEST(EntryChunks, LeaveWhatIsNoListToOthers) {
  const TemporaryFolder folder;
  const std::string good = list_of(100, with_angles);
  for (const std::string& text :
       {std::string("{}"), std::string("[]"), std::string(), std::string("[1, 2, 3]"),
        good.substr(0, good.size() - 1), good + "]", good + good, "{\"a\": " + good + "}",
        "[" + good + "]",
        lines_of(50, with_angles) + "{\"a\":\n1}\n" + lines_of(50, with_angles)}) {
    EntryCounter counter;
    const std::string file = folder.write("other.json", text);
    EXPECT_FALSE(formats::read_in_chunks(file, in_chunks(100), counter)) << text.substr(0, 80);
  }
  EntryCounter counter;
  EXPECT_FALSE(formats::read_in_chunks(folder.path() + "/none.json", {}, counter));
  EXPECT_FALSE(formats::read_in_chunks("-", {}, counter));
}

TEST(EntryChunks, LeaveAPipeToItsReader) {
  const TemporaryFolder folder;
  const std::string pipe = folder.path("pipe"), content = list_of(5000, with_angles);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << content; });
  formats::StringTable viewpoints;
  const formats::Predictions read =
      formats::read_predictions(pipe, {}, viewpoints, false, in_chunks(100));
  writer.join();
  EXPECT_EQ(read.entries.size(), 5000u);
}

TEST(EntryChunks, OfPredictionsAreReadEarlyWhereTheyHavePaths) {
  const TemporaryFolder folder;
  const auto is_read = [&](const std::string& content) {
    const std::string file = folder.write("p.json", content);
    return formats::read_early_predictions(file, {}, in_chunks(300)).has_value();
  };
  EXPECT_TRUE(is_read(list_of(100, with_angles)));
  EXPECT_TRUE(is_read(list_of(100, pretty, "\n,\n")));
  EXPECT_TRUE(is_read(lines_of(100, with_angles)));
  // What is wrong with the others depends on the dataset, which may have positions.
  EXPECT_FALSE(is_read(list_of(100, R"({{"instruction_id": {0}, "path": 3}})")));
  EXPECT_FALSE(is_read(list_of(100, R"({{"instruction_id": {0}, "path": [[1, 2, {0}]]}})")));
}

TEST(EntryChunks, SeeThroughWhatLooksLikeACut) {
  // The text between two entries stands within a list of an entry, and in a string.
  expect_same_predictions(list_of(
      60, R"({{"instr_id": "{0}", "trajectory": ["a"], "x": [{{"y": 1}}, {{"instr_id": 2}}]}})"));
  expect_same_predictions(
      list_of(60, R"({{"instr_id": "{0}", "trajectory": ["}}, {{\"instr_id"]}})"));
  expect_same_predictions(
      list_of(60, R"({{"instr_id": "{0}", "trajectory": [["a", 1], {{"instr_id": []}}]}})"));
}

TEST(EntryChunks, OfPredictionsGiveWhatTheWholeFileGives) {
  expect_same_predictions(list_of(100, with_angles));
  expect_same_predictions(list_of(100, pretty, "\n,\n"));
  expect_same_predictions(lines_of(100, with_angles));
  expect_same_predictions(lines_of(100, with_angles) + "[1]\n");
  // A summary first; ids twice; objects; metrics that a file publishes; infinite headings.
  expect_same_predictions(R"([{"sr": 1.0}, )" + list_of(100, with_angles).substr(1));
  expect_same_predictions(list_of(50, R"({{"instr_id": "1", "trajectory": [["{0}"]]}})"));
  expect_same_predictions(
      list_of(50, R"({{"instr_id": "{0}", "trajectory": [["a"]], "predObjId": {0}}})"));
  expect_same_predictions(
      list_of(50, R"({{"instr_id": "{0}", "trajectory": [["a"]], "pred_objid": [{0}]}})"));
  expect_same_predictions(
      lines_of(50, R"({{"instruction_id": {0}, "path": ["a"], "metrics": {{"ne": {0}}}}})"));
  expect_same_predictions(
      list_of(50, R"({{"instr_id": "{0}", "trajectory": [["a", NaN, 1e999]]}})"));
  expect_same_predictions(list_of(50, R"({{"instr_id": {0}, "instr_id": {0}, "path": ["a"]}})"));
}

TEST(EntryChunks, OfPredictionsMayChangeTheirForm) {
  const std::string some = list_of(60, with_angles);
  for (const char* const later :
       {R"({{"instr_id": "x{0}", "trajectory": [["a", "b"], ["c"]]}})",
        R"({{"instr_id": "x{0}", "trajectory": [{{"path": [["a"]]}}, {{"path": [["b"]]}}]}})",
        R"({{"instr_id": "x{0}", "trajectory": 3}})", R"({{"instr_id": "x{0}", "trajectory": []}})",
        R"({{"instr_id": "x{0}", "path": []}})", R"({{"instr_id": [], "trajectory": []}})",
        R"({{"instruction_id": "x{0}", "path": []}})",
        R"({{"instr_id": "x{0}", "trajectory": [1,]}})"}) {
    expect_same_predictions(joined(some, list_of(20, later)));
    expect_same_predictions(joined(list_of(60, later), some));
  }
}

TEST(EntryChunks, OfDatasetsGiveWhatTheWholeFileGives) {
  expect_same_dataset(list_of(100, item));
  expect_same_dataset(lines_of(100, item));
  expect_same_dataset(list_of(2, item) + "]");
  expect_same_dataset(list_of(
      60, R"({{"instr_id": "1_{0}", "scan": "s", "path": ["a", "b{0}"], "instruction": "go"}})"));
  // One id twice; no instructions; an entry of another form.
  expect_same_dataset(list_of(
      60, R"({{"path_id": 7, "scan": "s", "path": ["a"], "instructions": ["a", "b", "{0}"]}})"));
  expect_same_dataset(
      list_of(60, R"({{"path_id": {0}, "scan": "s", "path": ["a"], "instructions": []}})"));
  const std::string some = list_of(60, item);
  expect_same_dataset(some.substr(0, some.size() - 1) + R"(, {"path_id": 1, "scan": 3}])");
}

TEST(EntryChunks, OfPositionsGiveWhatTheWholeFileGives) {
  constexpr const char* points = "[[{0}, 0, 0.5], [1, 2, 3]]";
  constexpr const char* stops =
      R"([{{"position": [0, 0, 0], "stop": true}}, {{"position": [{0}, 0, 0], "stop": false}}])";
  constexpr const char* measured =
      R"({{"path": [[0, 0, {0}]], "distances": [{0}], "collisions": [0, 1]}})";
  constexpr const char* line = R"({{"instruction_id": {0}, "path": [[{0}, 0, 0]]}})";
  constexpr const char* bad = R"([{{"position": [0, "a", 0]}}])";
  for (const char* const value : {points, stops, measured, bad}) {
    expect_same_positions(object_of(100, value));
    expect_same_positions(object_of(100, value, "\n ,\n "));
    expect_same_positions(joined(object_of(60, value), object_of(60, points, ",", "x")));
    // An id twice, of which the last value counts.
    expect_same_positions(joined(object_of(60, value), object_of(5, points)));
    expect_same_positions(joined(object_of(60, value), object_of(5, "[],", ",", "y")));
    expect_same_positions(joined(object_of(60, value), R"({"path": [[0, 0, 0]]})"));
    expect_same_positions(joined(object_of(60, value), R"({"a\"b": [[0, 0, 0]], "c": 1})"));
  }
  expect_same_positions(lines_of(100, line));
  expect_same_positions(list_of(100, line));
  expect_same_positions(joined(list_of(100, line), R"([{"episode_id": 1, "path": 3}])"));
  expect_same_positions(joined(list_of(100, line), R"([{"path": []}])"));
}

TEST(EntryChunks, OfPairsGiveWhatTheWholeFileGives) {
  constexpr const char* pair =
      R"({{"id": "{0}", "scan": "s{0}", "reference": ["a", "b{0}"], "prediction": [["a", 1]]}})";
  constexpr const char* shared =
      R"({{"id": {0}, "scan": "s", "id": {0}, "reference": ["a"], "prediction": {0}}})";
  for (const char* const entry : {pair, shared}) {
    expect_same_pairs(lines_of(100, entry));
    expect_same_pairs(lines_of(100, entry) + lines_of(60, pair));
    expect_same_pairs(lines_of(100, entry) + "[1]\n");
    expect_same_pairs(lines_of(100, entry) + "{\n");
    expect_same_pairs(list_of(100, entry));
  }
  expect_same_pairs(lines_of(9, pair) +
                    R"({"id": 1, "scan": "s", "reference": 1, "prediction": 1})");
}

// Returns what windows of a pairs file hold together; nothing if it has to be read whole.
std::optional<formats::PairsFile> joined_windows(const std::string& file, std::size_t bytes,
                                                 std::size_t min_pairs, std::size_t& windows,
                                                 formats::StringTable& viewpoints) {
  formats::PairsFile window, all;
  const auto use = [&](formats::PairsFile&) {
    ++windows;
    const auto before = static_cast<std::uint32_t>(all.predictions.paths.size());
    formats::append_paths(all.predictions.paths, window.predictions.paths);
    for (const formats::Item& item : window.dataset.items) all.dataset.items.push_back(item);
    for (formats::Prediction entry : window.predictions.entries) {
      entry.trajectory.path += before;
      all.predictions.entries.push_back(entry);
    }
    return true;
  };
  const bool is_read =
      formats::read_pair_windows(file, window, viewpoints, in_chunks(bytes), min_pairs, use);
  if (!is_read) return std::nullopt;
  std::swap(all.dataset.items, window.dataset.items);
  std::swap(all.predictions.entries, window.predictions.entries);
  std::swap(all.predictions.paths, window.predictions.paths);
  return window;
}

TEST(EntryChunks, OfPairsInWindowsGiveWhatTheWholeFileGives) {
  constexpr const char* pair =
      R"({{"id": "{0}", "scan": "s{0}", "reference": ["a", "b{0}"], "prediction": [["a", 1]]}})";
  constexpr const char* shared =
      R"({{"id": "x{0}", "scan": "s", "scan": "s", "reference": ["a"], "prediction": ["c{0}"]}})";
  const TemporaryFolder folder;
  const std::string file = folder.write("pairs.jsonl", lines_of(100, shared) + lines_of(100, pair));
  const std::string expected = text_read([&](formats::StringTable& table) {
    return formats::read_pairs(file, table, in_chunks(whole));
  });
  for (const std::size_t bytes : {300, 1000, 5000}) {
    for (const std::size_t min_pairs : {1, 7, 50, 1000}) {
      std::size_t windows = 0;
      const std::string text = text_read([&](formats::StringTable& table) {
        return joined_windows(file, bytes, min_pairs, windows, table)
            .value_or(formats::PairsFile{});
      });
      EXPECT_EQ(text, expected) << bytes << ' ' << min_pairs;
      EXPECT_EQ(windows == 1, min_pairs == 1000);
      EXPECT_TRUE(windows > 5 || min_pairs > 10 || bytes == 5000) << windows;
    }
  }
}

TEST(EntryChunks, OfPairsInWindowsLeaveFaultsAndEqualIdsToTheWholeFile) {
  constexpr const char* pair =
      R"({{"id": "{0}", "scan": "s", "reference": ["a"], "prediction": ["a"]}})";
  const TemporaryFolder folder;
  const std::string lines = lines_of(200, pair);
  for (const std::string& end :
       {std::string("{\n"), std::string("[1]\n"), lines_of(1, pair), std::string("{}\n")}) {
    const std::string file = folder.write("pairs.jsonl", lines + end);
    for (const std::size_t min_pairs : {7, 1000}) {
      std::size_t windows = 0;
      formats::StringTable viewpoints;
      EXPECT_FALSE(joined_windows(file, 1000, min_pairs, windows, viewpoints)) << end;
    }
  }
}

}  // namespace
}  // namespace warpath::testing
