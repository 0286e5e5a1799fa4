// Tests that a graph whose distance table would take 7.2 GB is scored within 2 GiB. It runs the
// program itself, so that only its memory is measured.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <random>

#include "tests/support/files.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

constexpr int columns = 200, rows = 150;

std::string graph_text() {
  std::string nodes, edges;
  for (int y = 0; y < rows; ++y) {
    for (int x = 0; x < columns; ++x) {
      nodes += fmt::format("{}{{\"id\":\"{}_{}\",\"position\":[{},{}]}}", nodes.empty() ? "" : ",",
                           x, y, x, y);
      if (x > 0)
        edges += fmt::format("{}[\"{}_{}\",\"{}_{}\"]", edges.empty() ? "" : ",", x - 1, y, x, y);
      if (y > 0)
        edges += fmt::format("{}[\"{}_{}\",\"{}_{}\"]", edges.empty() ? "" : ",", x, y - 1, x, y);
    }
  }
  return "{\"scan\":\"town\",\"nodes\":[" + nodes + "],\"edges\":[" + edges + "]}";
}

// Walks along different rows, so that the references need well over a thousand rows.
std::string pairs_text(int pairs, int nodes) {
  std::string text;
  for (int p = 0; p < pairs; ++p) {
    std::string path;
    for (int k = 0; k < nodes; ++k) path += fmt::format("{}\"{}_{}\"", k ? "," : "", k, p);
    text += fmt::format("{{\"id\":{},\"scan\":\"town\",\"reference\":[{}],\"prediction\":[{}]}}\n",
                        p, path, path);
  }
  return text;
}

TEST(LargeGraph, ScoresThirtyThousandViewpointsWithinTwoGiB) {
  const TemporaryFolder folder;
  const std::string graph = folder.write("town.json", graph_text());
  const std::string pairs = folder.write("pairs.jsonl", pairs_text(40, 30));
  const std::string csv = folder.path("out.csv");
  const std::vector<std::string> words{program(), "eval",  "--graphs", graph,    "--pairs",
                                       pairs,     "--csv", csv,        "--quiet"};
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = 0;
  ASSERT_EQ(posix_spawn(&child, words.front().c_str(), nullptr, nullptr, argv.data(), environ), 0);
  int status = 0;
  rusage usage{};
  ASSERT_EQ(wait4(child, &status, 0, &usage), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_LT(usage.ru_maxrss, 2L << 20);  // KiB
  std::cout << "largest resident size " << usage.ru_maxrss / 1024 << " MiB\n";
  const auto scored = read_csv(csv);
  ASSERT_EQ(scored.size(), 40u);
  for (const CsvRow& row : scored) {
    EXPECT_EQ(row.at("PL"), "29");
    EXPECT_EQ(row.at("nDTW"), "1");
  }
}

TEST(LargeGraph, IsScoredByTheBackEndThatIsAskedFor) {
  const TemporaryFolder folder;
  EvalFiles files;
  files.graphs = folder.write("town.json", graph_text());
  files.pairs =
      folder.write("pairs.jsonl", R"({"id":1,"scan":"town","reference":["0_0","1_0","2_0"],)"
                                  R"("prediction":["0_0","1_0"]})");
  Evaluator evaluator(files);
  const auto score = [&](Backend backend) {
    return evaluator.evaluate(Convention(), {.backend = backend}).front().scores;
  };
  const Scores exact = score(Backend::reference), fast = score(Backend::cpu);
  for (const Metric m : {Metric::nDTW, Metric::NE, Metric::PL}) {
    for (std::size_t k = 0; k < exact.size(); ++k) {
      EXPECT_NEAR(fast.at(m, k), exact.at(m, k), 1e-5 * std::max(1.0, exact.at(m, k)));
    }
  }
  EXPECT_NE(fast.at(Metric::nDTW, 0), exact.at(Metric::nDTW, 0));  // which single precision shows
  EXPECT_TRUE(evaluator.description().warnings.empty());
}

}  // namespace
}  // namespace warpath::testing
