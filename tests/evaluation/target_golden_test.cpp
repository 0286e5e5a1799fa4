// Compares scores of tasks with targets with golden scores, which the original public evaluators
// made of the real data. The reference back end agrees to 1e-12, cpu to the rounding of single
// precision.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <set>

#include "host/files/formats/json_file.hpp"
#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

// Holds one convention, and the golden columns that it must reproduce with their metrics.
struct TargetConvention {
  Arguments arguments;
  std::vector<std::pair<std::string, Metric>> columns;
  bool takes_distances = false;  // an agent's own file of distances
};

// Holds a golden file of the folder `targets`, and how to score its agents.
struct TargetSet {
  std::string name, golden, agents;  // files: golden/<golden>.csv.gz, agents/<agents>_<agent>…
  Arguments inputs;
  std::vector<std::string> id;       // golden columns whose values, joined by "_", are an item's id
  std::string id_ending{};           // follows the id
  std::set<std::string> not_scores;  // golden columns that describe the row, or that we leave out
  std::vector<TargetConvention> conventions;
  std::shared_ptr<TemporaryFolder> made{};  // files that the inputs name
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

TargetSet soon() {
  using enum Metric;
  TargetSet set{
      .name = "SOON",
      .golden = "SOON_val_seen",
      .agents = "SOON_val_seen",
      .inputs = {"--dataset", target_file("SOON_made_val_seen.json.gz")},
      .id = {"instr_id", "traj"},
      // path_idx is the first path with the start; duet_point_det_error is
      // hypot(HE, EE), which DUET computes where RGS is 0, too.
      .not_scores = {"agent", "instr_id", "traj", "path_idx", "scan", "duet_point_det_error"},
      .conventions = {}};
  set.conventions.push_back({{"--preset", "soon"},
                             {{"nav_error", NE},
                              {"oracle_error", ONE},
                              {"steps", steps},
                              {"length", PL},
                              {"shortest_length", SP},
                              {"goal_progress", GP},
                              {"det", RGS},
                              {"heading_error", HE},
                              {"elevation_error", EE},
                              {"point_det_error", PE},
                              {"sr", SR},
                              {"osr", OSR},
                              {"spl", SPL},
                              {"sfpl", SFPL}}});
  set.conventions.push_back({{"--preset", "duet-soon"},
                             {{"duet_nav_error", NE},
                              {"duet_oracle_error", ONE},
                              {"duet_goal_progress", GP},
                              {"duet_det", RGS},
                              {"duet_heading_error", HE},
                              {"duet_elevation_error", EE},
                              {"duet_sr", SR},
                              {"duet_osr", OSR},
                              {"duet_spl", SPL},
                              {"duet_det_spl", SFPL}}});
  return set;
}

// `duet_action_steps` counts the planner's moves, which no metric of a path does.
TargetSet reverie(const std::string& version, const std::string& dataset) {
  using enum Metric;
  return {
      .name = "REVERIE_" + version,
      .golden = "REVERIE_" + version + "_val_seen",
      .agents = "REVERIE_" + version + "_val_seen",
      .inputs = {"--dataset", dataset, "--objects", target_file("REVERIE_BBox_val_seen.json.gz")},
      .id = {"id"},
      .id_ending = "",
      .not_scores = {"agent", "id", "scan", "duet_action_steps"},
      .conventions = {
          {{"--preset", "reverie"},
           {{"n_pred", n_query},
            {"trajectory_length", PL},
            {"shortest_path_length", SP},
            {"visible", SR},
            {"oracle_visible", OSR},
            {"spl", SPL},
            {"rgs", RGS},
            {"rgspl", RGSPL}}},
          {{"--preset", "duet-reverie"},
           {{"duet_trajectory_lengths", PL},
            {"duet_ref_len", PLR},
            {"duet_success", SR},
            {"duet_oracle_success", OSR},
            {"duet_spl", SPL},
            {"duet_rgs", RGS},
            {"duet_rgspl", RGSPL}}},
          {{"--preset", "scalevln-reverie"}, {{"scalevln_rgs", RGS}, {"scalevln_rgspl", RGSPL}}},
          {{"--preset", "paper", "--success", "lt"}, {{"success_3m", SR}}}}};
}

TargetSet reverie_v1() {
  return reverie("v1", target_file("REVERIE_v1_val_seen.json.gz"));
}

TargetSet reverie_v2() {
  return reverie("v2", data_folder() + "/REVERIE_val_seen.json.gz");
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

// Writes the ground truth that lies in the episodes of our copy as a file of its own.
std::string write_truth(const std::string& dataset, const std::string& version,
                        const TemporaryFolder& folder) {
  const formats::JsonFile episodes(dataset);
  std::string truth;
  for (const json::Value episode : formats::as_array(episodes.root(), {})) {
    truth += fmt::format(R"({}"{}":{{"locations":{}}})", truth.empty() ? "" : ",",
                         std::int64_t(episode["episode_id"]),
                         json::minify(episode["gt_locations_" + version]));
  }
  const std::string file = folder.path("truth_" + version + ".json");
  std::ofstream(file) << '{' << truth << '}';
  return file;
}

// Returns a convention whose distances are measured at the start, too, and those that are given.
TargetConvention measured(const std::string& preset, const std::string& truth,
                          std::vector<std::pair<std::string, Metric>> columns) {
  return {{"--preset", preset, "--start-distance", "measured", "--missing", "skip",
           "--ground-truth", truth},
          std::move(columns),
          true};
}

TargetSet vlnce() {
  using enum Metric;
  const std::string dataset = data_folder() + "/VLNCE_R2R_val_seen.json.gz";
  TargetSet set{.name = "VLNCE",
                .golden = "VLNCE_targets_val_seen",
                .agents = "VLNCE_val_seen",
                .inputs = {"--dataset", dataset},
                .id = {"episode_id"},
                // etp_export_n counts the entries of a submission.
                .not_scores = {"agent", "episode_id", "scan", "stop", "etp_export_n"},
                .conventions = {},
                .made = std::make_shared<TemporaryFolder>()};
  const std::string v12 = write_truth(dataset, "v1_2", *set.made);
  const std::string v13 = write_truth(dataset, "v1_3", *set.made);
  set.conventions = {
      measured("vlnce", v12,
               {{"n_pred", n_query_raw},
                {"distance_to_goal", NE},
                {"success", SR},
                {"spl", SPL},
                {"softspl", SoftSPL},
                {"path_length", PL},
                {"oracle_navigation_error", ONE},
                {"oracle_success", OSR},
                {"oracle_spl", OracleSPL},
                {"steps_taken", steps},
                {"ndtw_exact_v12", nDTW}}),
      measured("vlnce", v13, {{"ndtw_exact_v13", nDTW}}),
      measured("vlnce-fastdtw", v12, {{"ndtw_fast_v12", nDTW}, {"sdtw_fast_v12", SDTW}}),
      measured("vlnce-fastdtw", v13, {{"ndtw_fast_v13", nDTW}}),
      measured("dcvln", v12,
               {{"dc_success", SR},
                {"dc_oracle_success", OSR},
                {"dc_path_length", PL},
                {"dc_spl", SPL},
                {"dc_ndtw", nDTW}}),
      measured("etpnav", v12,
               {{"etp_success", SR},
                {"etp_oracle_success", OSR},
                {"etp_path_length", PL},
                {"etp_spl", SPL},
                {"etp_ndtw", nDTW},
                {"etp_sdtw", SDTW}}),
      {{"--preset", "vlnce", "--missing", "skip"},
       {{"g_spl", SPL}, {"g_softspl", SoftSPL}, {"g_oracle_navigation_error", ONE}}},
      {{"--preset", "vlnpe", "--missing", "skip"},
       {{"pe_NE", NE},
        {"pe_success", SR},
        {"pe_osr", OSR},
        {"pe_TL", PL},
        {"pe_spl", SPL},
        {"pe_ndtw", nDTW}}}};
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

// Rows by agent and id of the item.
using AgentRows = std::map<std::pair<std::string, std::string>, CsvRow>;

// Scores agents in one call, which reads graphs and dataset once, and adds their rows.
void score_agents(const TargetSet& set, const TargetConvention& convention,
                  const std::vector<std::string>& agents, const Arguments& options,
                  AgentRows& rows) {
  if (agents.empty()) return;
  Arguments arguments = with(set.inputs, convention.arguments, options);
  std::map<std::string, std::string> agent_of_run;
  for (const std::string& agent : agents) {
    const std::string file = agent_file(set, agent);
    const std::string name = std::filesystem::path(file).filename();
    agent_of_run[name.substr(0, name.find(".json"))] = agent;
    arguments.push_back(file);
  }
  MetricSet metrics{Metric::n_query, Metric::n_ref};
  for (const auto& [column, metric] : convention.columns) metrics.insert(metric);
  for (CsvRow& row : eval_rows(real_graphs(), arguments, metrics)) {
    const std::string agent = agents.size() == 1 ? agents.front() : agent_of_run.at(row.at("run"));
    rows[{agent, row.at("instr_id")}] = std::move(row);
  }
}

AgentRows score_all(const TargetSet& set, const TargetConvention& convention,
                    const std::set<std::string>& agents, const std::string& backend) {
  AgentRows rows;
  std::vector<std::string> without_distances;
  for (const std::string& agent : agents) {
    const std::string distances =
        target_file("agents/" + set.agents + "_" + agent + "_distances.json.gz");
    if (convention.takes_distances && std::filesystem::exists(distances)) {
      score_agents(set, convention, {agent}, {"--backend", backend, "--distances", distances},
                   rows);
    } else {
      without_distances.push_back(agent);
    }
  }
  score_agents(set, convention, without_distances, {"--backend", backend}, rows);
  return rows;
}

// Compares all agents' rows under one convention; returns the number of values.
std::size_t compare(const TargetSet& set, const TargetConvention& convention,
                    const std::vector<CsvRow>& golden, const std::set<std::string>& agents,
                    const std::string& backend) {
  AgentRows ours = score_all(set, convention, agents, backend);
  std::size_t compared = 0;
  for (const CsvRow& row : golden) {
    const std::string& agent = row.at("agent");
    CsvRow& found = ours[{agent, id_of(row, set)}];
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
    compared += compare(set, convention, golden, agents, backend);
  }
  EXPECT_EQ(columns.size(), golden.front().size()) << "a golden column is not compared";
  std::cout << set.name << " --backend " << backend << ": " << golden.size() << " rows, "
            << compared << " values\n";
}

// Names a set before its files are looked for.
struct NamedSet {
  const char* name;
  TargetSet (*make)();
};

void PrintTo(const NamedSet& set, std::ostream* out) {
  *out << set.name;
}

class TargetGolden : public ::testing::TestWithParam<NamedSet> {
 protected:
  void SetUp() override {
    if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
    if (!std::filesystem::exists(target_file("golden"))) {
      GTEST_SKIP() << "the real data have no folder targets";
    }
  }
};

TEST_P(TargetGolden, EqualsTheOriginalEvaluators) {
  const TargetSet set = GetParam().make();
  for (const char* backend : real_data_backends) compare_all(set, backend);
}

INSTANTIATE_TEST_SUITE_P(Sets, TargetGolden,
                         ::testing::Values(NamedSet{"NDH", &ndh}, NamedSet{"SOON", &soon},
                                           NamedSet{"REVERIE_v1", &reverie_v1},
                                           NamedSet{"REVERIE_v2", &reverie_v2},
                                           NamedSet{"RxR", &rxr}, NamedSet{"VLNCE", &vlnce}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace warpath::testing
