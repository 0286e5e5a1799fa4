#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "host/program/cli/help.hpp"
#include "host/program/cli/scoring_options.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::testing {
namespace {

// Returns the bound of docs/precision.md for single precision, or a narrower one. GP's needs NE:
// this is its bound for lengths of 30 m, which paths in a building reach.
double single_precision_bound(Metric metric, double golden, double viewpoints) {
  if (info(metric).unit == Unit::fraction) return 1e-6;
  if (metric == Metric::GP || metric == Metric::OGP) return 1e-5;
  if (metric == Metric::DTW) return viewpoints * 0x1p-24 * golden;
  return 4e-7 * golden;
}

}  // namespace

std::vector<CsvRow> eval_rows(const TemporaryFolder& folder, Arguments arguments) {
  const std::string csv = folder.path("scores.csv");
  arguments.insert(arguments.begin(), "eval");
  arguments.insert(arguments.end(), {"--quiet", "--invalid", "skip", "--csv", csv});
  const CliResult result = run(arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  return read_csv(csv);
}

std::shared_ptr<const GraphStore> real_graphs() {
  static const auto graphs = std::make_shared<const GraphStore>(data_folder() + "/connectivity");
  return graphs;
}

std::vector<CsvRow> eval_rows(const std::shared_ptr<const GraphStore>& graphs, Arguments arguments,
                              const MetricSet& columns) {
  cli::Command program("warpath", "");
  cli::Command& command = program.add_command("eval", "");
  const cli::FileOptions file_options(command);
  const cli::ScoringOptions scoring(command);
  cli::name_values(program);
  arguments.insert(arguments.begin(), "eval");
  arguments.insert(arguments.end(), {"--invalid", "skip"});
  EXPECT_EQ(cli::parse(program, arguments).problem, "");
  std::ostringstream out, err;
  EvalFiles files = file_options.files();
  files.graph_store = graphs;
  Evaluator evaluator(files);
  report::EvalReport report = report::make_report(evaluator, scoring.request({out, err}));
  std::erase_if(report.metrics, [&](Metric m) { return !columns.contains(m); });
  const TemporaryFolder folder;
  return read_csv(folder.write("scores.csv", report::report_csv(report)));
}

bool agrees(const std::string& golden, const std::string& ours, Metric metric,
            const std::string& backend, double viewpoints) {
  const bool no_golden = golden.empty() || golden == "nan" || golden == "inf";
  if (no_golden || ours.empty()) return no_golden && ours.empty();
  const double a = std::stod(golden), b = std::stod(ours);
  if (backend == "reference") {
    return std::abs(a - b) <= 1e-12 * (info(metric).unit == Unit::fraction ? 1.0 : std::abs(a));
  }
  return std::abs(a - b) <= single_precision_bound(metric, a, viewpoints);
}

}  // namespace warpath::testing
