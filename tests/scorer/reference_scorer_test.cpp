// Tests batches against references that stay, on the device and on the host: the CPU's bits from
// every layout and width, without waiting or allocating, and what cannot be scored.

#include "warpath/reference_scorer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/checks/resident_runs.hpp"
#include "host/checks/rollouts.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cuda/resident_scorer.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

using checks::BatchOnDevice;
using checks::Form;
using checks::IntegersOnDevice;
using checks::scans_of;
using enum Metric;

constexpr checks::Form forms[] = {{2, 4, false}, {1, 4, true},  {4, 4, true},
                                  {8, 8, true},  {8, 8, false}, {2, 4, false, true}};
const MetricSet few_metrics = MetricSet().insert(nDTW).insert(SPL);

class CudaResidentScorer : public OnEachDevice {
 protected:
  void expect_cpus_bits(const PairBatch& batch, const Form& form,
                        const MetricSet& metrics = few_metrics);
};
WARPATH_ON_EACH_DEVICE(CudaResidentScorer);

// Of the active pairs: values and statuses, and the statistics.
void CudaResidentScorer::expect_cpus_bits(const PairBatch& batch, const Form& form,
                                          const MetricSet& metrics) {
  const checks::Rows rows = checks::choose_rows(batch.pairs.size(), batch.pairs.size());
  const checks::Request request{metrics, {}};
  cuda::Device& here = device(run_seed());
  const checks::InternalScorer scorer(here, checks::ScorerInputs(batch, 0, request));
  const std::size_t owned = fake() != nullptr ? fake()->leaks() : 0;
  PairBatch uncollapsed = batch;
  uncollapsed.n_query_raw.clear();
  const auto found = checks::compare_with_cpu(here, scorer, uncollapsed, rows, request, form);
  if (fake() != nullptr) {
    EXPECT_EQ(fake()->leaks(), owned) << "nothing is allocated";
  }
  EXPECT_GT(found.scores.cases, 0u) << "no row is scored";
  EXPECT_EQ(found.scores.count, 0u) << name_of(form);
  EXPECT_EQ(found.left_out.count, 0u) << name_of(form) << ": rows that are left out";
  EXPECT_EQ(found.totals.count, 0u) << name_of(form) << ": statistics";
}

TEST_P(CudaResidentScorer, EqualsTheCpuForShortReferences) {
  RandomBatch made(run_seed() + 300);
  made.add_pairs(500, 16, 30);
  for (const Form& form : forms) expect_cpus_bits(made.batch(), form);
  if (fake() != nullptr) {
    EXPECT_EQ(fake()->kernels.size(), 1u) << "one kernel";
  }
}

TEST_P(CudaResidentScorer, EqualsTheCpuOnDirectedScans) {
  for (const std::size_t queries : {1, 400}) {
    RandomBatch made(run_seed() + 307, 5, true);
    made.add_pairs(cuda::small_batch + 100, 18, 12, queries);
    expect_cpus_bits(made.batch(), forms[1]);
  }
}

TEST_P(CudaResidentScorer, EqualsTheCpuForLongReferences) {
  RandomBatch made(run_seed() + 301);
  made.add_pairs(60, 300, 90);
  for (const Form& form : forms) expect_cpus_bits(made.batch(), form);
}

TEST_P(CudaResidentScorer, EqualsTheCpuForBatchesThatArePacked) {
  for (const std::size_t queries : {1, 400}) {
    RandomBatch made(run_seed() + 306);
    made.add_pairs(cuda::small_batch + 100, 18, 12, queries);
    for (const Form& form : {forms[1], forms[4]}) expect_cpus_bits(made.batch(), form);
    expect_started(queries == 1 ? "shared_table" : "replicated_reference");
  }
}

Batch room_for(std::uint32_t count, std::uint32_t max_length) {
  return {.count = count, .queries = {Integers(), {.max_length = max_length}}};
}

TEST_P(CudaResidentScorer, EqualsTheCpuForLongReferencesOfTheLastScans) {
  RandomBatch made(run_seed() + 312, 20);
  const PairBatch batch = long_references_of_last_scans(made, cuda::small_batch + 10);
  expect_cpus_bits(batch, forms[0]);
  expect_started("lanes_8, shared table");
}

TEST(FakeCudaResidentScorer, NeedsNoLessMemoryForMore) {
  for (const int max_reference : {16, 30, 300}) {
    RandomBatch made(run_seed() + 313);
    made.add_pairs(40, max_reference, 5);
    const PairBatch& batch = made.batch();
    FakeDevice device(run_seed());
    const batch::DistanceTables tables(batch.scans, {});
    const cuda::ResidentScorer scorer(device, batch.references, scans_of(batch), tables, {}, {});
    std::size_t least = 0;
    for (const std::uint32_t count : {1, 200, 20'000, 29'999, 30'000, 31'000, 60'000}) {
      std::size_t of_length = 0;
      for (const std::uint32_t length : {1, 40, 1000, 1100}) {
        const std::size_t bytes = scorer.workspace_bytes(room_for(count, length));
        EXPECT_GE(bytes, of_length) << count << " pairs, " << length;
        of_length = bytes;
      }
      EXPECT_GE(scorer.workspace_bytes(room_for(count, 40)), least) << count << " pairs";
      least = scorer.workspace_bytes(room_for(count, 40));
    }
  }
}

TEST_P(CudaResidentScorer, AddsUpTheActivePairs) {
  RandomBatch small(run_seed() + 307), large(run_seed() + 308);
  small.add_pairs(300, 40, 30);
  large.add_pairs(cuda::small_batch + 100, 12, 12);
  for (const Form& form : forms) expect_cpus_bits(small.batch(), form, MetricSet::of_paths());
  expect_cpus_bits(large.batch(), forms[2], MetricSet::of_paths());
}

TEST(FakeCudaResidentScorer, RefusesLengthsByEdge) {
  RandomBatch made(run_seed() + 302);
  made.add_pairs(3, 5, 5);
  const PairBatch& batch = made.batch();
  FakeDevice device(run_seed());
  Convention by_edge;
  by_edge.cls_step = ClsStep::edge;
  const batch::DistanceTables tables(batch.scans, by_edge);
  EXPECT_THROW(cuda::ResidentScorer(device, batch.references, scans_of(batch), tables, by_edge, {}),
               InputError);
}

// ---------------------------------------------------------------- the public scorer

std::string error_of(const PairBatch& batch, const std::vector<std::uint32_t>& scan_of) {
  return error_of_call([&] {
    const ReferenceScorer scorer(batch.scans, batch.references, scan_of, {},
                                 {.metrics = few_metrics, .place = Place::gpu()});
  });
}

TEST(ReferenceScorer, NamesReferencesThatCannotBeScored) {
  RandomBatch made(run_seed() + 303, 2);
  made.add_pairs(3, 5, 5);
  const PairBatch& good = made.batch();
  const std::vector<std::uint32_t> scans = scans_of(good);
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(error_of(good, {0}), "has 1 values for 3 references");
  expect(error_of(good, {scans[0], 2, scans[2]}), "reference 1: is in scan 2 of 2");
  PairBatch bad = good;
  bad.references.end_path();
  expect(error_of(bad, {scans[0], scans[1], scans[2], 0}), "reference 3: has no viewpoint");
  bad = good;
  bad.references.elements[0] = 50'000;
  expect(error_of(bad, scans), "reference 0: names viewpoint 50000 of");
}

TEST(ReferenceScorer, GivesReasonAndRemedyWithoutADevice) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device != nullptr) GTEST_SKIP() << "there is a device";
  RandomBatch made(run_seed() + 304);
  made.add_pairs(3, 5, 5);
  EXPECT_NE(error_of(made.batch(), scans_of(made.batch())).find(found.reason), std::string::npos);
}

class CudaReferenceScorer : public ::testing::Test {
 protected:
  void SetUp() override {
    found_ = cuda::find_device();
    if (found_.device == nullptr) GTEST_SKIP() << found_.reason;
    stream_.emplace(device());
  }
  cuda::Device& device() { return *found_.device; }
  cuda::Stream stream() { return stream_->get(); }

  /// Returns the nDTW of each pair, and checks its status.
  std::vector<float> score(const ReferenceScorer& scorer, const Batch& batch) {
    const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(batch));
    cuda::HostDeviceArray<float> ndtw(device(), batch.count);
    device().fill(ndtw.device.data(), 0, batch.count * sizeof(float), stream());
    ScoreArrays scores;
    scores.column[nDTW] = ndtw.device.data();
    scorer.warm_up(batch, {.workspace = workspace.data(), .stream = stream()});
    scorer.score(batch, scores, {.workspace = workspace.data(), .stream = stream()});
    ndtw.download(device(), batch.count, stream());
    device().wait(stream());
    return {ndtw.host.data(), ndtw.host.data() + batch.count};
  }
  std::string problem_of(const ReferenceScorer& scorer, const Batch& batch) {
    const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(batch));
    return error_of_call([&] {
      scorer.score(batch, {}, {.workspace = workspace.data(), .stream = stream(), .check = true});
    });
  }

 private:
  cuda::FoundDevice found_;
  std::optional<cuda::UniqueStream> stream_;
};

TEST_F(CudaReferenceScorer, HasTheBitsOfTheCpu) {
  RandomBatch made(run_seed() + 305);
  made.add_pairs(300, 40, 30);
  const PairBatch& batch = made.batch();
  const Scores want = cpu::score(batch, {}, {.metrics = few_metrics});
  const ReferenceScorer scorer(batch.scans, batch.references, scans_of(batch), {},
                               {.metrics = few_metrics, .place = Place::gpu()});
  const checks::Rows rows = checks::choose_rows(batch.pairs.size(), batch.pairs.size());
  const BatchOnDevice queries(device(), batch, rows.active, forms[2]);
  EXPECT_EQ(problem_of(scorer, queries.view()), "");
  const std::vector<float> got = score(scorer, queries.view());
  for (const std::size_t row : rows.scored) {
    EXPECT_TRUE(same_bits(double{got[row]}, want.at(nDTW, row))) << row;
  }
}

TEST_F(CudaReferenceScorer, ScoresReferencesThatWereReplaced) {
  RandomBatch made(run_seed() + 309);
  made.add_pairs(50, 20, 20);
  const PairBatch& batch = made.batch();
  const Scores want = cpu::score(batch, {}, {.metrics = few_metrics});
  const std::vector<std::uint32_t> scan_of = scans_of(batch);
  const PathSet none;
  ReferenceScorer scorer(batch.scans, none, {}, {},
                         {.metrics = few_metrics,
                          .place = Place::gpu(),
                          .max_references = 60,
                          .max_reference_length = 20});
  const auto references = static_cast<std::uint32_t>(batch.references.size());
  const IntegersOnDevice viewpoints(
      device(), {batch.references.elements.begin(), batch.references.elements.end()}, 8);
  const IntegersOnDevice offsets(
      device(), {batch.references.offsets.begin(), batch.references.offsets.end()}, 8);
  const IntegersOnDevice scans(device(), {scan_of.begin(), scan_of.end()}, 4);
  const PathsView paths{viewpoints,
                        {.offsets = offsets, .lengths = nullptr, .pitch = 0, .max_length = 20}};
  scorer.write_references(0, references, paths, scans, stream());
  const checks::Rows rows = checks::choose_rows(batch.pairs.size(), batch.pairs.size());
  const BatchOnDevice queries(device(), batch, rows.active, forms[0]);
  EXPECT_EQ(problem_of(scorer, queries.view()), "");
  const std::vector<float> got = score(scorer, queries.view());
  for (const std::size_t row : rows.scored) {
    EXPECT_TRUE(same_bits(double{got[row]}, want.at(nDTW, row))) << row;
  }
  EXPECT_THROW(scorer.write_references(20, 41, paths, scans, stream()), InputError);
  PathsView longer = paths;
  longer.layout.max_length = 21;
  EXPECT_THROW(scorer.write_references(0, 1, longer, scans, stream()), InputError);
}

TEST_F(CudaReferenceScorer, NamesThePairThatCannotBeScored) {
  RandomBatch made(run_seed() + 310);
  made.add_pairs(20, 9, 9);
  const PairBatch& batch = made.batch();
  const ReferenceScorer scorer(batch.scans, batch.references, scans_of(batch), {},
                               {.metrics = few_metrics, .place = Place::gpu()});
  const IntegersOnDevice viewpoints(device(), std::vector<std::int64_t>(40, 0), 4);
  const auto problem = [&](std::vector<std::int64_t> ids, std::vector<std::int64_t> lengths,
                           std::vector<std::int64_t> reference) {
    const IntegersOnDevice nodes(device(), ids, 8);
    const IntegersOnDevice length(device(), lengths, 4);
    const IntegersOnDevice of(device(), reference, 8);
    const Batch pairs{.count = static_cast<std::uint32_t>(lengths.size()),
                      .queries = {nodes, {.lengths = length, .pitch = 4, .max_length = 3}},
                      .reference = of};
    return problem_of(scorer, pairs);
  };
  const std::string references = std::to_string(batch.references.size());
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(problem({0, 0, 0, -9, 0, 0, 0, -9}, {3, 1}, {0, 1}), "");
  expect(problem({0, 0, 0, 0, 0, 0, 0, 0}, {3, 0}, {0, 1}), "pair 1: has a query of length 0");
  expect(problem({0, 0, 0, 0, 0, 0, 0, 0}, {4, 1}, {0, 1}), "pair 0: has a query of length 4");
  expect(problem({0, 0, 0, 0, 0, 0, 0, 0}, {-1, 1}, {0, 1}), "pair 0: has a query of length -1");
  expect(problem({0, 0, 0, 0, 0, 0, 0, 0}, {3, 1}, {0, -2}),
         "pair 1: names reference -2 of " + references);
  expect(problem({0, 0, 0, 0, 0, 5'000'000'000, 0, 0}, {3, 2}, {0, 1}),
         "pair 1: names viewpoint 5000000000 of");
}

TEST_F(CudaReferenceScorer, GivesNoScoresToAPathWithoutViewpoints) {
  RandomBatch made(run_seed() + 311);
  for (int k = 0; k < 2; ++k) made.add_pair(0, {0}, {0});  // which any seed can reach
  made.add_pairs(20, 9, 9);
  const PairBatch& batch = made.batch();
  const ReferenceScorer scorer(batch.scans, batch.references, scans_of(batch), {},
                               {.metrics = few_metrics, .place = Place::gpu()});
  const std::int64_t start = batch.references[1][0];
  const IntegersOnDevice nodes(device(), {0, 0, start, start}, 2), lengths(device(), {0, 2}, 4),
      references(device(), {0, 1}, 4);
  const Batch pairs{.count = 2,
                    .queries = {nodes, {.lengths = lengths, .pitch = 2, .max_length = 2}},
                    .reference = references};
  const std::vector<float> got = score(scorer, pairs);
  EXPECT_TRUE(std::isnan(got[0]));
  EXPECT_FALSE(std::isnan(got[1]));
  EXPECT_EQ(scorer.status(kernels::flag_invalid), Status::empty_path);
}

// ---------------------------------------------------------------- the host

/// Holds the pairs of a batch as rows, and columns for their scores.
struct HostRows {
  checks::Rollouts rollouts;
  std::vector<std::uint16_t> viewpoints;
  std::vector<float> columns[2];
  std::vector<std::uint32_t> flags;

  explicit HostRows(const PairBatch& batch) : rollouts(checks::rollouts_of(batch, true)) {
    viewpoints.assign(rollouts.queries.viewpoints.begin(), rollouts.queries.viewpoints.end());
    for (std::vector<float>& column : columns) column.assign(batch.pairs.size(), -7.0f);
    flags.assign(batch.pairs.size(), 0xeeeeeeee);
  }
  bool is_active(std::size_t row) const { return rollouts.active[row] != 0; }
  Batch view() const {
    Batch batch = rollouts.batch(false);
    batch.queries.viewpoints = viewpoints.data();
    return batch;
  }
  ScoreArrays arrays() {
    ScoreArrays scores;
    scores.column[nDTW] = columns[0].data();
    scores.column[SPL] = columns[1].data();
    scores.flags = flags.data();
    return scores;
  }
};

TEST(ReferenceScorer, HasTheBitsOfTheCpuOnTheHost) {
  RandomBatch made(run_seed() + 320, 2, true);
  made.add_pairs(300, 20, 30);
  const PairBatch& batch = made.batch();
  const Scores want = cpu::score(batch, {}, {.metrics = few_metrics});
  const ReferenceScorer scorer(batch.scans, batch.references, scans_of(batch), {},
                               {.metrics = few_metrics});
  HostRows rows(batch);
  EXPECT_EQ(scorer.workspace_bytes(rows.view()), 0u);
  scorer.score(rows.view(), rows.arrays());
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    if (!rows.is_active(row)) {
      EXPECT_EQ(rows.columns[0][row], -7.0f) << row << " is left as it was";
      EXPECT_EQ(rows.flags[row], 0xeeeeeeee) << row;
      continue;
    }
    EXPECT_TRUE(same_bits(double{rows.columns[0][row]}, want.at(nDTW, row))) << row;
    EXPECT_TRUE(same_bits(double{rows.columns[1][row]}, want.at(SPL, row))) << row;
    EXPECT_EQ(scorer.status(rows.flags[row]), want.status[row]) << row;
    EXPECT_EQ(scorer.zero_rules(rows.flags[row]), want.zero_rules[row]) << row;
  }
}

TEST(ReferenceScorer, TakesOtherReferencesOnTheHost) {
  RandomBatch first(run_seed() + 321), second(run_seed() + 322);
  first.add_pairs(20, 9, 9);
  second.add_pairs(20, 9, 9);
  ReferenceScorer scorer(first.batch().scans, first.batch().references, scans_of(first.batch()), {},
                         {.metrics = few_metrics});
  const PairBatch& batch = second.batch();
  scorer.set_references(batch.scans, batch.references, scans_of(batch));
  const Scores want = cpu::score(batch, {}, {.metrics = few_metrics});
  HostRows rows(batch);
  scorer.score(rows.view(), rows.arrays());
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    if (!rows.is_active(row)) continue;
    EXPECT_TRUE(same_bits(double{rows.columns[0][row]}, want.at(nDTW, row))) << row;
  }
  PathSet empty = batch.references;
  empty.end_path();
  std::vector<std::uint32_t> scans = scans_of(batch);
  scans.push_back(0);
  EXPECT_THROW(scorer.set_references(batch.scans, empty, scans), InputError);
  scorer.score(rows.view(), rows.arrays());  // nothing changed
}

TEST(ReferenceScorer, NamesThePairOfTheHostThatCannotBeScored) {
  RandomBatch made(run_seed() + 323);
  made.add_pairs(20, 9, 9);
  const PairBatch& batch = made.batch();
  const ReferenceScorer scorer(batch.scans, batch.references, scans_of(batch), {},
                               {.metrics = few_metrics});
  const auto expect = [&](const std::string& part, const std::function<void(HostRows&)>& spoil) {
    HostRows rows(batch);
    spoil(rows);
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part,
                        error_of_call([&] { scorer.score(rows.view(), rows.arrays()); }));
    EXPECT_EQ(rows.columns[0][0], -7.0f) << "nothing is written";
  };
  expect("pair 2: names viewpoint 65535 of",
         [](auto& r) { r.viewpoints[r.rollouts.queries.at(2)] = 65'535; });
  expect("pair 4: has a query of length -1", [](auto& r) { r.rollouts.queries.lengths[4] = -1; });
  expect("pair 5: names reference 99 of", [](auto& r) { r.rollouts.reference[5] = 99; });
  const float point[]{0, 0, 1e13f};
  const std::int32_t one = 1;
  const PathsView path{point, {.lengths = &one, .pitch = 1, .max_length = 1}};
  EXPECT_THROW(scorer.score({.count = 1, .queries = path, .references = path}, {}), InputError);
  EXPECT_THROW(scorer.clear_statistics(nullptr, nullptr), InputError);
}

}  // namespace
}  // namespace warpath::testing
