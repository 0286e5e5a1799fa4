// Compares scores with golden scores: of our own small set, made by a plain Python transcription of
// the equations, and of the real data, made by the original public evaluators. The reference back
// end agrees to 1e-12, the others to the rounding of single precision.

#include "tests/support/golden.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "host/core/cuda/device.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {
namespace {

constexpr const char* host_backends[] = {"reference", "cpu"};

// Returns 0 for a row without scores, which has nothing to compare.
double viewpoints_of(const CsvRow& row, const std::string& query) {
  if (row.at("n_ref").empty()) return 0.0;
  return std::stod(row.at("n_ref")) + std::stod(row.at(query));
}

// ---------------------------------------------------------------- our own set

class SmallGolden : public ::testing::TestWithParam<std::string> {
 protected:
  void compare(const std::string& backend) {
    const TemporaryFolder folder;
    std::string preset = GetParam();
    Arguments arguments{"--graphs",
                        source("tests/golden/connectivity"),
                        "--dataset",
                        source("tests/golden/dataset.json"),
                        "--backend",
                        backend,
                        source("tests/golden/predictions.json")};
    const std::size_t suffix = preset.find("_collapse");
    if (suffix != std::string::npos) {
      preset.resize(suffix);
      arguments.insert(arguments.end(), {"--repeats", "collapse"});
    }
    arguments.insert(arguments.end(), {"--preset", preset});
    // Two paths list fewer than three instructions, which r2r scores only on demand.
    if (preset == "r2r") arguments.insert(arguments.end(), {"--missing", "skip"});
    const auto golden = read_csv(source("tests/golden/scores/" + GetParam() + ".csv"));
    const auto ours = eval_rows(folder, arguments);
    ASSERT_EQ(ours.size(), golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i) {
      EXPECT_EQ(ours[i].at("instr_id"), golden[i].at("instr_id"));
      EXPECT_EQ(ours[i].at("status"), golden[i].at("status")) << golden[i].at("instr_id");
      for (const MetricInfo& m : path_metric_table()) {
        const std::string name(m.name);
        EXPECT_TRUE(agrees(golden[i].at(name), ours[i].at(name), m.metric, backend,
                           viewpoints_of(golden[i], "n_query_raw")))
            << backend << " " << golden[i].at("instr_id") << " " << name << ": golden "
            << golden[i].at(name) << ", ours " << ours[i].at(name);
      }
    }
  }
};

TEST_P(SmallGolden, EqualsThePythonTranscription) {
  for (const char* backend : host_backends) compare(backend);
}

TEST_P(SmallGolden, EqualsThePythonTranscriptionOnACudaDevice) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device == nullptr) GTEST_SKIP() << found.reason;
  compare("cuda");
}

INSTANTIATE_TEST_SUITE_P(Presets, SmallGolden,
                         ::testing::Values("paper", "paper_collapse", "r2r", "r2r_collapse",
                                           "envdrop", "envdrop_collapse", "duet", "duet_collapse",
                                           "r4r", "r4r_collapse", "r4r-hops", "r4r-hops_collapse",
                                           "valan", "valan_collapse"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// ---------------------------------------------------------------- the original evaluators

// Holds one convention, and the golden columns that it must reproduce with their metrics.
struct GoldenConvention {
  Arguments arguments;
  std::vector<std::pair<std::string, Metric>> columns;
};

const std::vector<GoldenConvention>& golden_conventions() {
  using enum Metric;
  static const std::vector<GoldenConvention> all{
      {{"--preset", "r2r", "--instructions", "all"},
       {{"pl", PL}, {"ne", NE}, {"one", ONE}, {"sp", SP}, {"sr", SR}, {"osr", OSR}, {"spl", SPL}}},
      {{"--preset", "r4r", "--repeats", "collapse"},
       {{"cls", CLS}, {"dtw", DTW}, {"ndtw", nDTW}, {"sdtw", SDTW}}},
      {{"--preset", "r4r"}, {{"dtw_raw", DTW}, {"ndtw_raw", nDTW}, {"sdtw_raw", SDTW}}},
      {{"--preset", "duet"},
       {{"spl_duet", SPL}, {"cls_duet", CLS}, {"ndtw_duet", nDTW}, {"sdtw_duet", SDTW}}},
      {{"--preset", "valan", "--repeats", "collapse"}, {{"ed", ED}, {"sed_valan", SED}}},
      {{"--preset", "valan", "--edit-norm", "longer", "--repeats", "collapse"}, {{"sed", SED}}},
      {{"--preset", "valan", "--edit-norm", "longer"}, {{"ed_raw", ED}, {"sed_raw", SED}}},
      {{"--preset", "paper"},
       {{"ad_raw", AD},
        {"ed_edge_raw", ED},
        {"sed_edge_raw", SED},
        {"ref_len", PLR},
        {"n_pred_raw", n_query_raw},
        {"n_ref", n_ref}}},
      {{"--preset", "paper", "--repeats", "collapse"},
       {{"ad", AD},
        {"md", MD},
        {"pc", PC},
        {"ed_edge", ED},
        {"sed_edge", SED},
        {"n_pred", n_query}}},
  };
  return all;
}

// Returns the files that a golden set can be scored from.
std::vector<Arguments> inputs_of(const std::string& set, const std::string& data) {
  std::vector<Arguments> inputs{{"--pairs", data + "/golden/" + set + ".jsonl.gz"}};
  const std::string agent = data + "/agents/" + set + ".json.gz";
  if (std::filesystem::exists(agent)) {
    const bool ndh = set.starts_with("NDH");
    inputs.push_back(
        {"--dataset", data + (ndh ? "/NDH_val_seen.json.gz" : "/R2R_val_seen.json"), agent});
  }
  return inputs;
}

// Compares every golden column; returns the number of values.
std::size_t compare(const std::vector<CsvRow>& golden, const Arguments& input,
                    const std::string& backend) {
  std::size_t compared = 0, columns = 0;
  for (const GoldenConvention& convention : golden_conventions()) {
    Arguments arguments = with({"--backend", backend}, input, convention.arguments);
    MetricSet metrics;
    for (const auto& [column, metric] : convention.columns) metrics.insert(metric);
    std::map<std::string, CsvRow> ours;
    for (CsvRow& row : eval_rows(real_graphs(), arguments, metrics)) {
      ours[row.at("instr_id")] = std::move(row);
    }
    columns += convention.columns.size();
    for (const CsvRow& row : golden) {
      CsvRow& found = ours[row.at("id")];
      const double viewpoints = viewpoints_of(row, "n_pred_raw");
      for (const auto& [column, metric] : convention.columns) {
        const std::string& value = found[std::string(info(metric).name)];
        EXPECT_TRUE(agrees(row.at(column), value, metric, backend, viewpoints))
            << row.at("id") << " " << column << ": golden " << row.at(column) << ", ours " << value;
        ++compared;
      }
    }
  }
  EXPECT_EQ(columns, golden.front().size() - 2) << "a golden column is not compared";
  return compared;
}

class RealGolden : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  }

  void compare_all(const std::string& backend) {
    const auto golden = read_csv(data_folder() + "/golden/" + GetParam() + ".csv.gz");
    for (const Arguments& input : inputs_of(GetParam(), data_folder())) {
      std::cout << GetParam() << " " << input.front() << " --backend " << backend << ": "
                << golden.size() << " rows, " << compare(golden, input, backend) << " values\n";
    }
  }
};

TEST_P(RealGolden, EqualsTheOriginalEvaluators) {
  for (const char* backend : real_data_backends) compare_all(backend);
}

TEST_P(RealGolden, EqualsTheOriginalEvaluatorsOnACudaDevice) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device == nullptr) GTEST_SKIP() << found.reason;
  compare_all("cuda");
}

// Sanitizers leave out the agents whose files differ from others' in values alone; see
// real_data_backends.
const std::string real_sets[] = {
#if !defined(WARPATH_SANITIZED)
    "R2R_val_seen_prevalent_seq2seq",
    "R2R_val_seen_prevalent_seq2seq_add",
    "R2R_val_seen_shortest",
    "R2R_val_seen_simrandom",
    "R2R_val_seen_stop",
#endif
    "R2R_val_seen_walks",
    "R4R_val_seen_walks",
    "R2R_val_seen_phi3",
    "NDH_val_seen_seq2seq40"};

INSTANTIATE_TEST_SUITE_P(Sets, RealGolden, ::testing::ValuesIn(real_sets));

}  // namespace
}  // namespace warpath::testing
