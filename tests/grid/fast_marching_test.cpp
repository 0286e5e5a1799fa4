// Distances by fast marching, --connect fmm, beside those of scikit-fmm 2025.6.23 and NumPy 2.4.6:
//
//   free = numpy.array([[cell == "." for cell in row] for row in rows])
//   phi = numpy.ma.masked_array(numpy.ones(free.shape), ~free)
//   phi[goal] = 0
//   skfmm.distance(phi, dx=spacing)

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "host/checks/scans.hpp"
#include "host/files/formats/coordinates.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/grid.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/r4r.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

constexpr double masked = std::numeric_limits<double>::infinity();

Grid marched_grid(const std::vector<std::string>& rows, double spacing) {
  GridData data{.rows = rows.size(), .columns = rows.front().size(), .resolution = spacing};
  for (const std::string& row : rows) {
    for (const char c : row) {
      data.heights.push_back(c == '.' ? 0.0 : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return Grid(data);
}

void expect_distances_to(const Cell& goal, const Grid& grid,
                         const std::vector<std::vector<double>>& want) {
  const Scan scan = grid.make_scan("s", Connect::fmm);
  Distances distances(scan, Distance::euclid_3d);
  const auto found = distances.row_to(*grid.find(goal));
  for (std::uint32_t r = 0; r < want.size(); ++r) {
    for (std::uint32_t c = 0; c < want[r].size(); ++c) {
      const auto cell = grid.find({0, r, c});
      if (!cell) continue;
      if (std::isinf(want[r][c]))
        EXPECT_EQ(found[*cell], want[r][c]) << r << ' ' << c;
      else
        EXPECT_NEAR(found[*cell], want[r][c], 1e-12) << r << ' ' << c;
    }
  }
}

const std::vector<std::string> walls{"......#.", ".###..#.", "...#....",
                                     ".#.#.##.", ".#...#..", "...#...#"};

TEST(FastMarching, EqualsScikitFmm) {
  expect_distances_to({0, 1, 2},
                      marched_grid({".......", ".......", ".......", ".......", "......."}, 1.0),
                      {{2.51447806718764, 1.7071067811865475, 1.0, 1.7071067811865475,
                        2.51447806718764, 3.395820444954831, 4.320989695354272},
                       {2.0, 1.0, 0.0, 1.0, 2.0, 2.999999999999999, 3.9999999999999982},
                       {2.51447806718764, 1.7071067811865475, 1.0, 1.7071067811865475,
                        2.51447806718764, 3.395820444954831, 4.320989695354272},
                       {3.1573752770412176, 2.51447806718764, 2.0, 2.51447806718764,
                        3.1573752770412176, 3.914616914263126, 4.750496146233642},
                       {3.914616914263126, 3.395820444954831, 2.999999999999999, 3.395820444954831,
                        3.914616914263126, 4.558953591490256, 5.301273607735849}});
  expect_distances_to({0, 2, 4}, marched_grid(walls, 0.25),
                      {{1.4999999999999984, 1.2499999999999987, 0.9999999999999996, 0.75, 0.5,
                        0.62861951679691, masked, 1.2499999999999987},
                       {1.7499999999999984, masked, masked, masked, 0.25, 0.42677669529663687,
                        masked, 0.9999999999999998},
                       {1.951184463531093, 1.7499999999999993, 1.4999999999999993, masked, 0.0,
                        0.25, 0.5, 0.7499999999999998},
                       {2.184912618041456, masked, 1.2499999999999996, masked, 0.25, masked, masked,
                        0.9999999999999998},
                       {1.9999999999999991, masked, 0.9999999999999996, 0.75, 0.5, masked,
                        1.4267766952966356, 1.2499999999999987},
                       {1.7499999999999991, 1.4999999999999996, 1.2499999999999996, masked,
                        0.7499999999999998, 0.9999999999999998, 1.2499999999999987, masked}});
}

TEST(FastMarching, LeavesCellsThatNoneReaches) {
  const Grid grid = marched_grid({"..#.", "..#."}, 1.0);
  expect_distances_to({0, 0, 0}, grid,
                      {{0.0, 1.0, masked, masked}, {1.0, 1.7071067811865475, masked, masked}});
  const Scan scan = grid.make_scan("s", Connect::fmm);
  EXPECT_EQ(Distances(scan, Distance::euclid_3d).between(0, 2), masked);
  EXPECT_EQ(scan.edge_count(), 10u);  // in each direction
}

TEST(FastMarching, DistancesAreMarchedFromWhereTheyLead) {
  const Grid grid = marched_grid(walls, 0.25);
  const Scan scan = grid.make_scan("s", Connect::fmm);
  EXPECT_TRUE(scan.is_directed());
  const Node corner = *grid.find({0, 0, 0}), other = *grid.find({0, 2, 5});
  constexpr double to_other = 1.568678537437359, to_corner = 1.6286195167969093;
  for (int call = 0; call < 2; ++call) {
    Distances distances(scan, Distance::euclid_3d);
    // Whether rows are known or not.
    if (call == 1) distances.make_rows(std::vector{corner, other});
    EXPECT_NEAR(distances.between(corner, other), to_other, 1e-12);
    EXPECT_NEAR(distances.between(other, corner), to_corner, 1e-12);
    EXPECT_EQ(distances.row(corner)[other], distances.between(corner, other));
    EXPECT_EQ(distances.row_to(other)[corner], distances.between(corner, other));
    EXPECT_EQ(distances.edge(corner, corner + 1), 0.25);
    EXPECT_THROW((void)distances.path(corner, other), InputError);
  }
  Distances hops(scan, Distance::hops);
  EXPECT_EQ(hops.between(corner, other), 7.0);
  EXPECT_EQ(hops.path(corner, other).size(), 8u);
}

TEST(FastMarching, IsOfFlatFloors) {
  GridData data{.layers = 2, .rows = 1, .columns = 2, .resolution = 1.0};
  for (const double height : {std::nan(""), 0.0}) {
    data.heights = {0.0, height == 0.0 ? 0.0 : 0.1, height, height};
    EXPECT_THROW((void)Grid(data).make_scan("s", Connect::fmm), InputError) << height;
  }
  // A floor that a file has in several layers is flat.
  data.heights = {2.0, std::nan(""), std::nan(""), 2.0};
  const Scan scan = Grid(data).make_scan("s", Connect::fmm);
  EXPECT_EQ(Distances(scan, Distance::euclid_3d).between(0, 1), 1.0);
}

// Lengths that are no path's would stand beside the paths.
TEST(FastMarching, HasNoPathsToJoinAndNoLengthsToMove) {
  auto store = std::make_shared<GraphStore>();
  store->add("s", marched_grid({"...", "..."}, 1.0), Connect::fmm);
  const TemporaryFolder folder;
  R4rOptions options;
  options.graph_store = store;
  options.dataset = folder.write(
      "R2R.json", R"([{"path_id":1,"scan":"s","path":["0,0,0","0,1,2"],"heading":0,"distance":3,)"
                  R"("instructions":["Go."]}])");
  EXPECT_NE(error_of_call([&] {
              (void)make_r4r(options);
            }).find("scan s: has distances by fast marching, which are of no way over cells"),
            std::string::npos);
  const std::string moved = folder.write("moved.json", R"({"s":{"0,0,0":[0,0,0]}})");
  EXPECT_NE(error_of_call([&] {
              formats::Coordinates(moved).move(store->scan("s"));
            }).find("has distances by fast marching, which coordinates do not change"),
            std::string::npos);
}

// Above 4,096 cells, `cpu` reads tables of the cells in use, and then one of all.
TEST(FastMarching, HasTheSameScoresFromTablesAsFromMarches) {
  std::vector<std::string> rows(66, std::string(65, '.'));
  for (std::size_t r = 3; r < 60; ++r) rows[r][20] = rows[r][21] = '#';
  const Grid grid = marched_grid(rows, 0.25);
  GraphStore store;
  const Scan* const scans[]{&store.add("s", grid, Connect::fmm)};
  ASSERT_GT(scans[0]->size(), 4096u);
  const auto cell = [&](std::uint32_t r, std::uint32_t c) { return *grid.find({0, r, c}); };
  PairBatch batch;
  batch.scans = {scans[0]};
  checks::add_path(batch.references,
                   std::vector{cell(30, 15), cell(2, 17), cell(1, 25), cell(12, 26)});
  checks::add_path(batch.references, std::vector{cell(62, 40), cell(61, 18), cell(45, 19)});
  checks::add_path(batch.queries, std::vector{cell(30, 15), cell(5, 18), cell(2, 23), cell(9, 30)});
  checks::add_path(batch.queries, std::vector{cell(60, 38), cell(63, 22), cell(58, 12)});
  batch.pairs = {{0, 0, 0}, {0, 1, 1}, {0, 0, 1}};
  const Scores want = Scorer(scans, {}, {.backend = Backend::reference}).score(batch);
  const Scores found = Scorer(scans, {}, {.backend = Backend::cpu}).score(batch);
  Distances distances(*scans[0], Distance::euclid_3d);
  std::size_t other_way = 0;  // pairs whose distance differs by direction
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    const Node end = batch.queries[batch.pairs[k].query].back(),
               goal = batch.references[batch.pairs[k].reference].back();
    EXPECT_EQ(want.at(Metric::NE, k), distances.row_to(goal)[end]);
    other_way += want.at(Metric::NE, k) != distances.row_to(end)[goal];
    for (const Metric m : MetricSet::of_paths()) {
      const double value = want.at(m, k);
      if (std::isnan(value)) continue;
      EXPECT_NEAR(found.at(m, k), value, 1e-5 * std::max(1.0, value)) << k << ' ' << info(m).name;
    }
  }
  EXPECT_GT(other_way, 0u);
}

const std::string marched_json =
    R"({"scan":"s1","resolution":1,"origin":[0,0],"up":"y","free":"room.png"})";
const std::string marched_pairs =
    R"({"id":"a","scan":"s1","reference":[[0.5,0,0.5],[3.5,0,0.5]],"prediction":[[0.5,0,0.5],)"
    R"([0.6,0,0.4],[0.5,0,2.5]]})"
    "\n";

class OverMarchedGrids : public ::testing::Test {
 protected:
  OverMarchedGrids() {
    folder_.write("grids/room.png", make_map({"..#..#.", "..#..##", ".....##"}));
    folder_.write("grids/s1.json", marched_json);
    folder_.write("p.jsonl", marched_pairs);
  }

  CliResult over_grid(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--pairs", folder_.path("p.jsonl"), "--grid",
                                       folder_.path("grids"), "--connect", "fmm"});
    return run(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(OverMarchedGrids, Evaluates) {
  const CliResult result =
      over_grid({"eval", "--csv", folder_.path("out.csv"), "--json", folder_.path("out.json")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("positions snapped to cells (fast marching) by up to 0.141 m"),
            std::string::npos)
      << result.out;
  const std::vector<CsvRow> rows = read_csv(folder_.path("out.csv"));
  ASSERT_EQ(rows.size(), 1u);
  const auto value = [&](const char* column) {
    return std::strtod(rows[0].at(column).c_str(), nullptr);
  };
  EXPECT_NEAR(value("NE"), 4.999999999999995, 1e-9);
  EXPECT_NEAR(value("PLR"), 6.514478067187637, 1e-9);  // the other way it is 6.2987
  EXPECT_NEAR(value("PL"), 2.0, 1e-9);
  const std::string json = read_text(folder_.path("out.json"));
  EXPECT_NE(json.find(R"("connect": "fmm")"), std::string::npos) << json;
}

TEST_F(OverMarchedGrids, ExplainsWithoutAWay) {
  const CliResult result = over_grid({"explain", "--item", "a"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("d(a, b) is marched from b to a"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("fast marching gives none over cells; --connect 8 shows one"),
            std::string::npos);
}

TEST_F(OverMarchedGrids, Rewards) {
  const CliResult result =
      over_grid({"rewards", "--reward", "goal", "--csv", folder_.path("out.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string csv = read_text(folder_.path("out.csv"));
  EXPECT_NE(csv.find("6.514478"), std::string::npos) << csv;  // from the start to the goal
}

TEST_F(OverMarchedGrids, RefusesAFloorThatIsNotFlat) {
  const std::vector<double> heights{0.0, 0.25};
  folder_.write("grids/s1.json",
                R"({"scan":"s1","resolution":1,"origin":[0,0],"up":"y","heights":"h.npy"})");
  folder_.write("grids/h.npy", make_npy("<f8", "(1, 1, 2)", bytes_of(heights)));
  const CliResult result = over_grid({"eval"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("heights: are from 0 to 0.25 m; fast marching is of one flat floor: "
                            "take --connect 8"),
            std::string::npos)
      << result.err;
}

}  // namespace
}  // namespace warpath::testing
