// Compares scores of continuous episodes with those that a plain Python transcription of the
// presets' evaluators gives for our own made-up set.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

struct EpisodeCase {
  std::string golden, preset;
  bool is_dense = true, is_given = false;
};

void PrintTo(const EpisodeCase& episode, std::ostream* out) {
  *out << episode.golden;
}

class EpisodeGolden : public ::testing::TestWithParam<EpisodeCase> {};

std::string made(const std::string& name) {
  return source("tests/golden/targets/vlnce/" + name);
}

// Compares as `agrees`. In single precision the distances behind DTW, AD and MD are of coordinates
// relative to the reference's centre, so these may err by a part of the paths' size, some 10 m
// here.
bool agrees_on_positions(const std::string& golden, const std::string& ours, Metric metric,
                         const std::string& backend, double points) {
  if (agrees(golden, ours, metric, backend, points)) return true;
  const bool is_rounded = MetricSet{Metric::DTW, Metric::AD, Metric::MD}.contains(metric);
  if (backend == "reference" || !is_rounded || golden.empty() || ours.empty()) return false;
  return std::abs(std::stod(golden) - std::stod(ours)) <= 2e-6;
}

TEST_P(EpisodeGolden, EqualsTheTranscription) {
  const EpisodeCase& param = GetParam();
  for (const std::string backend : {"reference", "cpu"}) {
    const TemporaryFolder folder;
    Arguments arguments{"--dataset",  made("episodes.json"),   "--backend", backend, "--preset",
                        param.preset, made("predictions.json")};
    if (param.is_dense) arguments.insert(arguments.end(), {"--ground-truth", made("truth.json")});
    if (param.is_given) arguments.insert(arguments.end(), {"--distances", made("distances.json")});
    const auto golden = read_csv(made(param.golden + ".csv"));
    const auto ours = eval_rows(folder, arguments);
    ASSERT_EQ(ours.size(), golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i) {
      ASSERT_EQ(ours[i].at("instr_id"), golden[i].at("instr_id"));
      const double points =
          std::stod(golden[i].at("n_query_raw")) + std::stod(golden[i].at("n_ref"));
      for (const auto& [column, value] : golden[i]) {
        if (column == "instr_id") continue;
        const Metric metric = *find_metric(column);
        EXPECT_TRUE(agrees_on_positions(value, ours[i].at(column), metric, backend, points))
            << backend << " " << golden[i].at("instr_id") << " " << column << ": golden " << value
            << ", ours " << ours[i].at(column);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sets, EpisodeGolden,
    ::testing::Values(EpisodeCase{"vlnce", "vlnce"}, EpisodeCase{"vlnce-fastdtw", "vlnce-fastdtw"},
                      EpisodeCase{"dcvln", "dcvln"}, EpisodeCase{"etpnav", "etpnav"},
                      EpisodeCase{"vlnpe", "vlnpe"}, EpisodeCase{"paper", "paper"},
                      EpisodeCase{"vlnce_sparse", "vlnce", false},
                      EpisodeCase{"vlnce_given", "vlnce", true, true},
                      EpisodeCase{"dcvln_given", "dcvln", true, true},
                      EpisodeCase{"paper_given", "paper", true, true}),
    [](const auto& test) {
      std::string name = test.param.golden;
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace warpath::testing
