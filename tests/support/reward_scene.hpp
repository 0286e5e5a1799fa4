#pragma once

#include <string>
#include <vector>

#include "tests/support/files.hpp"

namespace warpath::testing {

// Holds files of a small world in which rewards were worked out by hand. The reference is A B C D:
//
//   A --2-- B --1.5-- C --2.5-- D --0.8-- F --1-- G
//           |
//           4                        d(., D): A 6, B 4, C 2.5, D 0, E 8, F 0.8, G 1.8
//           |
//           E
struct RewardScene {
  TemporaryFolder folder;
  std::string graph = folder.write("s.json", R"({"scan": "s",
      "nodes": [{"id": "A", "position": [0, 0]},
                {"id": "B", "position": [1, 0]},
                {"id": "C", "position": [2, 0]},
                {"id": "D", "position": [3, 0]},
                {"id": "E", "position": [4, 0]},
                {"id": "F", "position": [5, 0]},
                {"id": "G", "position": [6, 0]}],
      "edges": [["A", "B", 2.0], ["B", "C", 1.5], ["C", "D", 2.5],
                ["B", "E", 4.0], ["D", "F", 0.8], ["F", "G", 1.0]]})");
  std::string data = folder.write("dataset.json", R"([{"path_id": 1, "scan": "s",
      "path": ["A", "B", "C", "D"], "instructions": ["", "", ""]}])");
  // 1_0 ends at C within 3 m of the goal, 1_1 at B beyond them, 1_2 passes the goal.
  std::string agent = folder.write("agent.json", R"([
      {"instr_id": "1_0", "trajectory": [["A"], ["B"], ["C"]]},
      {"instr_id": "1_1", "trajectory": [["A"], ["B"], ["E"], ["B"]]},
      {"instr_id": "1_2", "trajectory": [["A"], ["B"], ["C"], ["D"], ["F"], ["G"]]}])");

  CliResult rewards(const std::vector<std::string>& more) const {
    return run_with("rewards", more);
  }
  CliResult explain(const std::vector<std::string>& more) const {
    return run_with("explain", more);
  }

 private:
  CliResult run_with(const std::string& command, const std::vector<std::string>& more) const {
    return run(with({command, "--graphs", graph, "--dataset", data, agent}, more));
  }
};

}  // namespace warpath::testing
