// Compares FastDTW with goldens: both builds on our own made-up pairs, whose warpings a plain
// Python transcription gives, and on the pairs of $WARPATH_DATA, whose costs the package gave.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "host/files/evaluation/fast_dtw.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"
#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

using Path = std::vector<formats::Point>;

constexpr std::pair<FastDtw, const char*> builds[] = {{FastDtw::pure, "pure"},
                                                      {FastDtw::compiled, "compiled"}};

// Holds one of our own pairs, with what the transcription says of it.
struct MadePair {
  Path x, y;
  int radius = 0;
  double exact = 0.0;
  std::map<FastDtw, evaluation::FastWarping> warping;
};

Path path_in(json::Value points) {
  Path path;
  for (const json::Value point : formats::as_array(points, {}))
    path.push_back(formats::as_point(point, {}));
  return path;
}

std::vector<MadePair> made_pairs() {
  const formats::JsonFile file(source("tests/golden/targets/fast_dtw.jsonl"));
  std::vector<MadePair> pairs;
  for (const json::Value pair : formats::as_array(file.root(), {})) {
    MadePair& made = pairs.emplace_back();
    made.x = path_in(pair["x"]);
    made.y = path_in(pair["y"]);
    made.radius = static_cast<int>(std::int64_t(pair["radius"]));
    made.exact = double(pair["exact"]);
    for (const auto& [build, name] : builds) {
      evaluation::FastWarping& warping = made.warping[build];
      warping.cost = double(pair[name]);
      for (const json::Value step : formats::as_array(pair[std::string(name) + "_steps"], {})) {
        warping.steps.emplace_back(std::uint64_t(step.at(0)), std::uint64_t(step.at(1)));
      }
    }
  }
  return pairs;
}

TEST(FastDtwGolden, MadePairsHaveTheWarpingsOfBothBuilds) {
  const graph::Euclid euclid(Distance::euclid_3d);
  for (const MadePair& pair : made_pairs()) {
    const Path &x = pair.x, &y = pair.y;
    const auto radius = static_cast<unsigned>(pair.radius);
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
      const evaluation::FastWarping found =
          evaluation::fast_dtw(x.size(), y.size(), radius, build, distance);
      const std::string which = fmt::format("{} {}: {} {}", name, radius, x, y);
      EXPECT_EQ(found.cost, pair.warping.at(build).cost) << which;
      EXPECT_EQ(found.steps, pair.warping.at(build).steps) << which;
      EXPECT_EQ(evaluation::fast_dtw_cost(x, y, radius, build, euclid), found.cost) << which;
    }
  }
}

// ---------------------------------------------------------------- commands

struct Files {
  std::string dataset, predictions;
};

// Writes the made pairs as episodes, numbered from 0.
Files write_episodes(const TemporaryFolder& folder) {
  std::vector<std::string> episodes, predictions;
  for (const MadePair& pair : made_pairs()) {
    const std::size_t id = episodes.size();
    episodes.push_back(fmt::format(
        R"({{"episode_id":"{0}","trajectory_id":{0},"scene_id":"made","start_position":{1},)"
        R"("goals":[{{"position":{2}}}],"info":{{"geodesic_distance":1.0}},)"
        R"("reference_path":{3},"instruction":{{"instruction_id":{0}}}}})",
        id, pair.y.front(), pair.y.back(), pair.y));
    std::vector<std::string> steps;
    for (const formats::Point& point : pair.x)
      steps.push_back(fmt::format(R"({{"position":{}}})", point));
    predictions.push_back(fmt::format(R"("{}":[{}])", id, fmt::join(steps, ",")));
  }
  return {folder.write("episodes.json",
                       fmt::format(R"({{"episodes":[{}]}})", fmt::join(episodes, ","))),
          folder.write("agent.json", fmt::format("{{{}}}", fmt::join(predictions, ",")))};
}

std::string setting(const std::string& build, int radius) {
  return (build == "pure" ? "fast:" : "fast-compiled:") + std::to_string(radius);
}

TEST(FastDtwGolden, EvalComputesBothBuildsOfPositions) {
  const TemporaryFolder folder;
  const Files files = write_episodes(folder);
  const std::vector<MadePair> pairs = made_pairs();
  for (const auto& [build, name] : builds) {
    for (const int radius : {1, 2, 3}) {
      const auto rows =
          eval_rows(folder, {"--dataset", files.dataset, files.predictions, "--backend",
                             "reference", "--dtw", setting(name, radius)});
      ASSERT_EQ(rows.size(), pairs.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        if (pairs[k].radius != radius) continue;
        EXPECT_EQ(std::stod(rows[k].at("DTW")), pairs[k].warping.at(build).cost) << name << k;
      }
    }
  }
}

TEST(FastDtwGolden, ExplainShowsBothBuildsWhereTheyDiffer) {
  const TemporaryFolder folder;
  const Files files = write_episodes(folder);
  const std::vector<MadePair> pairs = made_pairs();
  int shown = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const MadePair& pair = pairs[k];
    const double pure = pair.warping.at(FastDtw::pure).cost;
    const double compiled = pair.warping.at(FastDtw::compiled).cost;
    const CliResult result =
        run({"explain", "--dataset", files.dataset, "--item", std::to_string(k), files.predictions,
             "--dtw", setting("compiled", pair.radius)});
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string line =
        fmt::format("FastDTW of radius {}: {} by the pure build, {} by the compiled; exact {}\n",
                    pair.radius, pure, compiled, pair.exact);
    const bool differ = pure != compiled;
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
    const formats::JsonFile pairs(data_folder() + "/tasks2/fastdtw_pairs_val_seen.jsonl.gz");
    for (const json::Value pair : formats::as_array(pairs.root(), {})) {
      const std::string set(formats::as_string(pair["set"], {})),
          id(formats::as_string(pair["id"], {}));
      paths_["prediction " + set + " " + id] = path_in(pair["prediction"]);
      paths_["reference " + set + " " + id] = path_in(pair["reference"]);
    }
    const formats::JsonFile episodes(data_folder() + "/VLNCE_R2R_val_seen.json.gz");
    for (const json::Value episode : formats::as_array(episodes.root(), {})) {
      const std::string id = std::to_string(std::int64_t(episode["episode_id"]));
      for (const std::string version : {"v1-2", "v1-3"}) {
        const char* key = version == "v1-2" ? "gt_locations_v1_2" : "gt_locations_v1_3";
        paths_["reference " + version + " " + id] = path_in(episode[key]);
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
    const formats::JsonFile entries(file);
    for (const auto [id, steps] : formats::as_object(entries.root(), {})) {
      Path& path = paths_[fmt::format("prediction {} {}", agent, id)];
      for (const json::Value step : formats::as_array(steps, {})) {
        path.push_back(formats::as_point(step["position"], {}));
      }
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
  const graph::Euclid euclid(Distance::euclid_3d);
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
      costs.push_back(evaluation::fast_dtw_cost(x, y, radius, build, euclid));
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
