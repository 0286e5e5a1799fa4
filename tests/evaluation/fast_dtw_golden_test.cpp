// Compares FastDTW with goldens: both builds on our own made-up pairs, whose warpings a plain
// Python transcription gives, and on the pairs of $WARPATH_DATA, whose costs the package gave.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "host/evaluation/fast_dtw.hpp"
#include "host/io/input_file.hpp"
#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

using nlohmann::json;
using Path = std::vector<std::array<double, 3>>;

constexpr std::pair<FastDtw, const char*> builds[] = {{FastDtw::pure, "pure"},
                                                      {FastDtw::compiled, "compiled"}};

std::vector<json> json_lines(const std::string& file) {
  std::vector<json> lines;
  const std::string text = read_input(file);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

std::vector<json> made_pairs() {
  return json_lines(source("tests/golden/targets/fast_dtw.jsonl"));
}

TEST(FastDtwGolden, MadePairsHaveTheWarpingsOfBothBuilds) {
  const Euclid euclid(Distance::euclid_3d);
  for (const json& pair : made_pairs()) {
    const Path x = pair.at("x"), y = pair.at("y");
    const unsigned radius = pair.at("radius");
    // Level k has the means of 2^k points.
    const auto mean = [](const Path& path, unsigned level, std::size_t k) {
      std::vector<std::array<double, 3>> points(
          path.begin() + static_cast<std::ptrdiff_t>(k << level),
          path.begin() + static_cast<std::ptrdiff_t>((k + 1) << level));
      for (; points.size() > 1; points.resize(points.size() / 2)) {
        for (std::size_t p = 0; p < points.size() / 2; ++p) {
          for (int axis = 0; axis < 3; ++axis) {
            points[p][axis] = (points[2 * p][axis] + points[2 * p + 1][axis]) / 2;
          }
        }
      }
      return points.front();
    };
    const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
      return euclid(mean(x, level, i), mean(y, level, j));
    };
    for (const auto& [build, name] : builds) {
      const FastWarping found = fast_dtw(x.size(), y.size(), radius, build, distance);
      EXPECT_EQ(found.cost, pair.at(name).get<double>()) << pair;
      EXPECT_EQ(json(found.steps), pair.at(std::string(name) + "_steps")) << name << pair;
      EXPECT_EQ(fast_dtw_cost(x, y, radius, build, euclid), found.cost) << pair;
    }
  }
}

// ---------------------------------------------------------------- commands

struct Files {
  std::string dataset, predictions;
};

// Writes the made pairs as episodes, numbered from 0.
Files write_episodes(const TemporaryFolder& folder) {
  json episodes = json::array(), predictions;
  for (const json& pair : made_pairs()) {
    const std::string id = std::to_string(episodes.size());
    episodes.push_back({{"episode_id", id},
                        {"trajectory_id", episodes.size()},
                        {"scene_id", "made"},
                        {"start_position", pair.at("y").front()},
                        {"goals", {{{"position", pair.at("y").back()}}}},
                        {"info", {{"geodesic_distance", 1.0}}},
                        {"reference_path", pair.at("y")},
                        {"instruction", {{"instruction_id", episodes.size()}}}});
    for (const json& point : pair.at("x")) predictions[id].push_back({{"position", point}});
  }
  return {folder.write("episodes.json", json{{"episodes", episodes}}.dump()),
          folder.write("agent.json", predictions.dump())};
}

std::string setting(const std::string& build, int radius) {
  return (build == "pure" ? "fast:" : "fast-compiled:") + std::to_string(radius);
}

TEST(FastDtwGolden, EvalComputesBothBuildsOfPositions) {
  const TemporaryFolder folder;
  const Files files = write_episodes(folder);
  const std::vector<json> pairs = made_pairs();
  for (const auto& [build, name] : builds) {
    for (const int radius : {1, 2, 3}) {
      const auto rows =
          eval_rows(folder, {"--dataset", files.dataset, files.predictions, "--backend",
                             "reference", "--dtw", setting(name, radius)});
      ASSERT_EQ(rows.size(), pairs.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (pairs[k].at("radius") != radius) continue;
        EXPECT_EQ(std::stod(rows[k].at("DTW")), pairs[k].at(name).get<double>()) << name << k;
      }
    }
  }
}

TEST(FastDtwGolden, ExplainShowsBothBuildsWhereTheyDiffer) {
  const TemporaryFolder folder;
  const Files files = write_episodes(folder);
  const std::vector<json> pairs = made_pairs();
  int shown = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const json& pair = pairs[k];
    const CliResult result =
        run({"explain", "--dataset", files.dataset, "--item", std::to_string(k), files.predictions,
             "--dtw", setting("compiled", pair.at("radius"))});
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string line =
        fmt::format("FastDTW of radius {}: {} by the pure build, {} by the compiled; exact {}\n",
                    pair.at("radius").get<int>(), pair.at("pure").get<double>(),
                    pair.at("compiled").get<double>(), pair.at("exact").get<double>());
    const bool differ = pair.at("pure") != pair.at("compiled");
    EXPECT_EQ(result.out.find(line) != std::string::npos, differ) << line << result.out;
    EXPECT_EQ(result.out.find("by the pure build") != std::string::npos, differ) << result.out;
    shown += differ;
  }
  EXPECT_EQ(shown, 12);
}

// ---------------------------------------------------------------- the package's own numbers

void drop_repeats(Path& path) {
  path.erase(std::unique(path.begin(), path.end()), path.end());
}

// Holds the paths of a row of the golden: made ones, or those of VLN-CE's agents.
class PackagePairs {
 public:
  PackagePairs() {
    for (const json& pair : json_lines(data_folder() + "/tasks2/fastdtw_pairs_val_seen.jsonl.gz")) {
      const std::string set = pair.at("set"), id = pair.at("id");
      paths_["prediction " + set + " " + id] = pair.at("prediction").get<Path>();
      paths_["reference " + set + " " + id] = pair.at("reference").get<Path>();
    }
    for (const json& episode :
         json::parse(read_input(data_folder() + "/VLNCE_R2R_val_seen.json.gz"))) {
      const std::string id = std::to_string(episode.at("episode_id").get<int>());
      for (const std::string version : {"v1-2", "v1-3"}) {
        const std::string key = version == "v1-2" ? "gt_locations_v1_2" : "gt_locations_v1_3";
        paths_["reference " + version + " " + id] = episode.at(key).get<Path>();
      }
    }
  }

  const Path& reference(const std::string& set, const std::string& id) const {
    return paths_.at("reference " + (is_made(set) ? set : version_of(set)) + " " + id);
  }

  const Path& prediction(const std::string& set, const std::string& id) {
    if (is_made(set)) return paths_.at("prediction " + set + " " + id);
    const std::string agent = set.substr(0, set.size() - version_of(set).size() - 1);
    if (read_.insert(agent).second) read_agent(agent);
    return paths_.at("prediction " + agent + " " + id);
  }

 private:
  static bool is_made(const std::string& set) { return set.starts_with("made"); }
  static std::string version_of(const std::string& set) { return set.substr(set.size() - 4); }

  void read_agent(const std::string& agent) {
    const std::string file = data_folder() + "/targets/agents/VLNCE_val_seen_" + agent + ".json.gz";
    const json entries = json::parse(read_input(file));
    for (const auto& [id, steps] : entries.items()) {
      Path& path = paths_["prediction " + agent + " " + id];
      for (const json& step : steps) path.push_back(step.at("position"));
      drop_repeats(path);
    }
  }

  std::map<std::string, Path> paths_;
  std::set<std::string> read_;
};

TEST(FastDtwGolden, EveryPairHasThePackagesCosts) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  const std::string golden = data_folder() + "/tasks2/golden/fastdtw_val_seen.csv.gz";
  if (!std::filesystem::exists(golden)) GTEST_SKIP() << "no real data: " << golden << " is absent";
  PackagePairs pairs;
  const Euclid euclid(Distance::euclid_3d);
  std::size_t compared = 0, differ = 0;
  for (const CsvRow& row : read_csv(golden)) {
    const Path& x = pairs.prediction(row.at("set"), row.at("id"));
    const Path& y = pairs.reference(row.at("set"), row.at("id"));
    ASSERT_EQ(std::to_string(x.size()), row.at("n_pred")) << row.at("set") << row.at("id");
    ASSERT_EQ(std::to_string(y.size()), row.at("n_ref")) << row.at("set") << row.at("id");
    const auto radius = static_cast<unsigned>(std::stoul(row.at("radius")));
    std::vector<double> costs;
    for (const auto& [build, name] : builds) {
      const double cost = std::stod(row.at(std::string("dtw_") + name));
      costs.push_back(fast_dtw_cost(x, y, radius, build, euclid));
      // NumPy's norm rounds a distance otherwise, by a bit.
      EXPECT_NEAR(costs.back(), cost, 1e-13 * cost)
          << name << " " << row.at("set") << " " << row.at("id") << " radius " << radius;
      ++compared;
    }
    EXPECT_EQ(std::abs(costs[0] - costs[1]) > 1e-9, row.at("differs") == "1");
    differ += row.at("differs") == "1";
  }
  EXPECT_EQ(compared, 8616u);
  EXPECT_GT(differ, 10u);
}

}  // namespace
}  // namespace warpath::testing
