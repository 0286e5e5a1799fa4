#include "host/files/evaluation/dataset_statistics.hpp"

#include <gtest/gtest.h>

#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

evaluation::DatasetStatistics statistics_of(const std::string& graphs, const std::string& dataset,
                                            const std::string& reference = "path") {
  EvalFiles files;
  files.graphs = graphs;
  files.dataset = dataset;
  files.ndh_reference = reference;
  evaluation::Inputs inputs(files);
  return evaluation::dataset_statistics(inputs, Distance::euclid_3d);
}

// Measures one entry with this path and two instructions.
evaluation::DatasetStatistics statistics_of_path(const std::string& path) {
  const Scene s;
  s.folder.write("dataset.json", R"([{"path_id":7,"scan":"s","path":)" + path +
                                     R"(,"heading":0,"distance":2,"instructions":["",""]}])");
  return statistics_of(s.graphs, s.data);
}

// An annotation of SOON is one entry, and each of its paths an item.
TEST(DatasetStatistics, CountAnnotationsOfSoon) {
  const evaluation::DatasetStatistics statistics = statistics_of(
      source("tests/golden/connectivity"), source("tests/golden/targets/soon/dataset.json"));
  EXPECT_EQ(statistics.entries, 12u);
  EXPECT_EQ(statistics.items, 49u);
}

TEST(DatasetStatistics, CountPathsAndItems) {
  const Scene s;
  // Entries 1 and 3 share a path.
  s.folder.write("dataset.json", R"([
    {"path_id":1,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":["",""]},
    {"path_id":2,"scan":"s","path":["b","c"],"heading":0,"distance":1,"instructions":[""]},
    {"path_id":3,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":[""]}])");
  const evaluation::DatasetStatistics statistics = statistics_of(s.graphs, s.data);
  EXPECT_EQ(statistics.entries, 3u);
  EXPECT_EQ(statistics.items, 4u);
  EXPECT_EQ(statistics.paths, 2u);
  EXPECT_EQ(statistics.scans, 1u);
  EXPECT_EQ(statistics.viewpoints, 4u);
  EXPECT_EQ(statistics.edges, 2u);
  EXPECT_EQ(statistics.visited, 3u);
  EXPECT_EQ(statistics.length.by_path.mean(), 1.5);
  EXPECT_EQ(statistics.length.by_item.mean(), 1.75);
  EXPECT_EQ(statistics.steps.item_bins.count(2), 3u);
  EXPECT_EQ(statistics.steps.path_bins.count(2), 1u);
  ASSERT_EQ(statistics.isolated.size(), 1u);
  EXPECT_EQ(statistics.isolated[0], (std::pair<std::string, std::uint64_t>{"s", 1}));
  EXPECT_EQ(statistics.not_shortest.paths, 0u);
}

TEST(DatasetStatistics, TellOddReferencesApart) {
  const auto back = statistics_of_path(R"(["a","b","c","b"])");
  EXPECT_EQ(back.not_shortest.paths, 1u);
  EXPECT_EQ(back.not_shortest.items, 2u);
  EXPECT_EQ(back.not_shortest.first, "7_0");
  EXPECT_EQ(back.revisiting.paths, 1u);
  EXPECT_EQ(back.repeating.paths, 0u);
  EXPECT_EQ(back.round_trips.paths, 0u);
  EXPECT_EQ(back.length.by_path.mean(), 3.0);
  EXPECT_EQ(back.shortest.by_path.mean(), 1.0);

  const auto round = statistics_of_path(R"(["a","b","a"])");
  EXPECT_EQ(round.round_trips.paths, 1u);

  const auto repeat = statistics_of_path(R"(["a","a","b"])");
  EXPECT_EQ(repeat.repeating.paths, 1u);
  EXPECT_EQ(repeat.revisiting.paths, 0u);
  EXPECT_EQ(repeat.off_edges.paths, 0u);
  EXPECT_EQ(repeat.not_shortest.paths, 0u);

  const auto jump = statistics_of_path(R"(["a","c"])");
  EXPECT_EQ(jump.off_edges.paths, 1u);
  EXPECT_EQ(jump.length.by_path.mean(), 2.0) << "the shortest path between a and c";

  const auto single = statistics_of_path(R"(["a"])");
  EXPECT_EQ(single.single.paths, 1u);
  EXPECT_EQ(single.round_trips.paths, 0u);
}

TEST(DatasetStatistics, CountReferencesWithoutALength) {
  const auto cut_off = statistics_of_path(R"(["a","x"])");
  EXPECT_EQ(cut_off.cut_off.paths, 1u);
  EXPECT_EQ(cut_off.off_edges.paths, 1u);
  EXPECT_EQ(cut_off.length.by_path.n(), 0u);

  const auto unknown = statistics_of_path(R"(["a","z"])");
  EXPECT_EQ(unknown.unknown.paths, 1u);
  EXPECT_EQ(unknown.steps.by_path.n(), 1u);
  EXPECT_EQ(unknown.length.by_path.n(), 0u);

  const auto empty = statistics_of_path("[]");
  EXPECT_EQ(empty.empty.paths, 1u);
  EXPECT_EQ(empty.steps.by_path.n(), 0u);
}

TEST(DatasetStatistics, CountLanguages) {
  const Scene s;
  const std::string rest = R"(,"scan":"s","path":["a","b"],"heading":0,"instruction":"")";
  s.folder.write("dataset.json", R"([{"instruction_id":1,"path_id":1,"language":"en-US")" + rest +
                                     R"(},{"instruction_id":2,"path_id":1,"language":"hi-IN")" +
                                     rest + R"(},{"instruction_id":3,"path_id":1)" + rest + "}]");
  const evaluation::DatasetStatistics statistics = statistics_of(s.graphs, s.data);
  EXPECT_EQ(statistics.entries, 3u);
  EXPECT_EQ(statistics.languages,
            (std::map<std::string, std::uint64_t>{{"", 1}, {"en-US", 1}, {"hi-IN", 1}}));
}

// ---------------------------------------------------------------- real data

// Figures of the public data, found by a separate computation in plain Python.
struct Known {
  const char *file, *reference;
  std::uint64_t entries, items, paths, scans, viewpoints, edges, visited, isolated;
  std::uint64_t not_shortest, round_trips, revisiting, single;
  double length, shortest, item_length;
};
constexpr Known known[]{
    {"R2R_val_seen.json", "path", 340, 1021, 340, 56, 7477, 15387, 1560, 7, 0, 0, 0, 0,
     10.185448644164827, 10.185448644164827, 10.186418231418834},
    {"R2R_train.json.gz", "path", 4675, 14039, 4675, 61, 7644, 15705, 5626, 7, 0, 0, 0, 0,
     9.909039000367574, 9.909039000367574, 9.910615925112054},
    {"R4R_val_seen.json.gz", "path", 115, 1035, 115, 40, 5065, 10385, 677, 5, 106, 5, 83, 0,
     20.35749654332185, 11.108483189055795, 20.357496543321847},
    {"R4R_train.json.gz", "path", 25921, 233532, 24687, 59, 7625, 15679, 5448, 7, 23186, 1054,
     18565, 0, 20.629106072805214, 10.548025521404455, 20.595185269382736},
    {"REVERIE_val_seen.json.gz", "path", 501, 1384, 142, 46, 6062, 12397, 650, 5, 1, 0, 0, 0,
     10.469185579123602, 10.45909505040462, 10.540228232204303},
    {"NDH_val_seen.json.gz", "path", 382, 382, 376, 45, 5774, 11636, 1648, 5, 222, 0, 53, 0,
     12.108228290186307, 9.686177580654107, 11.997189036189056},
    {"NDH_val_seen.json.gz", "planner", 382, 382, 335, 45, 5774, 11636, 1234, 5, 0, 0, 0, 3,
     8.3153079949694, 8.3153079949694, 8.389521485958031},
};

TEST(DatasetStatistics, AreThoseOfThePublicData) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  for (const Known& want : known) {
    SCOPED_TRACE(std::string(want.file) + " " + want.reference);
    const evaluation::DatasetStatistics s = statistics_of(
        data_folder() + "/connectivity", data_folder() + "/" + want.file, want.reference);
    std::uint64_t isolated = 0;
    for (const auto& [scan, viewpoints] : s.isolated) isolated += viewpoints;
    EXPECT_EQ(s.entries, want.entries);
    EXPECT_EQ(s.items, want.items);
    EXPECT_EQ(s.paths, want.paths);
    EXPECT_EQ(s.scans, want.scans);
    EXPECT_EQ(s.viewpoints, want.viewpoints);
    EXPECT_EQ(s.edges, want.edges);
    EXPECT_EQ(s.visited, want.visited);
    EXPECT_EQ(isolated, want.isolated);
    EXPECT_EQ(s.not_shortest.paths, want.not_shortest);
    EXPECT_EQ(s.round_trips.paths, want.round_trips);
    EXPECT_EQ(s.revisiting.paths, want.revisiting);
    EXPECT_EQ(s.single.paths, want.single);
    EXPECT_EQ(s.off_edges.paths + s.cut_off.paths + s.unknown.paths + s.repeating.paths, 0u);
    EXPECT_NEAR(*s.length.by_path.mean(), want.length, 1e-9);
    EXPECT_NEAR(*s.shortest.by_path.mean(), want.shortest, 1e-9);
    EXPECT_NEAR(*s.length.by_item.mean(), want.item_length, 1e-9);
  }
}

}  // namespace
}  // namespace warpath::testing
