#pragma once

#include <string>
#include <vector>

#include "host/program/synthetic/study.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {

/// Holds the files of a small synthetic study, and runs `warpath random` on them.
struct WalkScene {
  WalkScene() {
    synthetic::Options options;
    options.side = 8;
    options.paths = 30;
    options.instructions = 2;
    synthetic::write_study(synthetic::make_study(options), folder.path("study"));
  }

  Arguments random(const Arguments& more) const {
    return with({"random", "--graphs", graphs, "--dataset", data}, more);
  }

  /// Runs the command without a table, and returns what it wrote as JSON; "" if it failed.
  std::string json(const Arguments& more) const {
    Arguments all = random(more);
    all.insert(all.end(), {"--quiet", "--no-run-info", "--json", "-"});
    return run(all).out;
  }

  const TemporaryFolder folder;
  const std::string graphs = folder.path("study/graphs"), data = folder.path("study/dataset.json");
};

/// Returns the text of a number, or of a list without its end, that a JSON report has for a metric:
/// "mean", "n", …
inline std::string number_of(const std::string& json, const std::string& metric,
                             const std::string& key) {
  const std::size_t run = json.find("\"metrics\": {");
  const std::size_t begin = json.find("\"" + metric + "\": {", run);
  const std::string name = "\"" + key + "\": ";
  const std::size_t at = json.find(name, begin);
  if (run == std::string::npos || begin == std::string::npos || at == std::string::npos) return "";
  const std::size_t value = at + name.size();
  const std::size_t end =
      json[value] == '[' ? json.find(']', value) : json.find_first_of(",\n", value);
  return json.substr(value, end - value);
}

}  // namespace warpath::testing
