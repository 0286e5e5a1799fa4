// Tests the random agent of Matterport3DSimulator on stars of known directions, and that it does
// what the simulator's own did.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/files/evaluation/dataset_paths.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/trajectory_details.hpp"
#include "host/files/submission/submission.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/baseline_agents.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

// A neighbour of the star's centre: degrees clockwise from +y, and degrees up.
struct Ray {
  double bearing, up = 0.0;
};

// Makes a scan of a centre, viewpoint 0, and a neighbour at 2 m across for each ray.
Scan star(const std::vector<Ray>& rays) {
  std::vector<std::array<double, 3>> points{{5.0, -3.0, 1.0}};
  std::vector<Edge> edges;
  for (const Ray& ray : rays) {
    points.push_back({5.0 + 2.0 * std::sin(ray.bearing * degree),
                      -3.0 + 2.0 * std::cos(ray.bearing * degree),
                      1.0 + 2.0 * std::tan(ray.up * degree)});
    edges.push_back({0, static_cast<Node>(edges.size() + 1), {}});
  }
  return make_scan(points, edges);
}

// Writes a walk as "viewpoint@degrees".
std::string text(const std::vector<Pose>& poses) {
  std::string all;
  for (const Pose& pose : poses) {
    all += fmt::format("{}{}@{}", all.empty() ? "" : " ", pose.viewpoint,
                       std::lround(pose.heading / degree));
  }
  return all;
}

// Returns the viewpoint that the first move from the centre leads to, 0 if the first action turns.
Node first_move(const std::vector<Ray>& rays, double heading_degrees = 0.0) {
  return random_heading(star(rays), 0, heading_degrees * degree, 0)[1].viewpoint;
}

TEST(RandomHeading, WalksAsExpectedOnAStar) {
  const Scan scan = star({{0.0}, {90.0}, {200.0}});
  EXPECT_EQ(text(random_heading(scan, 0, 0.0, 0)),
            "0@0 1@0 1@30 1@60 1@90 1@120 1@150 0@150 0@180 3@180 3@210 3@240 3@270 3@300 3@330 "
            "3@0 0@0 1@0");
  EXPECT_EQ(text(random_heading(scan, 0, 0.0, 2)),
            "0@0 0@30 0@60 2@60 2@90 2@120 2@150 2@180 2@210 2@240 0@240 3@240 3@270 3@300 3@330 "
            "3@0 0@0 1@0");
}

TEST(RandomHeading, SeesFortyDegreesToEitherSide) {
  for (const double side : {-1.0, 1.0}) {
    EXPECT_EQ(first_move({{side * 40.0}}), 1u);
    EXPECT_EQ(first_move({{side * 40.001}}), 0u);
    EXPECT_EQ(first_move({{330.0 + side * 40.0}}, 330.0), 1u);
  }
}

TEST(RandomHeading, TakesTheNeighbourNearestToTheCentreOfTheView) {
  EXPECT_EQ(first_move({{-20.0}, {10.0}, {15.0}}), 2u);
  EXPECT_EQ(first_move({{10.0, 45.0}, {-20.0}}), 2u);  // 46.1 degrees off the centre, and 20
  EXPECT_EQ(first_move({{10.0, 15.0}, {-20.0}}), 1u);  // 18.0
  EXPECT_EQ(first_move({{-15.0}, {15.0}}), 1u);        // the first of two at the same angle
  EXPECT_EQ(first_move({{15.0}, {-15.0}}), 1u);
}

TEST(RandomHeading, IgnoresNeighboursStraightAbove) {
  const Scan scan = make_scan({{0, 0, 0}, {0, 0, 3}}, {{0, 1, {}}});
  for (const Pose& pose : random_heading(scan, 0, 0.0, 0)) EXPECT_EQ(pose.viewpoint, 0u);
}

TEST(RandomHeading, EndsAfterThirtyActionsInitialTurnsIncluded) {
  const Scan alone = make_scan({{0, 0, 0}}, {});
  const auto turning = random_heading(alone, 0, 0.0, 11);
  ASSERT_EQ(turning.size(), 31u);
  for (int k = 0; k <= 30; ++k) EXPECT_NEAR(turning[k].heading, 30 * (k % 12) * degree, 1e-12);

  // On one edge the first move takes one action, the second six, each further one seven.
  const Scan edge = make_scan({{0, 0, 0}, {0, 2, 0}}, {{0, 1, {}}});
  EXPECT_EQ(random_heading(edge, 0, 0.0, 0).size(), 29u);
  EXPECT_EQ(random_heading(edge, 0, 0.0, 11).size(), 31u);
}

TEST(RandomHeading, RoundsTheHeadingAtTheStart) {
  const Scan alone = make_scan({{0, 0, 0}}, {});
  for (const auto& [heading, degrees] :
       {std::pair(0.053, 0), std::pair(14.9 * degree, 0), std::pair(15.1 * degree, 30),
        std::pair(350.0 * degree, 0), std::pair(-30.0 * degree, 330),
        std::pair(750.0 * degree, 30)}) {
    EXPECT_NEAR(random_heading(alone, 0, heading, 0)[0].heading, degrees * degree, 1e-12);
  }
}

TEST(RandomHeading, NeedsPositions) {
  const Scan scan("hall", {"a", "b"}, {}, std::vector<Edge>{{0, 1, 1.0}});
  EXPECT_EQ(error_of_call([&] { random_heading(scan, 0, 0.0, 0); }),
            "scan hall: its viewpoints have no positions; random-heading needs them: choose "
            "another agent");
}

// The numbers are from a transcription of Philox in Python.
TEST(RightTurns, AreThoseOfTheNumberingOfWords) {
  const std::vector<std::uint32_t> expected{9, 3, 8, 7, 10, 10, 5, 6};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(draw_right_turns(1, i), expected[i]);
  EXPECT_EQ(draw_right_turns((std::uint64_t{1} << 32) + 5, 3), 8u);
  EXPECT_EQ(draw_right_turns(1, (std::uint64_t{1} << 33) + 7), 0u);
}

TEST(RightTurns, AreEvenlyDrawnFromZeroToEleven) {
  constexpr double items = 24'000, expected = items / 12;
  std::array<int, 12> counts{};
  for (int i = 0; i < items; ++i) ++counts.at(draw_right_turns(7, i));
  double chi2 = 0.0;
  for (const int count : counts) chi2 += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi2, 31.3);  // 0.999 quantile for 11 degrees of freedom
}

// Each of the simulator's 1,021 walks is one of the twelve that the item may begin.
TEST(RandomHeading, DoesWhatTheSimulatorsAgentDid) {
  const std::string data = data_folder();
  if (data.empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  EvalFiles files;
  files.graphs = data + "/connectivity";
  files.dataset = data + "/R2R_val_seen.json";
  files.predictions = {data + "/agents/R2R_val_seen_simrandom.json.gz"};
  evaluation::Inputs inputs(files, {.documents = true});
  evaluation::DatasetPaths paths(inputs.dataset, inputs.graphs, inputs.viewpoints);
  const formats::Predictions& agent = inputs.agents.front();
  const evaluation::Matching matching(inputs.dataset, agent);
  ASSERT_EQ(agent.entries.size(), 1021u);
  for (std::uint32_t e = 0; e < agent.entries.size(); ++e) {
    const formats::Item& item = inputs.dataset.items[matching.item_of(e)];
    const Scan& scan = paths.scan(item);
    const auto steps =
        formats::read_trajectory_details(submission::trajectory_in(agent, agent.entries[e])).places;
    bool is_found = false;
    for (std::uint32_t turns = 0; turns < 12; ++turns) {
      const auto poses = random_heading(scan, paths.start(item), item.heading, turns);
      is_found |=
          std::ranges::equal(poses, steps, [&](const Pose& pose, const formats::TrajectoryStep& s) {
            return scan.viewpoint(pose.viewpoint) == s.viewpoint &&
                   std::abs(pose.heading - s.angles[0]) < 1e-9;
          });
    }
    EXPECT_TRUE(is_found) << item.id;
  }
}

}  // namespace
}  // namespace warpath::testing
