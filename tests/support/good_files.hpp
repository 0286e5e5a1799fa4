#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/files.hpp"

// Small valid files, of which a test makes one invalid.

namespace warpath::testing {

// A graph of three viewpoints in a row, and `x` without an edge; a is 1 m from b, b 1 m from c.
inline constexpr const char* graph = R"([
{"image_id":"a","pose":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[false,true,false,false]},
{"image_id":"b","pose":[1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[true,false,true,false]},
{"image_id":"c","pose":[1,0,0,2, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[false,true,false,false]},
{"image_id":"x","pose":[1,0,0,9, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[false,false,false,false]}])";

inline constexpr const char* dataset = R"([
{"path_id":1,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":["",""]},
{"path_id":2,"scan":"s","path":["b","c"],"heading":0,"distance":1,"instructions":[""]}])";

// Returns predictions for 1_0, 1_1 and 2_0; the first is the given one.
inline std::string predictions_with(const std::string& first) {
  return "[" + first + R"(,
{"instr_id":"1_1","trajectory":[["a",0,0],["b",0,0]]},
{"instr_id":"2_0","trajectory":[["b",0,0],["c",0,0]]}])";
}
inline constexpr const char* good =
    R"({"instr_id":"1_0","trajectory":[["a",0,0],["b",0,0],["c",0,0]]})";

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::logic_error("nothing to replace: " + what);
  return text.replace(at, what.size(), with);
}

// Creates a folder with valid files, of which a test makes one invalid.
struct Scene {
  TemporaryFolder folder;
  std::string graphs = folder.path("graphs");
  std::string scan = folder.write("graphs/s_connectivity.json", graph);
  std::string data = folder.write("dataset.json", dataset);
  std::string agent = folder.write("agent.json", predictions_with(good));
  Arguments extra;

  Arguments eval() const {
    return with({"eval", "--graphs", graphs, "--dataset", data, agent, "--json",
                 folder.path("out.json"), "--csv", folder.path("out.csv")},
                extra);
  }
};

}  // namespace warpath::testing
