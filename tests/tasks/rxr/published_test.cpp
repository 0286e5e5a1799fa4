// Tests RxR's guide and follower files, its two presets, and positions from another file.

#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

namespace json = simdjson::dom;

std::string target(const std::string& name) {
  return source("tests/golden/targets/" + name);
}

Arguments small_rxr(const Arguments& more) {
  return with({"--graphs", source("tests/golden/connectivity"), "--dataset",
               target("rxr_guide.jsonl"), "mine=" + target("rxr_follower.jsonl")},
              more);
}

Arguments arguments_of(const std::string& preset) {
  if (preset == "rxr") return {"--preset", preset};
  return {"--preset", preset, "--coordinates", target("rxr_coordinates.csv")};
}

CliResult evaluate(Arguments arguments) {
  arguments.insert(arguments.begin(), "eval");
  return run(arguments);
}

TEST(SmallRxr, EqualsThePythonTranscription) {
  const TemporaryFolder folder;
  for (const std::string preset : {"rxr", "rxr-published"}) {
    std::vector<CsvRow> golden = read_csv(target("rxr_scores.csv"));
    std::erase_if(golden, [&](const CsvRow& row) { return row.at("preset") != preset; });
    for (const std::string backend : {"reference", "cpu"}) {
      Arguments arguments = small_rxr(arguments_of(preset));
      arguments.insert(arguments.end(), {"--backend", backend});
      const auto ours = eval_rows(folder, arguments);
      ASSERT_EQ(ours.size(), golden.size());
      for (std::size_t i = 0; i < golden.size(); ++i) {
        EXPECT_EQ(ours[i].at("instr_id"), golden[i].at("instr_id"));
        EXPECT_EQ(ours[i].at("status"), golden[i].at("status")) << golden[i].at("instr_id");
        for (const std::string name :
             {"PL", "NE", "SR", "SPL", "CLS", "DTW", "nDTW", "SDTW", "steps"}) {
          EXPECT_TRUE(
              agrees(golden[i].at(name), ours[i].at(name), *find_metric(name), backend, 60.0))
              << preset << " " << backend << " " << golden[i].at("instr_id") << " " << name
              << ": golden " << golden[i].at(name) << ", ours " << ours[i].at(name);
        }
      }
    }
  }
}

TEST(SmallRxr, IsSplitByLanguage) {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  const CliResult result = evaluate(small_rxr({"--preset", "rxr", "--by", "language", "--backend",
                                               "reference", "--quiet", "--json", file}));
  ASSERT_EQ(result.code, 0) << result.err;
  json::parser golden_parser, our_parser;
  const json::object golden = golden_parser.load(target("rxr_ndtw_by_language.json")).get_object();
  const json::array groups = our_parser.load(file)["runs"].at(0)["groups"].get_array();
  ASSERT_EQ(groups.size(), golden.size());
  for (const json::element group : groups) {
    const std::string_view language = group["language"];
    EXPECT_NEAR(group["metrics"]["nDTW"]["mean"].get_double(), golden[language].get_double(), 1e-12)
        << language;
  }
}

TEST(SmallRxr, ComparesTheMetricsThatTheFileGives) {
  for (const std::string backend : {"reference", "cpu"}) {
    Arguments arguments = small_rxr(arguments_of("rxr-published"));
    arguments.insert(arguments.end(), {"--backend", backend});
    const CliResult same = evaluate(arguments);
    ASSERT_EQ(same.code, 0) << same.err;
    EXPECT_NE(same.out.find("the metrics in the file equal these (22 predictions)"),
              std::string::npos)
        << same.out;
  }
  const CliResult other = evaluate(small_rxr(arguments_of("rxr")));
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_NE(other.out.find("the metrics in the file differ from these in "), std::string::npos)
      << other.out;
  EXPECT_NE(other.out.find("dtw 0."), std::string::npos) << other.out;
}

TEST(SmallRxr, NamesTheCoordinates) {
  const TemporaryFolder folder;
  const auto report = [&](const std::string& preset) {
    const std::string file = folder.path(preset + ".json");
    Arguments arguments = small_rxr(arguments_of(preset));
    arguments.insert(arguments.end(), {"--quiet", "--json", file});
    EXPECT_EQ(evaluate(arguments).code, 0);
    return read_text(file);
  };
  const std::string poses = report("rxr"), published = report("rxr-published");
  EXPECT_NE(published.find("at the coordinates of " + target("rxr_coordinates.csv")),
            std::string::npos)
      << published;
  json::parser a, b;
  EXPECT_NE(std::string(std::string_view(a.parse(poses)["graphs"]["hash"])),
            std::string(std::string_view(b.parse(published)["graphs"]["hash"])));
}

TEST(SmallRxr, IsExplainedAtTheCoordinates) {
  Arguments arguments = small_rxr(arguments_of("rxr-published"));
  arguments.insert(arguments.begin(), "explain");
  arguments.insert(arguments.end(), {"--item", "71"});
  const CliResult result = run(arguments);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto golden = read_csv(target("rxr_scores.csv"));
  for (const CsvRow& row : golden) {
    if (row.at("instr_id") != "71" || row.at("preset") != "rxr-published") continue;
    EXPECT_NE(result.out.find(row.at("DTW").substr(0, 12)), std::string::npos)
        << row.at("DTW") << result.out;
  }
}

TEST(RxrPublished, NeedsCoordinates) {
  const CliResult result = evaluate(small_rxr({"--preset", "rxr-published"}));
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--coordinates"), std::string::npos) << result.err;
}

TEST(Rxr, TakesEveryDemonstrationUnlessToldOtherwise) {
  const TemporaryFolder folder;
  EXPECT_EQ(eval_rows(folder, small_rxr({"--preset", "rxr"})).size(), 22u);
  EXPECT_EQ(eval_rows(folder, small_rxr({"--preset", "rxr", "--duplicates", "last"})).size(), 18u);
}

// Merged shards keep the metrics of their entries, also behind a shard without any.
TEST(Rxr, ComparesTheMetricsOfMergedShards) {
  const TemporaryFolder folder;
  const std::string graph =
      folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[4,0]}],
        "edges":[["a","b"]]})");
  const std::string data =
      folder.write("d.jsonl", R"({"instruction_id":1,"scan":"s","path":["a","b"]}
{"instruction_id":2,"scan":"s","path":["a","b"]})");
  const std::string plain = folder.write("p.jsonl", R"({"instruction_id":1,"path":["a","b"]})"
                                                    "\n");
  const std::string given = folder.write(
      "q.jsonl", R"({"instruction_id":2,"path":["a"],"metrics":{"ne":5.5,"dtw":4,"sr":null}})"
                 "\n");
  const CliResult result =
      evaluate({"--graphs", graph, "--dataset", data, "--merge", plain, given});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("differ from these in 1 of 1 prediction, at most by ne 1.5 (2);"),
            std::string::npos)
      << result.out;
}

}  // namespace
}  // namespace warpath::testing
