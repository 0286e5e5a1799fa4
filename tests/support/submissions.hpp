#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/tasks/r2r/server.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {

/// Uses a corridor a - b - c - d - e with 2 m between neighbours, and f without any edge. The
/// expected ids are 1_0, 1_1, 1_2 for the path a, b, c; there is a fourth instruction 1_3.
class SubmissionTest : public ::testing::Test {
 protected:
  SubmissionTest() {
    graph = folder.write("house.json", R"({"scan": "house", "nodes": [
        {"id": "a", "position": [0, 0]}, {"id": "b", "position": [2, 0]},
        {"id": "c", "position": [4, 0]}, {"id": "d", "position": [6, 0]},
        {"id": "e", "position": [8, 0]}, {"id": "f", "position": [4, 1]}],
        "edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]]})");
    use_reference(R"(["a", "b", "c"])");
  }

  void use_reference(const std::string& path) {
    dataset = folder.write("dataset.json", fmt::format(R"([{{"path_id": 1, "scan": "house",
        "path": {}, "instructions": ["", "", "", ""]}}])",
                                                       path));
  }

  std::string write_entries(const std::vector<std::string>& entries) {
    return folder.write("agent.json", fmt::format("[{}]", fmt::join(entries, ", ")));
  }

  static std::string entry(const std::string& id, const std::string& trajectory) {
    return fmt::format(R"({{"instr_id": "{}", "trajectory": {}}})", id, trajectory);
  }

  // Writes a submission that is valid except for the trajectory of 1_0.
  std::string write_first(const std::string& trajectory) {
    return write_entries({entry("1_0", trajectory), entry("1_1", good), entry("1_2", good)});
  }

  CliResult validate(const std::string& file, const std::vector<std::string>& more = {}) const {
    return run(with({"validate", "--graphs", graph, "--dataset", dataset, file}, more));
  }

  // Expects the problem with its count and first example, and what the server does about it.
  void expect(const std::string& file, submission::Problem problem, int count,
              const std::string& example) {
    const CliResult result = validate(file);
    EXPECT_EQ(result.err, "");
    const submission::ProblemInfo& p = submission::info(*server, problem);
    expect_in(result.out, fmt::format("\n{} ({}): {}\n    {}", p.name, count, p.what, example));
    EXPECT_EQ(result.code, p.outcome == submission::Outcome::harmless ? 0 : 1) << result.out;
    expect_in(result.out, verdict(file, p.outcome));
  }

  static std::string verdict(const std::string& file, submission::Outcome outcome) {
    return file + ": the official server would " +
           (outcome == submission::Outcome::rejected  ? "reject it ("
            : outcome == submission::Outcome::misread ? "accept it, but misread it ("
                                                      : "accept it\n");
  }

  static void expect_in(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
  }

  // Returns what --fix writes for a file.
  std::string fixed(const std::string& file, int code = 0) const {
    const CliResult result = validate(file, {"--fix", folder.path("fixed.json"), "--force"});
    EXPECT_EQ(result.code, code) << result.out << result.err;
    return read_text(folder.path("fixed.json"));
  }

  // Returns what --fix makes of one entry, beside valid ones of 1_1 and 1_2.
  std::string fixed_entry(const std::string& text) {
    const std::string file = write_entries({text, entry("1_1", good), entry("1_2", good)});
    const std::string end = ",\n" + entry("1_1", good) + ",\n" + entry("1_2", good) + "\n]\n";
    const std::string all = fixed(file);
    EXPECT_TRUE(all.starts_with("[\n") && all.ends_with(end)) << all;
    return all.substr(2, all.size() - 2 - end.size());
  }

  static std::string list(const std::vector<std::string>& entries) {
    return fmt::format("[\n{}\n]\n", fmt::join(entries, ",\n"));
  }

  TemporaryFolder folder;
  std::string graph, dataset;
  const submission::Server* server = &r2r::r2r_server;  // whose rules are expected
  const std::string good = R"([["a", 0.5, -0.25], ["b", 1, 0], ["c", 2, 0]])";
};

}  // namespace warpath::testing
