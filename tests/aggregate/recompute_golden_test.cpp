// Compares measures that warpath aggregate recomputes with those that habitat's formulas give for
// the same episodes.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

// Returns a number of a golden file as Python's JSON writes it.
std::string as_json(const std::string& number) {
  return number == "nan" ? "NaN" : number == "inf" ? "Infinity" : number;
}

// Returns a line for each golden episode: its measures, and its path.
std::string golden_results(const std::string& data) {
  const std::pair<const char*, const char*> keys[]{
      {"success", "SR"},          {"oracle_success", "OSR"}, {"spl", "SPL"},
      {"distance_to_goal", "NE"}, {"path_length", "PL"},     {"oracle_navigation_error", "ONE"},
      {"ndtw", "nDTW"},           {"sdtw", "SDTW"}};
  const std::string paths = read_text(data + "episodes_agent.json.gz");
  std::string lines;
  for (const CsvRow& row : read_csv(data + "episodes_golden.csv.gz")) {
    lines += fmt::format(R"({{"episode_id":"{}")", row.at("episode"));
    for (const auto& [key, column] : keys)
      lines += fmt::format(R"(,"{}":{})", key, as_json(row.at(column)));
    lines += fmt::format(R"(,"path":{}}})", json_at(paths, "/" + row.at("episode"))) + "\n";
  }
  return lines;
}

void expect_golden(const std::vector<std::string>& distances) {
  const std::string data = data_folder() + "/obstacles/";
  const TemporaryFolder folder;
  const CliResult result = run(
      with({"aggregate", folder.write("r.jsonl", golden_results(data)), "--recompute", "--dataset",
            data + "episodes.json.gz", "--ground-truth", data + "episodes_gt.json.gz", "--invalid",
            "zero", "--json", folder.path("out.json")},
           distances));
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string text = read_text(folder.path("out.json"));
  const std::pair<std::string, double> finite[]{{"SR", 96},   {"OSR", 96},  {"SPL", 87},
                                                {"nDTW", 96}, {"SDTW", 96}, {"NE", 91},
                                                {"PL", 96},   {"ONE", 92}};
  for (const auto& [name, count] : finite) {
    const std::string at = "/recomputed/measures/" + name;
    EXPECT_EQ(number_at(text, at + "/n"), 96) << name;
    EXPECT_EQ(number_at(text, at + "/different"), 0) << name;
    EXPECT_EQ(number_at(text, at + "/finite"), count) << name;
    // Distances of the golden files have nine digits.
    EXPECT_LE(number_at(text, at + "/max_difference"), 1e-7) << name;
  }
  EXPECT_EQ(json_at(text, "/recomputed/status"), R"({"ok":86,"goal_unreachable":10})");
}

TEST(RecomputeGolden, ByTheDistancesOfAFile) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  expect_golden({"--distances", data_folder() + "/obstacles/episodes_distances.json.gz"});
}

#ifdef WARPATH_HAS_NAVMESH

TEST(RecomputeGolden, OverMeshes) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
  expect_golden({"--navmesh", data_folder() + "/obstacles/navmesh", "--habitat", "0.3.4"});
}

#endif

}  // namespace
}  // namespace warpath::testing
