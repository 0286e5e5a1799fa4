// Tests NDH's regions, and its three references side by side.

#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

namespace json = simdjson::dom;

const std::vector<std::string> ndh_metrics{"PL",  "NE", "ONE", "SR",  "OSR",
                                           "SPL", "GP", "OGP", "OPE", "OPSR"};

Arguments small_ndh() {
  return {"--graphs", source("tests/golden/connectivity"), "--dataset",
          source("tests/golden/targets/ndh.json"), source("tests/golden/targets/ndh_agent.json")};
}

std::vector<CsvRow> golden_rows(const std::string& preset, const std::string& reference) {
  std::vector<CsvRow> rows = read_csv(source("tests/golden/targets/ndh_scores.csv"));
  std::erase_if(rows, [&](const CsvRow& row) {
    return row.at("preset") != preset || row.at("reference") != reference;
  });
  return rows;
}

void compare(const std::vector<CsvRow>& golden, const std::vector<CsvRow>& ours,
             const std::string& backend) {
  ASSERT_FALSE(golden.empty());
  ASSERT_EQ(ours.size(), golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    EXPECT_EQ(ours[i].at("instr_id"), golden[i].at("instr_id"));
    EXPECT_EQ(ours[i].at("status"), golden[i].at("status")) << golden[i].at("instr_id");
    for (const std::string& name : ndh_metrics) {
      EXPECT_TRUE(agrees(golden[i].at(name), ours[i].at(name), *find_metric(name), backend, 60.0))
          << backend << " " << golden[i].at("instr_id") << " " << name << ": golden "
          << golden[i].at(name) << ", ours " << ours[i].at(name);
    }
  }
}

TEST(SmallNdh, ShowsGoalProgressByDefault) {
  const CliResult ndh = run(with({"eval", "--preset", "ndh", "--invalid", "skip"}, small_ndh()));
  EXPECT_NE(ndh.out.find(" GP (m) "), std::string::npos) << ndh.out << ndh.err;
  const CliResult r2r = run({"eval", "--graphs", source("tests/golden/connectivity"), "--dataset",
                             source("tests/golden/dataset.json"), "--missing", "skip", "--invalid",
                             "skip", source("tests/golden/predictions.json")});
  EXPECT_EQ(r2r.out.find(" GP (m) "), std::string::npos) << r2r.out;
  EXPECT_EQ(r2r.code, 0) << r2r.err;
}

TEST(SmallNdh, EqualsThePythonTranscription) {
  const std::vector<std::pair<std::string, std::string>> cases{{"ndh", "player"},
                                                               {"ndh", "planner"},
                                                               {"ndh", "trusted"},
                                                               {"ndh-hamt", "trusted"},
                                                               {"navillm-ndh", "planner"}};
  for (const std::string backend : {"reference", "cpu"}) {
    for (const auto& [preset, reference] : cases) {
      const TemporaryFolder folder;
      compare(golden_rows(preset, reference),
              eval_rows(folder, with(small_ndh(), {"--backend", backend, "--preset", preset,
                                                   "--reference", reference})),
              backend);
    }
  }
}

TEST(NdhReferences, AreRowsOfOneTable) {
  const TemporaryFolder folder;
  const Arguments all =
      with(small_ndh(), {"--preset", "ndh", "--reference", "all", "--name", "mine"});
  std::map<std::string, std::vector<CsvRow>> by_run;
  for (CsvRow& row : eval_rows(folder, all)) by_run[row.at("run")].push_back(row);
  ASSERT_EQ(by_run.size(), 3u);
  for (const std::string reference : {"player", "planner", "trusted"}) {
    compare(golden_rows("ndh", reference), by_run["mine [" + reference + "]"], "reference");
  }

  const CliResult table = run(with({"eval"}, with(all, {"--invalid", "skip"})));
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("agent [reference]"), std::string::npos) << table.out;
  for (const std::string label : {"mine [player] ", "mine [planner] ", "mine [trusted] "}) {
    EXPECT_NE(table.out.find(label), std::string::npos) << table.out;
  }
}

// The references of a set are not compared with each other, but agents are under each.
TEST(NdhReferences, MarkTheBestAgentOfEachReference) {
  const std::string agent = source("tests/golden/targets/ndh_agent.json");
  const Arguments one = with(small_ndh(), {"--preset", "ndh", "--reference", "all", "--invalid",
                                           "skip", "--metrics", "SPL", "--latex"});
  const CliResult alone = run(with({"eval"}, one));
  ASSERT_EQ(alone.code, 0) << alone.err;
  EXPECT_EQ(alone.out.find("\\textbf"), std::string::npos) << alone.out;

  const CliResult two =
      run({"eval", "--graphs", source("tests/golden/connectivity"), "--dataset",
           source("tests/golden/targets/ndh.json"), "a=" + agent, "b=" + agent, "--preset", "ndh",
           "--reference", "all", "--invalid", "skip", "--metrics", "SPL", "--latex"});
  ASSERT_EQ(two.code, 0) << two.err;
  std::size_t bold = 0;
  for (std::size_t at = 0; (at = two.out.find("\\textbf", at)) != std::string::npos; ++at) ++bold;
  EXPECT_EQ(bold, 6u) << two.out;
}

TEST(NdhReferences, StandInTheJsonReport) {
  const TemporaryFolder folder;
  const std::string file = folder.path("report.json");
  const CliResult result =
      run(with({"eval"}, with(small_ndh(), {"--preset", "ndh", "--reference", "all", "--invalid",
                                            "skip", "--quiet", "--json", file})));
  ASSERT_EQ(result.code, 0) << result.err;
  json::parser parser;
  const json::array runs = parser.load(file)["runs"].get_array();
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(std::string_view(runs.at(1)["reference"]), "planner");
  EXPECT_EQ(std::string_view(runs.at(1)["name"]), "ndh_agent [planner]");
  EXPECT_TRUE(runs.at(2)["metrics"]["SR"]["ci95"].is_array());
}

TEST(NdhReferences, AreExplainedOneAfterTheOther) {
  const CliResult result = run(with(
      {"explain"}, with(small_ndh(), {"--preset", "ndh", "--reference", "all", "--item", "500"})));
  ASSERT_EQ(result.code, 0) << result.err;
  for (const std::string reference : {"[player]", "[planner]", "[trusted]"}) {
    EXPECT_NE(result.out.find(reference), std::string::npos) << result.out;
  }
}

TEST(NdhReferences, AreRefusedWhereOneIsNeeded) {
  const std::string graphs = source("tests/golden/connectivity");
  const std::string ndh = source("tests/golden/targets/ndh.json");
  const std::string agent = source("tests/golden/targets/ndh_agent.json");
  for (const Arguments& command :
       {Arguments{"validate", "--graphs", graphs, "--dataset", ndh, agent},
        Arguments{"rewards", "--reward", "goal", "--graphs", graphs, "--dataset", ndh, agent},
        Arguments{"dataset", "--graphs", graphs, ndh},
        Arguments{"random", "--graphs", graphs, "--dataset", ndh, "--walks", "10"}}) {
    const CliResult result = run(with(command, {"--reference", "all"}));
    EXPECT_EQ(result.code, 2) << command.front();
    EXPECT_NE(result.err.find("path, planner or trusted"), std::string::npos) << result.err;
  }
  const CliResult r2r =
      run({"eval", "--graphs", graphs, "--dataset", source("tests/golden/dataset.json"),
           source("tests/golden/predictions.json"), "--reference", "all"});
  EXPECT_EQ(r2r.code, 2);
  EXPECT_NE(r2r.err.find("--reference all is for NDH annotations"), std::string::npos) << r2r.err;
}

// Returns what `eval` says of one item of NDH on the street a – b – c, predicted to go a, b.
std::string error_of_item(const std::string& items, const Arguments& more = {}) {
  const TemporaryFolder folder;
  const std::string graph =
      folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[4,0]},
        {"id":"c","position":[8,0]}],"edges":[["a","b"],["b","c"]]})");
  const std::string predictions = folder.write(
      "p.json",
      R"([{"inst_idx":1,"trajectory":[["a"],["b"]]},{"inst_idx":2,"trajectory":[["a"]]}])");
  const CliResult result = run(with({"eval", "--graphs", graph, "--dataset",
                                     folder.write("d.json", "[" + items + "]"), predictions},
                                    more));
  EXPECT_EQ(result.code, 1) << items;
  return result.err;
}

TEST(NdhRegions, ThatCannotBeUsedAreNamed) {
  const std::string good =
      R"({"inst_idx":2,"scan":"s","end_panos":["c"],"player_path":["a","b"],"planner_path":["a","c"]})";
  const auto item = [&](const std::string& keys) {
    return good + R"(,{"inst_idx":1,"scan":"s",)" + keys + "}";
  };
  struct Case {
    std::string item, field, problem;
    Arguments more{};
  };
  const std::vector<Case> cases{
      {item(R"("end_panos":[],"player_path":["a","b"],"planner_path":["a"])"), "end_panos",
       "names no viewpoint"},
      {item(R"("end_panos":"c","player_path":["a","b"],"planner_path":["a"])"), "end_panos",
       "list"},
      {item(R"("end_panos":[3],"player_path":["a","b"],"planner_path":["a"])"), "end_panos",
       "list"},
      {item(R"("end_panos":null,"player_path":["a","b"],"planner_path":["a"])"), "end_panos",
       "list"},
      {item(R"("end_panos":["z"],"player_path":["a","b"],"planner_path":["a"])"), "end_panos",
       "viewpoint z"},
      {item(R"("player_path":["a","b"],"planner_path":["a"])"), "1", "no key 'end_panos'"},
      {item(R"("end_panos":["c"],"player_path":["a","b"],"planner_path":["z"])"), "planner_path",
       "viewpoint z"},
      {item(R"("end_panos":["c"],"player_path":["a","b"])"),
       "1",
       "planner_path",
       {"--reference", "planner"}},
      {item(R"("end_panos":["c"],"player_path":["a","b"])"),
       "1",
       "planner_path",
       {"--reference", "all"}},
      {item(R"("end_panos":["c"],"planner_path":["a"])"), "1", "path"},
      {item(R"("end_panos":["c"],"player_path":7,"planner_path":["a"])"), "player_path", "list"},
      {item(R"("end_panos":["c"],"player_path":[],"planner_path":["a"])"), "reference", "is empty"},
  };
  for (const Case& c : cases) {
    const std::string error = error_of_item(c.item, c.more);
    EXPECT_NE(error.find("d.json: "), std::string::npos) << error;
    EXPECT_NE(error.find(c.field), std::string::npos) << error;
    EXPECT_NE(error.find(c.problem), std::string::npos) << error;
  }
}

// An item without `planner_path` has no plan error; the others have one.
TEST(NdhRegions, AreScoredWithoutAPlanner) {
  const TemporaryFolder folder;
  const std::string graph =
      folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[4,0]},
        {"id":"c","position":[8,0]}],"edges":[["a","b"],["b","c"]]})");
  const std::string data = folder.write("d.json", R"([
    {"inst_idx":1,"scan":"s","end_panos":["c"],"player_path":["a","b"],"planner_path":["a","c"]},
    {"inst_idx":2,"scan":"s","end_panos":["c"],"player_path":["a","b"]}])");
  const std::string predictions = folder.write(
      "p.json",
      R"([{"inst_idx":1,"trajectory":[["a"],["b"]]},{"inst_idx":2,"trajectory":[["a"],["b"]]}])");
  const auto rows = eval_rows(folder, {"--graphs", graph, "--dataset", data, predictions});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("OPE"), "4");
  EXPECT_EQ(rows[1].at("OPE"), "");
  EXPECT_EQ(rows[1].at("GP"), "4");
  EXPECT_EQ(rows[1].at("OGP"), "4");
}

// ---------------------------------------------------------------- the original evaluator

TEST(RealNdh, MeansOfThePathTypesEqualTheOriginals) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  const std::string targets = data_folder() + "/targets/";
  if (!std::filesystem::exists(targets)) GTEST_SKIP() << "the real data have no folder targets";
  const std::vector<std::pair<std::string, std::string>> names{{"length", "PL"},
                                                               {"nav_error", "NE"},
                                                               {"spl", "SPL"},
                                                               {"oracle success_rate", "OSR"},
                                                               {"success_rate", "SR"},
                                                               {"oracle path_success_rate", "OPSR"},
                                                               {"dist_to_end_reduction", "GP"}};
  Arguments arguments{"eval",
                      "--graphs",
                      data_folder() + "/connectivity",
                      "--dataset",
                      data_folder() + "/NDH_val_seen.json.gz",
                      "--preset",
                      "ndh",
                      "--reference",
                      "all",
                      "--backend",
                      "reference",
                      "--quiet"};
  json::parser golden_parser, our_parser;
  const json::object golden =
      golden_parser.load(targets + "golden/NDH_targets_val_seen.mean.json").get_object();
  const TemporaryFolder folder;
  arguments.insert(arguments.end(), {"--json", folder.path("report.json")});
  for (const auto agent : golden) {
    const std::string name = "NDH_val_seen_" + std::string(agent.key) + ".json.gz";
    const std::string file = targets + "agents/" + name;
    arguments.push_back(std::string(agent.key) + "=" +
                        (std::filesystem::exists(file) ? file : data_folder() + "/agents/" + name));
  }
  const CliResult result = run(arguments);
  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, json::element> runs;
  for (const json::element run : our_parser.load(folder.path("report.json"))["runs"].get_array()) {
    runs.emplace(run["name"].get_string().value(), run);
  }
  std::size_t compared = 0;
  for (const auto agent : golden) {
    for (const std::string reference : {"player", "planner", "trusted"}) {
      const std::string name = std::string(agent.key) + " [" + reference + "]";
      ASSERT_TRUE(runs.contains(name)) << name;
      const json::element means = agent.value[reference + "_path"];
      for (const auto& [original, metric] : names) {
        const double ours = runs.at(name)["metrics"][metric]["mean"].get_double();
        const double expected = means[original].get_double();
        EXPECT_NEAR(ours, expected, 1e-12 * std::max(1.0, std::abs(expected)))
            << name << " " << original;
        ++compared;
      }
    }
  }
  std::cout << "NDH means by path type: " << compared << " values\n";
}

}  // namespace
}  // namespace warpath::testing
