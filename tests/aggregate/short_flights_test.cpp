// Tests the rule of IndoorUAV's short flights: on flights made here, whose values are worked out by
// hand, and against what the original program returned for made ones. Tolerance 1e-12.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <numbers>
#include <regex>

#include "host/files/aggregate/rules.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using std::numbers::pi;
namespace fs = std::filesystem;

class ShortFlights : public ::testing::Test {
 protected:
  // Makes a flight of the frames `source` of five: 1 m ahead each, and a turn of 30 degrees each.
  void add(const std::string& name, const std::string& source, const std::string& trajectory) {
    const std::string flight = "g/s/" + name;
    folder.write("vla_ins/" + flight + "/vla_ins_1.json",
                 fmt::format(R"({{"instruction": "", "source": {}}})", source));
    folder.write("without_screenshot/" + flight + "/posture.json",
                 "[[0,0,1,0],[1,0,1,30],[2,0,1,60],[3,0,1,90],[4,0,1,120]]");
    file = folder.write(
        fmt::format("run/trajectories/_g_s_{}.json", name),
        fmt::format(
            R"({{"episode_key": "/{}/vla_ins_1.json", "success": false, "trajectory": {}}})",
            flight, trajectory));
  }

  void apply() {
    const aggregate::AggregateRule& rule = aggregate::find_aggregate_rule("indooruav-vla");
    dump = rule.read({{folder.path("run")}, {}, {}, folder.path()});
    result = rule.apply(dump, {});
  }

  double value(std::string_view measure, std::size_t flight = 0) const {
    return dump.find(measure)->values[flight].number;
  }
  bool has(std::string_view measure, std::size_t flight = 0) const {
    return dump.find(measure)->values[flight].is_number();
  }
  std::string notes() const {
    std::string all;
    for (const std::string& note : dump.notes) all += note + '\n';
    return all;
  }
  void notes_have(const std::string& words) const {
    EXPECT_NE(notes().find(words), std::string::npos) << words << " is not in\n" << notes();
  }
  void refuses_ours(std::string_view measure) const {
    const aggregate::RuleResult ours = aggregate::average_ours(dump, {});
    ASSERT_TRUE(ours.refusal);
    EXPECT_EQ(ours.refusal->where().field, measure);
  }

  TemporaryFolder folder;
  std::string file;
  formats::ResultDump dump;
  aggregate::RuleResult result;
};

constexpr const char* turn = "0.5235987755982988";           // 30 degrees
constexpr const char* start = "[9,9,9,9]";                   // the first pose is not looked at
constexpr const char* ahead = "[1,0,1,0.5235987755982988]";  // the second frame

TEST_F(ShortFlights, WeighPositionsAndYaws) {
  // Frames 1 to 3, flown 0.3 m aside and 0.1 rad off.
  add("a", "[1, 3]",
      fmt::format("[{}, [0,0.3,1,0.1], [1,0.3,1,{}], [2,0.3,1,{}], [2,0.3,1,{}]]", start,
                  pi / 6 + 0.1, pi / 3 + 0.1, pi / 3 + 0.1));
  apply();
  const double length = 2.0 / 2.2, turned = pi / 3, weight = length / (length + turned);
  EXPECT_NEAR(value("nDTW"), weight * std::exp(-0.9 / 2.0) + (1 - weight) * std::exp(-0.3 / turned),
              1e-12);
  EXPECT_NEAR(value("NE"), 0.3, 1e-12);
  EXPECT_NEAR(value("angle"), 0.1, 1e-12);
  EXPECT_EQ(value("SR"), 1.0);
  EXPECT_EQ(value("stopped"), 1.0);
  for (const char* measure : {"NE", "SR", "nDTW"}) {
    EXPECT_DOUBLE_EQ(*result.find(measure)->mean, value(measure));
    EXPECT_EQ(result.find(measure)->n, 1u);
  }
  EXPECT_TRUE(dump.notes.empty()) << notes();
  EXPECT_FALSE(aggregate::average_ours(dump, {}).refusal);
}

TEST_F(ShortFlights, EndAtTheFirstOfTwoPosesThatAreClose) {
  add("a", "[2, 2]", fmt::format("[{0}, {1}, [1.1,0,1,{2}], [9,0,1,0]]", start, ahead, turn));
  add("b", "[2, 2]", fmt::format("[{0}, {1}, [1.16,0,1,{2}], [1.2,0,1,{2}]]", start, ahead, turn));
  add("c", "[2, 2]", fmt::format("[{0}, {1}, [1,0,1,{2}]]", start, ahead, pi / 6 + 0.3));
  add("d", "[2, 2]", fmt::format("[{0}, {1}]", start, ahead));
  apply();
  EXPECT_EQ(value("NE", 0), 0.0);
  EXPECT_NEAR(value("NE", 1), 0.16, 1e-12);
  EXPECT_EQ(value("stopped", 1), 1.0);
  EXPECT_EQ(value("stopped", 2), 0.0);  // it turned by over 15 degrees
  EXPECT_NEAR(value("angle", 2), 0.3, 1e-12);
  EXPECT_EQ(value("stopped", 3), 0.0);
}

TEST_F(ShortFlights, AreReadUpToTheFifteenthMove) {
  std::string moves = start;
  for (int k = 1; k <= 15; ++k) moves += fmt::format(", [{},0,1,0]", k);
  add("a", "[1, 1]", "[" + moves + "]");
  add("b", "[1, 1]", "[" + moves + R"(, [15,0,1,0], "what is behind is not read"])");
  apply();
  for (const std::size_t flight : {0u, 1u}) {
    EXPECT_EQ(value("NE", flight), 15.0);
    EXPECT_EQ(value("stopped", flight), 0.0);
  }
  EXPECT_EQ(*result.find("nDTW")->mean, 0.0);
  EXPECT_EQ(result.find("nDTW")->n, 0u);
  notes_have("2 flights without a stop within 15 moves, left out of nDTW: g/s/a/vla_ins_1.json, ");
}

TEST_F(ShortFlights, LeavePerfectOnesOutOfTheMean) {
  const std::string perfect = fmt::format("[{0}, {1}, {1}]", start, ahead);
  add("a", "[2, 2]", perfect);
  add("b", "[1, 2]", perfect);
  apply();
  EXPECT_EQ(value("nDTW", 0), 1.0);
  EXPECT_LT(value("nDTW", 1), 1.0);
  EXPECT_DOUBLE_EQ(*result.find("nDTW")->mean, value("nDTW", 1));
  EXPECT_EQ(result.find("nDTW")->dropped, 1u);
  EXPECT_EQ(*result.find("SR")->mean, 1.0);
  notes_have("indooruav-vla: 1 flight with an nDTW of exactly 1, left out of it: g/s/a/vla");
  const aggregate::RuleResult ours = aggregate::average_ours(dump, {});
  EXPECT_EQ(ours.find("nDTW")->n, 2u);  // every flight counts
}

TEST_F(ShortFlights, HaveCostsBelowZeroWhereYawsDifferByMoreThanATurn) {
  const auto beyond = [](double yaw) { return fmt::format("[1,0,1,{}]", 2 * pi + yaw); };
  // A yaw of a turn and 0.1 more is −0.1 from 0. The reference does not turn, so exp overflows.
  add("a", "[2, 2]", fmt::format("[{0}, {1}, {1}]", start, beyond(pi / 6 + 0.1)));
  // Here it turns by 30 degrees.
  add("b", "[1, 2]", fmt::format("[{0}, {1}, {1}]", start, beyond(pi / 6 + 0.5)));
  apply();
  EXPECT_TRUE(std::isinf(value("nDTW", 0)));
  EXPECT_FALSE(has("stopped", 0));
  EXPECT_NEAR(value("angle", 1), -0.5, 1e-12);
  EXPECT_GT(value("nDTW", 1), 1.0);
  EXPECT_EQ(result.find("SR")->n, 1u);
  EXPECT_EQ(*result.find("SR")->mean, 1.0);  // whatever the heading
  EXPECT_EQ(result.find("nDTW")->n, 0u);
  notes_have("1 flight left out, as exp of yaws that differ by over 2π overflows: g/s/a/");
  notes_have("1 flight with an nDTW above 1 or of NaN, left out of it: g/s/b/");
  refuses_ours("nDTW");
}

TEST_F(ShortFlights, TakeTheFramesThatAreThere) {
  const std::string flown = fmt::format("[{0}, [4,0,1,2], [4,0,1,2]]", start);
  add("a", "[4, 9]", flown);
  add("b", "[-3, 9]", flown);  // the fourth from behind, as Python counts: the second
  add("c", "[2, 5]", flown);
  apply();
  EXPECT_EQ(value("NE", 0), 0.0);
  EXPECT_EQ(value("nDTW", 1), value("nDTW", 2));
  EXPECT_NE(value("nDTW", 0), value("nDTW", 2));
  notes_have("2 flights whose source goes beyond posture.json, scored by the frames that are");
}

TEST_F(ShortFlights, WithoutWhatTheProgramNeedsAreLeftOut) {
  const std::string flown = fmt::format("[{0}, {1}, {1}]", start, ahead);
  add("good", "[1, 2]", flown);
  for (const char* source : {"[6, 9]", "[0, 3]", "[3, 2]", "[1]", "[1.0, 2]", "3"}) {
    add("source", source, flown);
    apply();
    EXPECT_FALSE(has("NE", 1)) << source;
    notes_have("1 flight left out, as its program fails at what they have: g/s/source/vla_ins_1");
    notes_have("vla_ins_1.json: g/s/source/vla_ins_1.json: source: ");
  }
  fs::remove(file);
  for (const char* trajectory :
       {"[]", "[[0,0,1,0]]", "{}", "[[0,0,1,0],[1,0,1]]", R"([[0,0,1,0],[1,0,1,"0"]])", "null"}) {
    add("path", "[1, 2]", trajectory);
    apply();
    EXPECT_FALSE(has("NE", 1)) << trajectory;
    notes_have("_g_s_path.json: g/s/path/vla_ins_1.json: trajectory");
    refuses_ours("NE");
    EXPECT_EQ(result.find("SR")->n, 1u);
    EXPECT_EQ(result.find("SR")->dropped, 1u);
  }
  add("path", "[1, 2]", flown);
  fs::remove(folder.path("vla_ins/g/s/path/vla_ins_1.json"));
  apply();
  notes_have("vla_ins/g/s/path/vla_ins_1.json: ");
  EXPECT_EQ(result.find("SR")->n, 1u);
}

TEST_F(ShortFlights, ThatAreNoneAreNamed) {
  add("good", "[1, 2]", fmt::format("[{0}, {1}, {1}]", start, ahead));
  folder.write("run/trajectories/final_results.json", R"({"a": {"success": false}})");
  for (const char* text : {"{", "[]", R"({"trajectory": []})", R"({"episode_key": 3})",
                           R"({"episode_key": "/g/s/vla_ins_1.json", "trajectory": []})",
                           R"({"episode_key": "/g/../good/vla_ins_1.json", "trajectory": []})"}) {
    folder.write("run/trajectories/other.json", text);
    apply();
    EXPECT_EQ(dump.episodes.size(), 2u);
    notes_have("1 flight left out, as its program fails at what they have: other.json");
    notes_have("the first of these: " + folder.path("run/trajectories/other.json"));
  }
}

TEST_F(ShortFlights, CountPosesOfNanAsFailures) {
  add("a", "[1, 2]", fmt::format("[{0}, {1}, [NaN,0,1,0]]", start, ahead));
  add("b", "[1, 2]", fmt::format("[{0}, [NaN,0,1,0], [2,0,1,0], [2,0,1,0]]", start));
  apply();
  EXPECT_TRUE(std::isnan(value("NE", 0)));
  EXPECT_EQ(*result.find("SR")->mean, 0.0);
  EXPECT_EQ(result.find("SR")->n, 2u);
  EXPECT_TRUE(std::isnan(value("nDTW", 1)));
  EXPECT_EQ(result.find("nDTW")->n, 0u);
  refuses_ours("NE");
}

TEST_F(ShortFlights, AreToldByTheirFolders) {
  add("a", "[1, 2]", fmt::format("[{0}, {1}, {1}]", start, ahead));
  const Arguments plain{"aggregate", folder.path("run"), "--quiet", "--csv", "-"};
  const CliResult told = run(with(plain, {"--dataset", folder.path()}));
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("indooruav-vla,SR,,1,1,1,0,0,"), std::string::npos) << told.out;
  const auto refuses = [](const Arguments& words, int code, const std::string& text) {
    const CliResult refused = run(words);
    EXPECT_EQ(refused.code, code);
    EXPECT_NE(refused.err.find(text), std::string::npos) << refused.err;
  };
  const Arguments named = with(plain, {"--rules", "indooruav-vla"});
  refuses(named, 2, "needs --dataset FOLDER");
  refuses(with(named, {"--dataset", folder.path("run")}), 1, "has no folder vla_ins; name the ");
  refuses(with(plain, {"--dataset", folder.path("run")}), 2, "add --recompute, or leave it away");
  refuses({"aggregate", folder.path(), "--rules", "indooruav-vla", "--dataset", folder.path()}, 1,
          "name the folder of an agent's short flights");
  const std::string posture = folder.path("without_screenshot/g/s/a/posture.json");
  refuses({"aggregate", folder.path("run"), "--dataset", folder.path(), "--json", posture}, 2,
          posture);
}

// ---------------------------------------------------------------- the original's values

class ShortFlightGoldens : public ::testing::Test {
 protected:
  static fs::path data() { return fs::path(data_folder()) / "tasks2"; }

  void equal(double wanted, double value, const std::string& what) {
    ++compared;
    const bool is_equal =
        std::isnan(wanted) ? std::isnan(value) : std::abs(wanted - value) <= 1e-12;
    EXPECT_TRUE(is_equal) << what << ": " << wanted << " is " << value;
  }

  // Compares a flight with its row of the golden table.
  void compare_row(const CsvRow& row, const formats::ResultDump& dump) {
    const std::string what = row.at("agent") + ' ' + row.at("episode");
    const auto found =
        std::ranges::find(dump.episodes, row.at("episode"), &formats::DumpEpisode::id);
    ASSERT_NE(found, dump.episodes.end()) << what;
    const auto e = static_cast<std::size_t>(found - dump.episodes.begin());
    const auto value = [&](std::string_view name) { return dump.find(name)->values[e].number; };
    const bool is_counted = dump.find("stopped")->values[e].is_number();
    equal(std::stod(row.at("counted")), is_counted ? 1.0 : 0.0, what + " counted");
    if (!is_counted) return;
    equal(std::stod(row.at("success")), value("SR"), what + " success");
    equal(std::stod(row.at("final_dist")), value("NE"), what + " final_dist");
    equal(std::stod(row.at("final_angle_diff")), value("angle"), what + " final_angle_diff");
    const bool is_given = value("stopped") == 1.0 && value("nDTW") <= 1.0;
    equal(std::stod(row.at("ndtw_compiled")), is_given ? value("nDTW") : std::nan(""),
          what + " ndtw_compiled");
  }

  void compare_means(const std::string& golden, const aggregate::RuleResult& result,
                     const std::string& agent) {
    const auto wanted = [&](const char* key) {
      return number_at(golden, fmt::format("/IndoorUAV/vla_{}/compiled/{}", agent, key));
    };
    const aggregate::RuleMean &success = *result.find("SR"), &ndtw = *result.find("nDTW");
    equal(wanted("success_rate"), *success.mean, agent + " success_rate");
    equal(wanted("average_nDTW"), *ndtw.mean, agent + " average_nDTW");
    equal(wanted("total_episodes"), static_cast<double>(success.n), agent + " total_episodes");
    equal(wanted("n_in_ndtw_mean"), static_cast<double>(ndtw.n), agent + " n_in_ndtw_mean");
    // The original meets final_results.json, too, and refuses it.
    equal(wanted("n_refused"), static_cast<double>(success.dropped) + 1.0, agent + " n_refused");
  }

  int compared = 0;
};

TEST_F(ShortFlightGoldens, AreGivenToTwelveDigits) {
  if (data_folder().empty() || !fs::exists(data() / "golden")) {
    GTEST_SKIP() << "no made flights: $WARPATH_DATA/tasks2 is not there";
  }
  const aggregate::AggregateRule& rule = aggregate::find_aggregate_rule("indooruav-vla");
  for (const std::string split : {"val_seen", "val_unseen"}) {
    const auto in = [&](const char* pattern) {
      return (data() / fmt::format(fmt::runtime(pattern), split)).string();
    };
    if (!fs::exists(in("golden/IndoorUAV_{}.csv.gz"))) continue;
    const TemporaryFolder folder;
    unpack_tar(in("IndoorUAV_made_{}.tar.gz"), "data", folder);
    unpack_tar(in("agents/IndoorUAV_{}.tar.gz"), "runs", folder);
    const std::vector<CsvRow> rows = read_csv(in("golden/IndoorUAV_{}.csv.gz"));
    const std::string means = std::regex_replace(read_text(in("golden/drones_{}.json.gz")),
                                                 std::regex("NaN|-?Infinity"), "null");
    for (const auto& agent : fs::directory_iterator(folder.path("runs/vla"))) {
      const std::string name = agent.path().filename().string();
      const formats::ResultDump dump =
          rule.read({{agent.path().string()}, {}, {}, folder.path("data")});
      for (const CsvRow& row : rows) {
        if (row.at("task") == "vla" && row.at("agent") == name) compare_row(row, dump);
      }
      compare_means(means, rule.apply(dump, {}), name);
    }
  }
  std::cout << "short flights: " << compared << " values\n";
  EXPECT_GE(compared, 8 * 5 + 240 + 205 * 4);
}

}  // namespace
}  // namespace warpath::testing
