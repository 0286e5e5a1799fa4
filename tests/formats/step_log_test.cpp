// Reads the log of OpenFly's eval_gtav.py: paths by hand, and what faulty lines are told.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/good_files.hpp"
#include "tests/support/json_text.hpp"

namespace warpath::testing {
namespace {

std::string step(int sample, double x) {
  return fmt::format(
      R"({{"env_name": "env_game_gtav", "sample_idx": {}, "start_position": [0, 0, 0], )"
      R"("final_position": [{}, 0, 0]}})"
      "\n",
      sample, x);
}
const std::string means = R"({"type": "environment_summary", "total_samples": 3, "spl": 0.5})"
                          "\n";

struct StepLogs {
  TemporaryFolder folder;

  CliResult eval(const std::string& log) const {
    return run({"eval", "--preset", "openfly", "--oracle-threshold", "40", "--missing", "skip",
                "--dataset", folder.write("eval_test.json", R"([
      {"image_path": "env/0", "pos": [[0, 0, 0], [50, 0, 0]]},
      {"image_path": "env/1", "pos": [[0, 0, 0], [100, 0, 0]]},
      {"image_path": "env/2", "pos": [[0, 0, 0], [5, 0, 0]]}])"),
                folder.write("log.jsonl", log), "--csv", folder.path("items.csv")});
  }
};

TEST(StepLogs, GiveAPathToEachSample) {
  const StepLogs files;
  const std::string log =
      step(0, 10) + step(0, 40) + means + step(1, 30) + step(1, 65) + step(1, 20) + means;
  const CliResult result = files.eval(log);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("a log of steps"), std::string::npos) << result.out;
  const auto rows = read_csv(files.folder.path("items.csv"));
  ASSERT_GE(rows.size(), 2u);
  const auto expect = [&](std::size_t row, const char* column, double value) {
    EXPECT_NEAR(std::stod(rows[row].at(column)), value, 1e-12) << row << " " << column;
  };
  expect(0, "NE", 10);
  expect(0, "SR", 1);
  expect(0, "SPL", 50 / 40.001);
  expect(1, "PL", 30 + 35 + 45);
  expect(1, "SR", 0);
  expect(1, "OSR", 1);  // within 40 m, not 20
}

TEST(StepLogs, MayHaveOneLine) {
  const StepLogs files;
  const CliResult result = files.eval(step(0, 40));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read_csv(files.folder.path("items.csv")).at(0).at("NE"), "10");
}

TEST(StepLogs, NameWhatIsWrong) {
  const StepLogs files;
  const std::string unplaced = R"({"sample_idx": 1, "final_position": [1, 0, 0]})"
                               "\n";
  const auto counted = [](int steps) {
    std::string line = step(0, steps);
    return line.insert(1, fmt::format("\"steps_taken\": {}, ", steps));
  };
  const std::string elsewhere =
      R"({"sample_idx": 0, "start_position": [9, 0, 0], "final_position": [1, 0, 0]})"
      "\n";
  for (const auto& [log, part] :
       {std::pair(step(0, 1) + step(1, 1) + step(0, 2), "goes back to sample 0"),
        std::pair(step(0, 1) + unplaced, "start_position"),
        std::pair(step(0, 1) + "{\"a\": 1}\n", "sample_idx"),
        std::pair(step(0, 1) + elsewhere, "line 2: start_position: differs from that of sample 0"),
        std::pair(counted(1) + counted(2) + counted(1), "steps_taken: is 1, and 2 before it"),
        std::pair(means + means, "lines of means alone")}) {
    const CliResult result = files.eval(log);
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.err.find("log.jsonl"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
}

}  // namespace
}  // namespace warpath::testing
