// Compares scores on streets with those that the original evaluators gave: map2seq_vln and
// VLN-Transformer, whose code is the same, and VELMA. README.md of the data names them.

#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <utility>

namespace warpath::testing {
namespace {

// Names the golden columns that a preset has to reproduce, with their metrics.
struct StreetPreset {
  Arguments arguments;
  std::vector<std::pair<std::string, Metric>> columns;
};

using enum Metric;
const std::vector<StreetPreset> street_presets{
    {{"--preset", "touchdown"},
     {{"tc", SR},
      {"spd", NE},
      {"sed", SED},
      {"cls", CLS},
      {"dtw", DTW},
      {"ndtw", nDTW},
      {"sdtw", SDTW},
      {"edit_osa", ED},
      {"n_pred", n_query},
      {"n_ref", n_ref},
      {"velma_kpa", KPA}}},
    {{"--preset", "map2seq", "--edit", "levenshtein"}, {{"tc", SR}, {"edit_levenshtein", ED}}},
    {{"--preset", "velma"}, {{"velma_tc", SR}, {"velma_spd", NE}, {"velma_kpa", KPA}}},
    {{"--preset", "velma", "--kp-start", "none"}, {{"kpa_pairs_only", KPA}}}};

struct StreetSet {
  std::string graph, name;
};
const std::vector<StreetSet> street_sets{
    {"window", "map2seq_dev"}, {"window", "touchdown_dev"}, {"made", "map2seq_made"}};
const std::vector<std::string> street_agents{"follower", "noisy", "over_short", "stop",
                                             "swapped",  "turn",  "walk"};

std::string street_file(const std::string& name) {
  return data_folder() + "/tasks3/street/" + name;
}

std::string agent_file(const StreetSet& set, const std::string& agent) {
  return street_file("agents/" + set.graph + "_" + set.name + "_" + agent + "_results.json.gz");
}

class StreetGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
    if (!std::filesystem::exists(street_file("golden.csv.gz"))) {
      GTEST_SKIP() << "the real data have no folder tasks3/street";
    }
  }

  static Arguments inputs(const StreetSet& set, const std::string& dataset) {
    return {"--graphs", street_file(set.graph), "--dataset", dataset};
  }
};

TEST_F(StreetGolden, EqualsTheOriginalEvaluators) {
  const auto golden = read_csv(street_file("golden.csv.gz"));
  std::size_t compared = 0;
  for (const StreetSet& set : street_sets) {
    Arguments all = inputs(set, street_file(set.graph + "_" + set.name + ".json.gz"));
    for (const std::string& agent : street_agents) {
      all.push_back(agent + "=" + agent_file(set, agent));
    }
    for (const std::string backend : real_data_backends) {
      for (const StreetPreset& preset : street_presets) {
        const Arguments arguments = with(all, preset.arguments, {"--backend", backend});
        const TemporaryFolder folder;
        std::map<std::pair<std::string, std::string>, CsvRow> ours;
        for (CsvRow& row : eval_rows(folder, arguments)) {
          ours[{row.at("run"), row.at("instr_id")}] = row;
        }
        for (const CsvRow& row : golden) {
          if (row.at("graph") != set.graph || row.at("dataset") != set.name) continue;
          const CsvRow& own = ours[{row.at("agent"), row.at("id")}];
          for (const auto& [column, metric] : preset.columns) {
            ASSERT_TRUE(own.contains(std::string(info(metric).name))) << row.at("id");
            EXPECT_TRUE(agrees(row.at(column), own.at(std::string(info(metric).name)), metric,
                               backend, 90.0))
                << backend << " " << preset.arguments[1] << " " << set.graph << " " << set.name
                << " " << row.at("agent") << " " << row.at("id") << " " << column << ": golden "
                << row.at(column) << ", ours " << own.at(std::string(info(metric).name));
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_EQ(compared, golden.size() * 17 * std::size(real_data_backends));
}

// The results hold the references, too, and VELMA's own metrics.
TEST_F(StreetGolden, ReproducesTheMetricsInResults) {
  for (const StreetSet& set : street_sets) {
    for (const std::string& agent : street_agents) {
      const std::string results = agent_file(set, agent);
      Arguments arguments = inputs(set, results);
      arguments.insert(arguments.begin(), "eval");
      arguments.insert(arguments.end(), {results, "--preset", "velma"});
      const CliResult result = run(arguments);
      ASSERT_EQ(result.code, 0) << result.err;
      EXPECT_NE(result.out.find("the metrics in the file equal these"), std::string::npos)
          << agent << result.out;
    }
  }
}

}  // namespace
}  // namespace warpath::testing
