// Compares distances, cells and scores over grids with those of SciPy and NumPy, in $WARPATH_DATA.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "host/files/formats/dataset.hpp"
#include "host/files/grid/grid_file.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/support/files.hpp"
#include "warpath/distances.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

const std::vector<std::string> metrics{"PL",   "NE",   "ONE", "SR",  "OSR", "SPL", "DTW",
                                       "nDTW", "SDTW", "PC",  "CLS", "AD",  "MD"};

class GridGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA";
    folder_ = data_folder() + "/obstacles/";
  }

  const Grid& grid(const std::string& scan) {
    auto& file = grids_[scan];
    if (!file) file.emplace(grid::read_grid_file(folder_ + "grid/" + scan + ".json", {}));
    return file->grid;
  }

  std::string folder_;
  std::map<std::string, std::optional<grid::GridFile>> grids_;
};

std::uint32_t count_of(const CsvRow& row, const std::string& column) {
  return static_cast<std::uint32_t>(std::strtoul(row.at(column).c_str(), nullptr, 10));
}

TEST_F(GridGolden, DistancesEqualSciPys) {
  std::map<std::string, Scan> scans;
  std::map<std::string, Distances> distances;
  std::size_t rows = 0;
  for (const CsvRow& row : read_csv(folder_ + "grid_distances.csv.gz")) {
    const Grid& cells = grid(row.at("scan"));
    const auto end = [&](const std::string& k) {
      return *cells.find(
          {count_of(row, "layer" + k), count_of(row, "row" + k), count_of(row, "column" + k)});
    };
    const Node from = end("0"), to = end("1");
    for (const auto& [column, connect] :
         {std::pair("d4", Connect::four), std::pair("d8", Connect::eight)}) {
      const std::string key = row.at("scan") + column;
      if (!scans.contains(key)) {
        const Scan& scan = scans.emplace(key, cells.make_scan(key, connect)).first->second;
        distances.emplace(key, Distances(scan, Distance::euclid_3d));
      }
      const double wanted = std::strtod(row.at(column).c_str(), nullptr),
                   found = distances.at(key).between(from, to);
      if (std::isinf(wanted))
        EXPECT_EQ(found, wanted) << key;
      else
        EXPECT_NEAR(found, wanted, 1e-12 * wanted) << key;
    }
    ++rows;
  }
  EXPECT_EQ(rows, 1968u);
}

TEST_F(GridGolden, FastMarchingEqualsScikitFmms) {
  std::map<std::string, Scan> scans;
  std::map<std::string, Distances> distances;
  std::size_t rows = 0;
  for (const CsvRow& row : read_csv(folder_ + "grid_distances.csv.gz")) {
    const std::string name = row.at("scan");
    if (row.at("fmm2").empty()) continue;
    const Grid& cells = grid(name);
    if (!scans.contains(name)) {
      const Scan& scan = scans.emplace(name, cells.make_scan(name, Connect::fmm)).first->second;
      distances.emplace(name, Distances(scan, Distance::euclid_3d));
    }
    const auto end = [&](const std::string& k) {
      return *cells.find({0, count_of(row, "row" + k), count_of(row, "column" + k)});
    };
    // Bits count: where two equal distances are not frozen together, others change by millimetres.
    EXPECT_EQ(distances.at(name).row_to(end("0"))[end("1")],
              std::strtod(row.at("fmm2").c_str(), nullptr))
        << name;
    ++rows;
  }
  EXPECT_EQ(rows, 1476u);
}

// Reads the numbers of a list of lists.
std::vector<std::uint32_t> numbers_behind(const std::string& line, const std::string& key) {
  std::vector<std::uint32_t> numbers;
  const char* at = line.c_str() + line.find("\"" + key + "\"") + key.size() + 2;
  for (; std::string_view(at, 2) != "]]"; ++at) {
    if (*at < '0' || *at > '9') continue;
    char* behind = nullptr;
    numbers.push_back(static_cast<std::uint32_t>(std::strtoul(at, &behind, 10)));
    at = behind - 1;
  }
  return numbers;
}

TEST_F(GridGolden, PointsSnapToTheSameCells) {
  const std::string file = folder_ + "grid_paths.jsonl.gz";
  const formats::PairsFile pairs = formats::read_point_pairs(file);
  const std::string text = io::read_input(file);
  std::size_t begin = 0, points = 0;
  for (std::size_t i = 0; i < pairs.dataset.items.size(); ++i) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    const Grid& cells = grid(pairs.dataset.scans[pairs.dataset.items[i].scan]);
    const auto expect_cells = [&](std::span<const std::array<double, 3>> path, const char* key) {
      const auto wanted = numbers_behind(line, key);
      ASSERT_EQ(wanted.size(), 3 * path.size());
      for (std::size_t k = 0; k < path.size(); ++k) {
        const Cell cell{wanted[3 * k], wanted[3 * k + 1], wanted[3 * k + 2]};
        EXPECT_EQ(cells.cell(cells.nearest(path[k]).cell), cell) << i << ' ' << key << ' ' << k;
        ++points;
      }
    };
    expect_cells(pairs.dataset.episodes->references[i], "reference_cells");
    expect_cells(pairs.predictions.positions->points[i], "prediction_cells");
  }
  EXPECT_GT(points, 10'000u);
}

using GoldenRows = std::map<std::string, CsvRow>;

GoldenRows rows_of(const std::string& file, const std::string& distance) {
  GoldenRows rows;
  for (CsvRow& row : read_csv(file)) {
    if (row.at("distance") == distance) rows.emplace(row.at("id"), row);
  }
  return rows;
}

void expect_metric(const CsvRow& golden, const std::string& metric, double found) {
  const double wanted = std::strtod(golden.at(metric).c_str(), nullptr);
  if (!std::isfinite(wanted)) {
    EXPECT_TRUE(std::isnan(found)) << golden.at("id") << ' ' << metric;
    return;
  }
  EXPECT_NEAR(found, wanted, 1e-9 * std::max(1.0, std::abs(wanted)))
      << golden.at("id") << ' ' << metric;
}

TEST_F(GridGolden, ScoresEqualThoseOfThePapersFormulas) {
#if defined(WARPATH_SANITIZED)
  GTEST_SKIP() << "searches of large grids take minutes in the sanitizers' build; g++'s runs it";
#endif
  for (const std::string connect : {"4", "8"}) {
    const GoldenRows golden = rows_of(folder_ + "grid_golden.csv.gz", "grid" + connect);
    const TemporaryFolder out;
    const CliResult result =
        run({"eval", "--pairs", folder_ + "grid_paths.jsonl.gz", "--grid", folder_ + "grid",
             "--connect", connect, "--invalid", "skip", "--csv", out.path("out.csv")});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto rows = read_csv(out.path("out.csv"));
    ASSERT_EQ(rows.size(), golden.size());
    for (const CsvRow& row : rows) {
      for (const std::string& metric : metrics) {
        const std::string& cell = row.at(metric);
        expect_metric(golden.at(row.at("instr_id")), metric,
                      cell.empty() ? std::nan("") : std::strtod(cell.c_str(), nullptr));
      }
    }
  }
}

TEST_F(GridGolden, PointsAsTheyAreHaveTheEuclideanScores) {
  const formats::PairsFile pairs = formats::read_point_pairs(folder_ + "grid_paths.jsonl.gz");
  PointBatch batch{pairs.dataset.episodes->references, pairs.predictions.positions->points, {}, {}};
  for (std::uint32_t k = 0; k < pairs.dataset.items.size(); ++k) batch.pairs.push_back({k, k});
  const Scores scores =
      Scorer({}, Convention{}, {.backend = Backend::reference}).score(PointBatchView(batch));
  const GoldenRows golden = rows_of(folder_ + "grid_golden.csv.gz", "euclid");
  for (std::size_t k = 0; k < scores.size(); ++k) {
    for (const std::string& metric : metrics) {
      expect_metric(golden.at(pairs.dataset.items[k].id), metric,
                    scores.at(*find_metric(metric), k));
    }
  }
}

}  // namespace
}  // namespace warpath::testing
