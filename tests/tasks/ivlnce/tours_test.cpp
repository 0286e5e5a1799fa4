// Reads IVLN-CE's tours and what agents recorded of them: values by hand, and what faulty files are
// told.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/good_files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

std::string record(const std::string& episode, double x, const std::string& phase = "agent") {
  return fmt::format(R"({{"position": [{}, 0, 0], "phase": "{}", "episode_id": "{}"}})", x, phase,
                     episode);
}

std::string tour(const std::string& name, const std::vector<std::string>& records) {
  return fmt::format("\"{}\": [{}]", name, fmt::join(records, ", "));
}

// Two tours, of two episodes and of one. The reference of the second episode turns on the spot.
const std::string first_truth =
    tour("5", {record("1", 0), record("1", 1), record("1", 2), record("1", 9, "oracle_goal"),
               record("2", 3, "oracle_start"), record("2", 4), record("2", 4), record("2", 5)});
const std::string second_truth = tour("7", {record("3", 0), record("3", 6)});
const std::string good_truth = "{\"val\": {" + first_truth + ", " + second_truth + "}}";
const std::string first_agent =
    tour("5", {record("1", 0), record("1", 0), record("1", 2), record("2", 8, "oracle_start"),
               record("2", 4), record("2", 7)});
const std::string second_agent = tour("7", {record("3", 0), record("3", 6)});
const std::string good_agent = "{" + first_agent + ", " + second_agent + "}";

struct RecordedTours {
  TemporaryFolder folder;

  CliResult eval(const std::string& truth, const std::string& agent, Arguments more = {}) const {
    more.insert(more.begin(),
                {"eval", "--preset", "ivlnce", "--ground-truth", folder.write("gt.json", truth),
                 folder.write("agent.json", agent), "--tour-csv", folder.path("tours.csv"),
                 "--json", folder.path("out.json")});
    return run(more);
  }
};

TEST(RecordedTours, HaveTheirValues) {
  const RecordedTours files;
  const CliResult result = files.eval(good_truth, good_agent);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = read_csv(files.folder.path("tours.csv"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("tour"), "5");
  EXPECT_EQ(rows[0].at("episodes"), "2");
  EXPECT_EQ(rows[0].at("n_query"), "4");  // the turn at the start is dropped
  EXPECT_EQ(rows[0].at("n_ref"), "6");    // the reference's is kept
  // 0 meets 0 and 1 (or 2 does): 1. 4 meets 4 and 4, 7 meets 5: 2.
  EXPECT_EQ(rows[0].at("DTW"), "3");
  EXPECT_EQ(rows[0].at("weight"), "1");
  EXPECT_EQ(rows[1].at("weight"), "0");
  const std::string json = read_text(files.folder.path("out.json"));
  EXPECT_NEAR(number_at(json, "/runs/0/metrics/t-nDTW/mean"), std::exp(-3 / 18.0), 1e-15);
  EXPECT_EQ(json_at(json, "/runs/0/metrics/t-SR"), "");
  EXPECT_NEAR(number_at(json, "/runs/0/metrics/SR/mean"), 1.0, 1e-15);
  EXPECT_NE(result.out.find("2 tours of 3 items, split val"), std::string::npos) << result.out;
}

TEST(RecordedTours, TheGroundTruthMayBeTheDataset) {
  const RecordedTours files;
  EXPECT_EQ(
      run({"eval", "--preset", "ivlnce", "--dataset", files.folder.write("gt.json", good_truth),
           files.folder.write("agent.json", good_agent)})
          .code,
      0);
}

TEST(RecordedTours, AMissingTourCountsWithItsStarts) {
  const RecordedTours files;
  const std::string agent = "{" + second_agent + "}";
  ASSERT_EQ(files.eval(good_truth, agent, {"--missing", "zero"}).code, 0);
  // 0 meets 0, 1 and 2; 4 meets 4, 4 and 5.
  EXPECT_EQ(read_csv(files.folder.path("tours.csv"))[0].at("DTW"), "4");
}

TEST(RecordedTours, NeitherMeshesNorGridsAreTheirs) {
  const RecordedTours files;
  for (const char* option : {"--navmesh", "--grid"}) {
    const CliResult result = files.eval(good_truth, good_agent, {option, files.folder.path("x")});
    EXPECT_EQ(result.code, 2) << result.err;
    for (const std::string& part :
         {std::string("has tours without the names of scans"), std::string("leave ") + option}) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
    }
  }
}

struct RecordedFault {
  std::string truth, agent;
  std::vector<std::string> parts;  // of the message
  Arguments more{};
};

class RecordedFaults : public ::testing::TestWithParam<RecordedFault> {};

TEST_P(RecordedFaults, AreNamed) {
  const RecordedTours files;
  const CliResult result = files.eval(GetParam().truth, GetParam().agent, GetParam().more);
  EXPECT_EQ(result.code, 1) << result.err;
  for (const std::string& part : GetParam().parts) {
    EXPECT_NE(result.err.find(part), std::string::npos) << part << " in " << result.err;
  }
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
}

std::string truth_of(const std::string& first) {
  return "{\"val\": {" + first + ", " + second_truth + "}}";
}
std::string agent_of(const std::string& first) {
  return "{" + first + ", " + second_agent + "}";
}

INSTANTIATE_TEST_SUITE_P(
    Files, RecordedFaults,
    ::testing::Values(
        // The four calls that fail in the original, each in its own way.
        RecordedFault{good_truth,
                      "{" + second_agent + "}",
                      {"agent.json", "has no prediction", "tour 5", "--missing zero"}},
        RecordedFault{
            truth_of(tour("5", {record("1", 0), record("2", 0), record("2", 1), record("4", 1)})),
            agent_of(tour("5", {record("1", 0), record("2", 0), record("2", 3), record("2", 1),
                                record("4", 1)})),
            {"agent.json", "2", "tour 5", "no alignment", "--infeasible zero"}},
        RecordedFault{good_truth,
                      agent_of(tour("5", {record("2", 4), record("1", 0)})),
                      {"agent.json", "5", "[1].episode_id", "order of the ground truth"}},
        RecordedFault{"{\"val\": {" + second_truth + "}}",
                      "{" + second_agent + "}",
                      {"gt.json", "no tour has two episodes that count", "--tour-weight episodes"}},
        // Others.
        RecordedFault{good_truth, agent_of(tour("6", {record("1", 0)})), {"6", "is no tour of"}},
        RecordedFault{good_truth, agent_of(tour("5", {record("9", 0)})), {"5", "episode 9"}},
        RecordedFault{good_truth,
                      agent_of(tour("5", {record("3", 0)})),
                      {"5", "[0].episode_id", "names episode 3, which the tour has not"}},
        RecordedFault{good_truth,
                      agent_of(tour("5", {record("1", 0), record("2", 0), record("1", 0)})),
                      {"5", "[2].episode_id", "goes back to episode 1"}},
        RecordedFault{good_truth, "[]", {"agent.json", "object"}},
        RecordedFault{good_truth, agent_of(R"("5": {})"), {"agent.json", "5"}},
        RecordedFault{good_truth, agent_of(R"("5": [7])"), {"5", "[0]"}},
        RecordedFault{good_truth,
                      agent_of(R"("5": [{"phase": "agent", "episode_id": "1"}])"),
                      {"5", "[0]", "position"}},
        RecordedFault{good_truth,
                      agent_of(R"("5": [{"position": [0], "phase": "agent", "episode_id": "1"}])"),
                      {"5", "[0].position"}},
        RecordedFault{good_truth,
                      agent_of(R"("5": [{"position": [0, 0, 0], "phase": 1, "episode_id": "1"}])"),
                      {"5", "[0].phase"}},
        RecordedFault{truth_of(tour("5", {record("1", 0), record("3", 0)})),
                      good_agent,
                      {"gt.json", "7", "names episode 3, which tour 5 has"}},
        RecordedFault{truth_of(tour("5", {record("1", 0, "oracle_start")})),
                      good_agent,
                      {"gt.json", "5", "without a record of phase agent"}},
        RecordedFault{"{\"a\": {" + first_truth + "}, \"b\": {" + second_truth + "}}",
                      good_agent,
                      {"gt.json", "a, b", "--split"}}));

TEST(RecordedTours, OtherCommandsAreRefused) {
  const RecordedTours files;
  const CliResult result = run({"validate", "--dataset", files.folder.write("gt.json", good_truth),
                                files.folder.write("agent.json", good_agent)});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("warpath eval"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace warpath::testing
