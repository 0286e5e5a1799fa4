// Compares scores of tasks with targets with golden scores, which the original public evaluators
// made of the real data. The reference back end agrees to 1e-12, cpu to the rounding of single
// precision.

#include <gtest/gtest.h>

#include <iostream>
#include <set>

#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

// Holds one convention, and the golden columns that it must reproduce with their metrics.
struct TargetConvention {
  Arguments arguments;
  std::vector<std::pair<std::string, Metric>> columns;
};

// Holds a golden file of the folder `targets`, and how to score its agents.
struct TargetSet {
  std::string name, golden, agents;  // files: golden/<golden>.csv.gz, agents/<agents>_<agent>…
  Arguments inputs;
  std::vector<std::string> id;  // golden columns whose values, joined by "_", are an item's id
  std::string id_ending;
  std::set<std::string> not_scores;  // golden columns that describe the row, or that we leave out
  std::vector<TargetConvention> conventions;
};

std::string target_file(const std::string& name) {
  return data_folder() + "/targets/" + name;
}

TargetSet ndh() {
  using enum Metric;
  TargetSet set{.name = "NDH",
                .golden = "NDH_targets_val_seen",
                .agents = "NDH_val_seen",
                .inputs = {"--dataset", data_folder() + "/NDH_val_seen.json.gz"},
                .id = {"id"},
                .id_ending = "_0",
                .not_scores = {"agent", "id", "scan", "n_pred", "n_end_panos"},
                .conventions = {}};
  for (const std::string type : {"planner", "player", "trusted"}) {
    const std::string reference = type == "player" ? "path" : type;
    set.conventions.push_back({{"--preset", "ndh", "--reference", reference},
                               {{type + "_nav_error", NE},
                                {type + "_oracle_error", ONE},
                                {type + "_shortest_path_length", SP},
                                {type + "_sr", SR},
                                {type + "_osr", OSR},
                                {type + "_spl", SPL}}});
  }
  set.conventions.push_back({{"--preset", "ndh"},
                             {{"trajectory_length", PL},
                              {"dist_to_end_reduction", GP},
                              {"oracle_gp", OGP},
                              {"oracle_plan_error", OPE}}});
  set.conventions.push_back({{"--preset", "valan-ndh"}, {{"valan_gp", GP}}});
  set.conventions.push_back({{"--preset", "ndh-hamt"},
                             {{"hamt_trajectory_steps", steps},
                              {"hamt_trajectory_lengths", PL},
                              {"hamt_success", SR},
                              {"hamt_oracle_success", OSR},
                              {"hamt_spl", SPL},
                              {"hamt_gp", GP}}});
  return set;
}

TargetSet rxr() {
  using enum Metric;
  TargetSet set{.name = "RxR",
                .golden = "RxR_val_seen",
                .agents = "RxR_val_seen",
                .inputs = {"--dataset", target_file("RxR_made_val_seen_guide.jsonl.gz")},
                .id = {"instruction_id"},
                .id_ending = "",
                .not_scores = {"agent", "demonstration_id", "instruction_id", "language", "scan"},
                .conventions = {}};
  // One agent has a single instruction.
  set.conventions.push_back({{"--preset", "rxr", "--missing", "skip"},
                             {{"n_pred", n_query},
                              {"n_ref", n_ref},
                              {"ne", NE},
                              {"sr", SR},
                              {"spl", SPL},
                              {"dtw", DTW},
                              {"ndtw", nDTW},
                              {"sdtw", SDTW}}});
  set.conventions.push_back({{"--preset", "valan"},
                             {{"valan_path_length", PL},
                              {"valan_oracle_success", OSR},
                              {"valan_success_rate", SR},
                              {"valan_spl", SPL},
                              {"valan_navigation_error", NE},
                              {"valan_num_steps_before_stop", steps},
                              {"valan_dtw", DTW},
                              {"valan_norm_dtw", nDTW},
                              {"valan_sdtw", SDTW},
                              {"valan_cls", CLS}}});
  set.conventions.push_back({{"--preset", "duet"},
                             {{"hamt_nav_error", NE},
                              {"hamt_oracle_error", ONE},
                              {"hamt_trajectory_steps", steps},
                              {"hamt_trajectory_lengths", PL},
                              {"hamt_success", SR},
                              {"hamt_spl", SPL},
                              {"hamt_oracle_success", OSR},
                              {"hamt_DTW", DTW},
                              {"hamt_nDTW", nDTW},
                              {"hamt_SDTW", SDTW},
                              {"hamt_CLS", CLS}}});
  return set;
}

std::string agent_file(const TargetSet& set, const std::string& agent) {
  for (const std::string folder : {"/targets/agents/", "/agents/"}) {
    for (const std::string ending : {".json.gz", "_follower.jsonl.gz"}) {
      const std::string file = data_folder() + folder + set.agents + "_" + agent + ending;
      if (std::filesystem::exists(file)) return file;
    }
  }
  ADD_FAILURE() << "no predictions of " << agent;
  return "";
}

std::string id_of(const CsvRow& row, const TargetSet& set) {
  std::string id;
  for (const std::string& column : set.id) id += (id.empty() ? "" : "_") + row.at(column);
  return id + set.id_ending;
}

// Compares one agent's rows under one convention; returns the number of values.
std::size_t compare_agent(const TargetSet& set, const TargetConvention& convention,
                          const std::vector<CsvRow>& golden, const std::string& agent,
                          const std::string& backend) {
  const TemporaryFolder folder;
  Arguments arguments{"--graphs", data_folder() + "/connectivity", "--backend", backend};
  arguments.insert(arguments.end(), set.inputs.begin(), set.inputs.end());
  arguments.insert(arguments.end(), convention.arguments.begin(), convention.arguments.end());
  arguments.push_back(agent_file(set, agent));
  std::map<std::string, CsvRow> ours;
  for (CsvRow& row : eval_rows(folder, arguments)) ours[row["instr_id"]] = row;
  std::size_t compared = 0;
  for (const CsvRow& row : golden) {
    if (row.at("agent") != agent) continue;
    CsvRow& found = ours[id_of(row, set)];
    const double viewpoints =
        found["n_query"].empty() ? 0.0 : std::stod(found["n_query"]) + std::stod(found["n_ref"]);
    for (const auto& [column, metric] : convention.columns) {
      const std::string& value = found[std::string(info(metric).name)];
      EXPECT_TRUE(agrees(row.at(column), value, metric, backend, viewpoints))
          << agent << " " << id_of(row, set) << " " << column << ": golden " << row.at(column)
          << ", ours " << value;
      ++compared;
    }
  }
  return compared;
}

void compare_all(const TargetSet& set, const std::string& backend) {
  const auto golden = read_csv(target_file("golden/" + set.golden + ".csv.gz"));
  std::set<std::string> agents, columns = set.not_scores;
  for (const CsvRow& row : golden) agents.insert(row.at("agent"));
  std::size_t compared = 0;
  for (const TargetConvention& convention : set.conventions) {
    for (const auto& [column, metric] : convention.columns) columns.insert(column);
    for (const std::string& agent : agents) {
      compared += compare_agent(set, convention, golden, agent, backend);
    }
  }
  EXPECT_EQ(columns.size(), golden.front().size()) << "a golden column is not compared";
  std::cout << set.name << " --backend " << backend << ": " << golden.size() << " rows, "
            << compared << " values\n";
}

class TargetGolden : public ::testing::TestWithParam<TargetSet (*)()> {
 protected:
  void SetUp() override {
    if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
    if (!std::filesystem::exists(target_file("golden"))) {
      GTEST_SKIP() << "the real data have no folder targets";
    }
  }
};

TEST_P(TargetGolden, EqualsTheOriginalEvaluators) {
  const TargetSet set = GetParam()();
  for (const std::string backend : {"reference", "cpu"}) compare_all(set, backend);
}

INSTANTIATE_TEST_SUITE_P(Sets, TargetGolden, ::testing::Values(&ndh, &rxr),
                         [](const auto& test) { return test.param().name; });

}  // namespace
}  // namespace warpath::testing
