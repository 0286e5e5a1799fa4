// Compares tours with golden values, which the original public evaluators made of real data.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/golden.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

std::string tour_file(const std::string& name) {
  return data_folder() + "/tasks3/" + name;
}

bool has_tour_data() {
  return !data_folder().empty() && std::filesystem::exists(tour_file("ivln/golden.mean.json"));
}

std::vector<CsvRow> rows_of(const std::string& file, const CsvRow& wanted) {
  std::vector<CsvRow> rows = read_csv(file);
  std::erase_if(rows, [&](const CsvRow& row) {
    return std::ranges::any_of(wanted, [&](const auto& w) { return row.at(w.first) != w.second; });
  });
  return rows;
}

void expect_columns(const CsvRow& golden, const CsvRow& ours,
                    const std::vector<std::pair<std::string, std::string>>& columns,
                    const std::string& where) {
  for (const auto& [theirs, mine] : columns) {
    const double want = std::stod(golden.at(theirs));
    const std::string& cell = ours.at(mine);
    if (std::isnan(want) || cell.empty()) {
      EXPECT_TRUE(std::isnan(want) && cell.empty()) << where << theirs << ": " << cell;
      continue;
    }
    EXPECT_NEAR(std::stod(cell), want, 1e-12 * std::max(1.0, std::abs(want))) << where << theirs;
  }
}

struct TourSet {
  std::string set, agent;
};

void PrintTo(const TourSet& set, std::ostream* out) {
  *out << set.set << " " << set.agent;
}

class TourGolden : public ::testing::TestWithParam<TourSet> {
 protected:
  void SetUp() override {
    if (!has_tour_data()) GTEST_SKIP() << "WARPATH_DATA has no tasks3";
  }

  CliResult eval(const std::string& preset, Arguments more = {}) const {
    const auto& [set, agent] = GetParam();
    const std::string dataset =
        set == "short" ? tour_file("ivln/R2R_short.json.gz") : data_folder() + "/R2R_val_seen.json";
    return run(with(
        {"eval", "--graphs", data_folder() + "/connectivity", "--dataset", dataset, "--tours",
         tour_file("ivln/tours_iVLN.json.gz"), "--split",
         set == "ones" ? "val_seen_ones" : "val_seen", "--preset", preset, "--csv",
         folder.path("items.csv"), "--tour-csv", folder.path("tours.csv"), "--json",
         folder.path("out.json"), tour_file(fmt::format("ivln/agents/{}_{}.json.gz", set, agent))},
        more));
  }

  TemporaryFolder folder;
};

TEST_P(TourGolden, EqualsTheOriginal) {
  const auto& [set, agent] = GetParam();
  const auto tours =
      rows_of(tour_file("ivln/golden_tours.csv.gz"), {{"set", set}, {"agent", agent}});
  const auto episodes =
      rows_of(tour_file("ivln/golden_episodes.csv.gz"), {{"set", set}, {"agent", agent}});
  const bool is_feasible =
      std::ranges::all_of(tours, [](const CsvRow& row) { return row.at("feasible") == "1"; });
  if (!is_feasible) {
    const CliResult refused = eval("ivln");
    EXPECT_EQ(refused.code, 1);
    EXPECT_NE(refused.err.find("no alignment"), std::string::npos) << refused.err;
  }
  const CliResult result = eval(is_feasible ? "ivln" : "over-nav");
  ASSERT_EQ(result.code, 0) << result.err;

  const auto our_tours = read_csv(folder.path("tours.csv"));
  ASSERT_EQ(our_tours.size(), tours.size());
  for (std::size_t t = 0; t < tours.size(); ++t) {
    const std::string where = fmt::format("tour {} ", t);
    for (const char* same : {"tour", "scan"}) EXPECT_EQ(our_tours[t].at(same), tours[t].at(same));
    expect_columns(tours[t], our_tours[t],
                   {{"episodes", "episodes"},
                    {"weight", "weight"},
                    {"n_pred", "n_query"},
                    {"n_ref", "n_ref"},
                    {"over_nav_ndtw", "t-nDTW"},
                    {"over_nav_sdtw", "t-SDTW"}},
                   where);
    if (tours[t].at("feasible") == "0") continue;
    expect_columns(tours[t], our_tours[t],
                   {{"t_dtw", "DTW"}, {"t_ndtw", "t-nDTW"}, {"t_sr", "t-SR"}, {"t_spl", "t-SPL"}},
                   where);
  }

  std::map<std::string, CsvRow> items;
  for (const CsvRow& row : read_csv(folder.path("items.csv"))) items[row.at("instr_id")] = row;
  for (const CsvRow& episode : episodes) {
    expect_columns(episode, items.at(episode.at("instr_id")),
                   {{"n_pred", "n_query"},
                    {"n_ref", "n_ref"},
                    {"nav_error", "NE"},
                    {"oracle_error", "ONE"},
                    {"trajectory_steps", "steps"},
                    {"trajectory_lengths", "PL"},
                    {"success", "SR"},
                    {"spl", "SPL"},
                    {"oracle_success", "OSR"},
                    {"DTW", "DTW"},
                    {"nDTW", "nDTW"},
                    {"SDTW", "SDTW"},
                    {"CLS", "CLS"}},
                   episode.at("instr_id") + " ");
  }
  EXPECT_EQ(items.size(), episodes.size());
}

TEST_P(TourGolden, MeansEqualTheOriginal) {
  const auto& [set, agent] = GetParam();
  const std::string means =
      json_at(read_text(tour_file("ivln/golden.mean.json")), fmt::format("/{} {}", set, agent));
  if (!json_at(means, "/error").empty()) return;
  ASSERT_EQ(eval("ivln").code, 0);
  const std::string ours = read_text(folder.path("out.json"));
  for (const auto& [theirs, metric] :
       {std::pair("t-sr", "t-SR"), std::pair("t-spl", "t-SPL"), std::pair("t-nDTW", "t-nDTW"),
        std::pair("sr", "SR"), std::pair("spl", "SPL"), std::pair("nDTW", "nDTW")}) {
    EXPECT_NEAR(number_at(ours, fmt::format("/runs/0/metrics/{}/mean", metric)),
                number_at(means, fmt::format("/{}", theirs)), 1e-12)
        << theirs;
  }
}

TEST_P(TourGolden, FreeAlignmentsEqualOurOwn) {
  const auto& [set, agent] = GetParam();
  const auto tours =
      rows_of(tour_file("ivln/golden_tours.csv.gz"), {{"set", set}, {"agent", agent}});
  ASSERT_EQ(eval("ivln", {"--window", "free"}).code, 0);
  const auto ours = read_csv(folder.path("tours.csv"));
  ASSERT_EQ(ours.size(), tours.size());
  for (std::size_t t = 0; t < tours.size(); ++t) {
    expect_columns(tours[t], ours[t], {{"free_dtw", "DTW"}}, fmt::format("tour {} ", t));
  }
}

INSTANTIATE_TEST_SUITE_P(Agents, TourGolden,
                         ::testing::Values(TourSet{"plain", "follower"}, TourSet{"plain", "noisy"},
                                           TourSet{"plain", "over_short"},
                                           TourSet{"plain", "start"}, TourSet{"plain", "walk"},
                                           TourSet{"ones", "noisy"}, TourSet{"short", "noisy"},
                                           TourSet{"short", "start"}, TourSet{"short", "two"}));

// ---------------------------------------------------------------- continuous

class ContinuousTourGolden : public ::testing::TestWithParam<std::string> {};

TEST_P(ContinuousTourGolden, EqualsTheOriginal) {
  if (!has_tour_data()) GTEST_SKIP() << "WARPATH_DATA has no tasks3";
  const TemporaryFolder folder;
  const CliResult result =
      run({"eval", "--preset", "ivlnce", "--ground-truth", tour_file("ivlnce/gt_ndtw.json.gz"),
           tour_file(fmt::format("ivlnce/agents/dtw_data_{}.json.gz", GetParam())), "--tour-csv",
           folder.path("tours.csv"), "--json", folder.path("out.json"), "--quiet"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto golden = rows_of(tour_file("ivlnce/golden_tours.csv.gz"), {{"agent", GetParam()}});
  const auto ours = read_csv(folder.path("tours.csv"));
  ASSERT_EQ(ours.size(), golden.size());
  for (std::size_t t = 0; t < golden.size(); ++t) {
    EXPECT_EQ(ours[t].at("tour"), golden[t].at("tour"));
    expect_columns(golden[t], ours[t],
                   {{"episodes", "episodes"},
                    {"weight", "weight"},
                    {"n_agent_novel", "n_query"},
                    {"n_ref", "n_ref"},
                    {"t_dtw", "DTW"},
                    {"t_ndtw", "t-nDTW"}},
                   fmt::format("tour {} ", t));
  }
  std::string means = read_text(tour_file("ivlnce/golden.mean.json"));
  means.replace(means.find("NaN"), 3, "0.0");  // what the original makes of 0/0, which is not JSON
  EXPECT_NEAR(number_at(read_text(folder.path("out.json")), "/runs/0/metrics/t-nDTW/mean"),
              number_at(means, fmt::format("/{}/tndtw", GetParam())), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Agents, ContinuousTourGolden,
                         ::testing::Values("drift", "early", "follower", "single"));

}  // namespace
}  // namespace warpath::testing
