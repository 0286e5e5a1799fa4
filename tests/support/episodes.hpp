#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/tasks/vlnce/servers.hpp"
#include "tests/support/submissions.hpp"

namespace warpath::testing {

/// Uses two continuous episodes, 1 and 2, that begin at [0, 0, 0] and [0, 1, 0].
class EpisodeTest : public SubmissionTest {
 protected:
  EpisodeTest() { use_vlnce(); }

  void use_vlnce() {
    server = &vlnce::vlnce_server;
    dataset = folder.write("dataset.json",
                           "[" + episode(1, "[0,0,0]", "") + "," + episode(2, "[0,1,0]", "") + "]");
  }

  // Episode 1 is instruction 92, in English; episode 2 is instruction 91. A third one, of Telugu,
  // is instruction 100.
  void use_rxr(const std::string& language_of_second = "hi-IN") {
    server = &vlnce::rxr_habitat_server;
    dataset = folder.write(
        "dataset.json", "{\"episodes\":[" + episode(1, "[0,0,0]", instruction(92, "en-US")) + "," +
                            episode(2, "[0,1,0]", instruction(91, language_of_second)) + "," +
                            episode(3, "[0,0,0]", instruction(100, "te-IN")) + "]}");
  }

  static std::string instruction(int id, const std::string& language) {
    return fmt::format(R"(,"instruction":{{"instruction_id":{},"language":"{}"}})", id, language);
  }

  static std::string episode(int id, const std::string& start, const std::string& more) {
    return fmt::format(
        R"({{"episode_id":{},"scene_id":"s.glb","start_position":{},
             "goals":[{{"position":[4,0,0]}}],"reference_path":[{},[4,0,0]]{}}})",
        id, start, start, more);
  }

  // Writes an object of episodes that is valid for VLN-CE except for episode 1.
  std::string write_episode(const std::string& path) {
    return folder.write("agent.json", fmt::format(R"({{"1": {}, "2": {}}})", path, good_second));
  }

  std::string write_lines(const std::vector<std::string>& lines) {
    return folder.write("agent.jsonl", fmt::format("{}\n", fmt::join(lines, "\n")));
  }
  static std::string line(const std::string& id, const std::string& path) {
    return fmt::format(R"({{"instruction_id": {}, "path": {}}})", id, path);
  }

  const std::string good_second = R"([{"position": [0, 1, 0], "heading": 1.5, "stop": true}])";
};

}  // namespace warpath::testing
