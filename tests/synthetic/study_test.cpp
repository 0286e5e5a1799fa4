#include "host/program/synthetic/study.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "host/checks/random.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/formats/predictions.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/support/files.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
namespace {

namespace fs = std::filesystem;

// Creates a folder for this test and removes it at the end.
struct Folder {
  std::string path = fmt::format("{}/study_{}_{}", ::testing::TempDir(), test_name(), ::getpid());
  ~Folder() { fs::remove_all(path); }

  static const char* test_name() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
};

const Study& example() {
  static const Study study = make_study({});
  return study;
}

const Agent& agent(const Study& study, std::string_view name) {
  const auto it = std::ranges::find(study.agents, name, &Agent::name);
  if (it == study.agents.end()) throw std::out_of_range(std::string(name));
  return *it;
}

bool walkable(const Scan& scan, const Path& path) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (!scan.adjacent(path[i - 1], path[i])) return false;
  }
  return !path.empty();
}

// Tells whether the path consists of 2 to 5 shortest paths, each between nodes 2 or 3 edges apart.
bool joins_waypoints(const Path& path, Distances& metres, Distances& hops) {
  std::vector<std::set<int>> legs(path.size());  // numbers of legs that can end at this node
  legs[0] = {0};
  for (std::size_t to = 1; to < path.size(); ++to) {
    for (std::size_t from = 0; from < to; ++from) {
      const double apart = hops.between(path[from], path[to]);
      if (legs[from].empty() || (apart != 2.0 && apart != 3.0)) continue;
      if (!std::ranges::equal(metres.path(path[from], path[to]),
                              std::span(path).subspan(from, to - from + 1))) {
        continue;
      }
      for (const int n : legs[from]) legs[to].insert(n + 1);
    }
  }
  return std::ranges::any_of(legs.back(), [](int n) { return n >= 2 && n <= 5; });
}

std::string content(const std::vector<std::string>& files) {
  std::string all;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    EXPECT_TRUE(in) << file;
    all.append(std::istreambuf_iterator<char>(in), {});
  }
  return all;
}

std::vector<std::string> names(const Scan& scan, const Path& path) {
  std::vector<std::string> ids;
  for (const Node n : path) ids.push_back(scan.viewpoint(n));
  return ids;
}

std::vector<std::string> names(const formats::StringTable& table,
                               std::span<const formats::Token> path) {
  std::vector<std::string> ids;
  for (const formats::Token t : path) ids.push_back(table[t]);
  return ids;
}

TEST(StudyRandom, StaysInRangeWithoutBias) {
  checks::Random random(7);
  double sum = 0.0;
  std::vector<int> counts(6);
  for (int i = 0; i < 60000; ++i) {
    const double u = random.unit();
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    sum += u;
    ++counts.at(random.below(6));
  }
  EXPECT_NEAR(sum / 60000, 0.5, 0.01);
  for (const int n : counts) EXPECT_NEAR(n, 10000, 500);
  // A quarter of the engine's values is rejected here; a plain modulo would favour the low half.
  const std::uint64_t n = 3 * (std::uint64_t{1} << 62);
  int low = 0;
  for (int i = 0; i < 60000; ++i) low += random.below(n) < n / 2;
  EXPECT_NEAR(low, 30000, 1000);
}

TEST(StudyGraph, PlacesNodesNearTheirGridPoints) {
  const Scan& scan = example().scan;
  ASSERT_EQ(scan.size(), 225u);
  EXPECT_EQ(scan.id(), "study");
  EXPECT_EQ(scan.viewpoint(7 * 15 + 12), "n07_12");
  double widest = 0.0;
  for (Node n = 0; n < scan.size(); ++n) {
    const auto& [x, y, z] = scan.positions()[n];
    const double dx = std::abs(x - n / 15), dy = std::abs(y - n % 15);
    EXPECT_LE(dx, 0.3 + 1e-12);
    EXPECT_LE(dy, 0.3 + 1e-12);
    EXPECT_EQ(z, 0.0);
    widest = std::max({widest, dx, dy});
  }
  EXPECT_GT(widest, 0.29);
}

TEST(StudyGraph, JoinsExactlyTheNodesWithinReach) {
  const Study& study = example();
  const auto positions = study.scan.positions();
  double sum = 0.0;
  int edges = 0;
  for (Node a = 0; a < positions.size(); ++a) {
    for (Node b = 0; b < positions.size(); ++b) {
      const double d =
          std::hypot(positions[a][0] - positions[b][0], positions[a][1] - positions[b][1]);
      ASSERT_EQ(study.scan.adjacent(a, b), a != b && d <= 1.4) << a << " " << b;
      if (a < b && d <= 1.4) sum += d, ++edges;
    }
  }
  EXPECT_EQ(study.scan.edge_count(), static_cast<std::size_t>(edges));
  EXPECT_NEAR(study.threshold_m, 1.33 * sum / edges, 1e-12);
}

TEST(StudyGraph, IsConnectedEvenIfMostDrawsAreNot) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Study study = make_study({.seed = seed, .side = 6, .reach = 1.15, .paths = 1});
    Distances hops(study.scan, Distance::hops);
    for (const double d : hops.row(0)) ASSERT_TRUE(std::isfinite(d)) << "seed " << seed;
  }
}

TEST(StudyPaths, ReferencesAreShortestPathsThroughWaypoints) {
  const Study& study = example();
  ASSERT_EQ(study.references.size(), 300u);
  Distances metres(study.scan, Distance::euclid_3d), hops(study.scan, Distance::hops);
  std::size_t longest = 0;
  for (const Path& path : study.references) {
    ASSERT_TRUE(walkable(study.scan, path));
    EXPECT_TRUE(joins_waypoints(path, metres, hops));
    longest = std::max(longest, path.size());
  }
  EXPECT_GE(longest, 13u);  // five legs
}

TEST(StudyPaths, AgentsWalkAlongEdgesFromTheStart) {
  const Study& study = example();
  ASSERT_EQ(study.agents.size(), 5u);
  for (const Agent& a : study.agents) {
    ASSERT_EQ(a.paths.size(), 900u) << a.name;
    for (std::size_t item = 0; item < 900; ++item) {
      ASSERT_TRUE(walkable(study.scan, a.paths[item])) << a.name << " " << item;
      EXPECT_EQ(a.paths[item].front(), study.references[item / 3].front());
    }
  }
}

TEST(StudyPaths, AgentsBehaveAsTheirNamesSay) {
  const Study& study = example();
  Distances metres(study.scan, Distance::euclid_3d);
  int noisy_arrives = 0, noisy_strays = 0, differing = 0;
  for (std::size_t item = 0; item < 900; ++item) {
    const Path& reference = study.references[item / 3];
    const Path& shortest = agent(study, "shortest").paths[item];
    const Path& noisy = agent(study, "noisy").paths[item];
    const Path& random = agent(study, "random").paths[item];
    EXPECT_EQ(agent(study, "follower").paths[item], reference);
    EXPECT_EQ(agent(study, "stop").paths[item], Path{reference.front()});
    EXPECT_EQ(shortest, metres.path(reference.front(), reference.back()));
    EXPECT_EQ(random.size(), reference.size());
    noisy_arrives += metres.between(noisy.back(), reference.back()) <= study.threshold_m;
    noisy_strays += noisy != reference;
    if (item % 3 != 0) {
      differing += random != agent(study, "random").paths[item - 1];
      differing += noisy != agent(study, "noisy").paths[item - 1];
    }
  }
  EXPECT_GT(noisy_arrives, 600);
  EXPECT_LT(noisy_arrives, 850);
  EXPECT_GT(noisy_strays, 800);
  EXPECT_GT(differing, 1100);  // of 1200: the instructions of one path have different walks
}

TEST(StudyFiles, AreEqualForEqualSeedsOnly) {
  const Folder folder;
  const auto write = [&](std::uint64_t seed, const char* name) {
    return content(write_study(make_study({.seed = seed}), folder.path + "/" + name));
  };
  const std::string first = write(1, "a");
  EXPECT_EQ(first, write(1, "b"));
  EXPECT_EQ(first, write(1, "a"));  // replaces the existing files
  EXPECT_NE(first, write(2, "c"));
  // The files are the same on every platform and compiler, since the documentation shows numbers of
  // this study.
  EXPECT_EQ(io::content_hash(first), "fa00942857efa9a3577010c2e8a6ef27");
}

TEST(StudyFiles, ReadBackEqual) {
  const Study& study = example();
  const Folder folder;
  const std::vector<std::string> files = write_study(study, folder.path);
  ASSERT_EQ(files.size(), 7u);
  EXPECT_EQ(files[0], folder.path + "/graphs/study_connectivity.json");
  formats::Graphs graphs(folder.path + "/graphs");
  const Scan& scan = graphs.scan("study");
  ASSERT_EQ(scan.size(), study.scan.size());
  EXPECT_TRUE(std::ranges::equal(scan.positions(), study.scan.positions()));
  for (Node n = 0; n < scan.size(); ++n) {
    EXPECT_EQ(scan.viewpoint(n), study.scan.viewpoint(n));
    EXPECT_TRUE(std::ranges::equal(scan.neighbours(n), study.scan.neighbours(n)));
  }

  formats::StringTable table;
  const formats::Dataset dataset =
      formats::read_dataset(files[1], nullptr, formats::ReferenceChoice::path, table);
  EXPECT_EQ(dataset.task->form, "r2r");
  EXPECT_EQ(dataset.scans, std::vector<std::string>{"study"});
  ASSERT_EQ(dataset.items.size(), 900u);
  for (std::size_t item = 0; item < 900; ++item) {
    EXPECT_EQ(dataset.items[item].id, fmt::format("{}_{}", item / 3, item % 3));
    EXPECT_EQ(names(table, dataset.references[dataset.items[item].reference]),
              names(study.scan, study.references[item / 3]));
  }
}

TEST(StudyFiles, PredictionsReadBackEqual) {
  const Study& study = example();
  const Folder folder;
  write_study(study, folder.path);
  formats::StringTable table;
  for (const Agent& a : study.agents) {
    const std::string file = fmt::format("{}/{}.json", folder.path, a.name);
    const formats::Predictions predictions = formats::read_predictions(file, std::nullopt, table);
    EXPECT_EQ(predictions.format, formats::PredictionFormat::evalai);
    ASSERT_EQ(predictions.entries.size(), 900u);
    for (std::size_t item = 0; item < 900; ++item) {
      const formats::Prediction& p = predictions.entries[item];
      EXPECT_EQ(p.id, fmt::format("{}_{}", item / 3, item % 3));
      EXPECT_FALSE(p.trajectory.malformed || p.trajectory.not_finite);
      EXPECT_EQ(names(table, predictions.paths[p.trajectory.path]),
                names(study.scan, a.paths[item]));
    }
  }
}

TEST(StudyFiles, ReplaceOnlyTheirOwn) {
  const Folder folder;
  const std::vector<std::string> files = write_study(make_study({.seed = 1}), folder.path);
  write_study(make_study({.seed = 2}), folder.path);
  write_study(make_study({.seed = 1}), folder.path);
  const std::string before = content(files);
  for (const std::string& file : files) {
    const std::string own = content({file});
    std::ofstream(file, std::ios::app) << " ";
    EXPECT_THROW(write_study(make_study({.seed = 2}), folder.path), UsageError) << file;
    EXPECT_EQ(content({file}), own + " ");
    std::ofstream(file) << own;
    EXPECT_EQ(content(files), before) << "another file was written";
  }
  std::ofstream(files[1], std::ios::app) << " ";
  write_study(make_study({.seed = 1}), folder.path, true);
  EXPECT_EQ(content(files), before);
}

TEST(StudyFiles, AreRefusedWhereOtherFilesHaveTheirNames) {
  const Folder folder;
  fs::create_directories(folder.path);
  std::ofstream(folder.path + "/random.json") << "[]";
  try {
    write_study(example(), folder.path);
    FAIL() << "random.json was replaced";
  } catch (const UsageError& e) {
    EXPECT_NE(std::string(e.what()).find("random.json exists"), std::string::npos) << e.what();
  }
  EXPECT_EQ(content({folder.path + "/random.json"}), "[]");
  EXPECT_FALSE(fs::exists(folder.path + "/graphs"));
  fs::remove(folder.path + "/random.json");
  fs::create_symlink("elsewhere.json", folder.path + "/random.json");
  EXPECT_THROW(write_study(example(), folder.path), UsageError);
  fs::remove(folder.path + "/random.json");
  std::ofstream(folder.path + "/.warpath-demo") << "my own list";
  EXPECT_THROW(write_study(example(), folder.path), UsageError);
  EXPECT_NO_THROW(write_study(example(), folder.path, true));
}

TEST(StudyFiles, ReplaceOnlyEqualFilesWithoutAList) {
  const Folder folder;
  write_study(make_study({.seed = 1}), folder.path);
  fs::remove(folder.path + "/.warpath-demo");
  EXPECT_THROW(write_study(make_study({.seed = 2}), folder.path), UsageError);
  EXPECT_NO_THROW(write_study(make_study({.seed = 1}), folder.path));
}

TEST(StudyFiles, AreRefusedWithExitCodeTwoUnlessForced) {
  const warpath::testing::TemporaryFolder folder;
  folder.write("dataset.json", "[]");
  const auto refused = warpath::testing::run({"demo", "--out", folder.path()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("dataset.json exists"), std::string::npos) << refused.err;
  EXPECT_EQ(warpath::testing::read_text(folder.path("dataset.json")), "[]");
  EXPECT_EQ(warpath::testing::run({"demo", "--out", folder.path(), "--force"}).code, 0);
  EXPECT_EQ(warpath::testing::run({"demo", "--out", folder.path()}).code, 0);
}

// Tests the fields that the readers ignore.
TEST(StudyFiles, HaveLengthsAndHeadings) {
  const std::vector<std::array<double, 3>> square{{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}};
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  const Path round{0, 1, 2, 3, 0};
  const Study study{
      Scan("study", {"a", "b", "c", "d"}, square, edges), 1.33, {round}, 1, {{"agent", {round}}}};
  const Folder folder;
  const std::vector<std::string> files = write_study(study, folder.path);
  EXPECT_NE(content({files[1]}).find(R"("distance": 4, "path": ["a", "b", "c", "d", "a"])"),
            std::string::npos);
  EXPECT_NE(content({files[2]})
                .find(R"([["a", 0, 0], ["b", 0, 0], ["c", 1.5708, 0], )"
                      R"(["d", 3.1416, 0], ["a", 4.7124, 0]])"),
            std::string::npos);
}

TEST(StudyErrors, NameOptionsThatAllowNoStudy) {
  EXPECT_THROW(make_study({.side = 1}), UsageError);
  EXPECT_THROW(make_study({.paths = 0}), UsageError);
  EXPECT_THROW(make_study({.instructions = 0}), UsageError);
  EXPECT_THROW(make_study({.reach = 0.1}), UsageError);
  EXPECT_THROW(make_study({.reach = 100.0}), UsageError);
  EXPECT_THROW(make_study({.zeta = std::nan("")}), UsageError);
}

TEST(StudyErrors, NameAFolderThatCannotBeMade) {
  const Folder folder;
  std::ofstream(folder.path) << "a file";
  EXPECT_THROW(write_study(example(), folder.path), InputError);
}

}  // namespace
}  // namespace warpath::synthetic
