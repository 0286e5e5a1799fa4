#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/navmesh.hpp"

namespace warpath::testing {

/// Runs warpath aggregate --recompute on results of two episodes over the mesh of make_navmesh().
/// No way leads to the goal of the second there.
class Recomputing : public ::testing::Test {
 protected:
  static constexpr const char* episodes = mesh_episodes;
  static constexpr const char* first_episode =
      R"("1":{"success":0.0,"spl":0.0,"ndtw":0.5,"distance_to_goal":9.0,"steps_taken":5,
              "collisions":{"count":1,"is_collision":false},"path":[[1,0,3],[4,0,4]]})";
  static constexpr const char* second_episode =
      R"("2":{"success":0.0,"spl":0.0,"ndtw":0.25,"distance_to_goal":19.0,"steps_taken":6,
              "path":[[1,0,3],[2,0,3]]})";
  static std::string both_episodes() {
    return std::string("{") + first_episode + "," + second_episode + "}";
  }
  // The second has no way.
  static constexpr const char* known_distances = R"({"1":[6,2],"2":[Infinity,Infinity]})";

  // Runs on files that are there.
  CliResult recompute_files(const Arguments& files, const Arguments& more) const {
    const Arguments all =
        with({"aggregate", "--recompute", "--dataset", folder.write("d.json", episodes), "--json",
              folder.path("out.json")},
             files, more);
    return run(all);
  }

  CliResult recompute(const std::string& results, const Arguments& more = {}) const {
    return recompute_files({folder.write("results.json", results)}, more);
  }

  CliResult with_distances(const std::string& results, Arguments more = {},
                           const std::string& distances = known_distances) const {
    more.insert(more.end(), {"--distances", folder.write("g.json", distances)});
    return recompute(results, more);
  }

  std::string at(const std::string& pointer) const {
    return json_at(read_text(folder.path("out.json")), pointer);
  }
  double number(const std::string& pointer) const {
    return number_at(read_text(folder.path("out.json")), pointer);
  }
  // The mean of a measure under the rule `ours`, the first.
  double ours(const std::string& measure) const {
    return number("/rules/0/means/" + measure + "/mean");
  }

  static void has(const CliResult& result, const std::string& text) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << " is not in\n" << result.out;
  }

  static void refuses(const CliResult& result, int code, const std::string& text) {
    EXPECT_EQ(result.code, code) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << text << " is not in\n" << result.err;
  }

  TemporaryFolder folder;
};

}  // namespace warpath::testing
