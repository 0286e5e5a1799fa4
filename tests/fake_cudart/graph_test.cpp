// Tests that calls of ReferenceScorer can be captured into a CUDA graph after warm_up, and that the
// graph scores what lies in memory when it is launched. The fake runtime refuses what a capture
// refuses: waiting, allocating, and the first use of a kernel.

#include <gtest/gtest.h>

#include <vector>

#include "host/checks/pairs.hpp"
#include "host/checks/resident_runs.hpp"
#include "host/core/cuda/plan.hpp"
#include "tests/fake_cudart/graph_capture.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/reference_scorer.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

const MetricSet few_metrics = MetricSet().insert(nDTW).insert(SPL).insert(n_query);

class CudaGraph : public GraphTest {};

/// Holds a batch on a device, with the arrays for its scores.
struct ScoredBatch {
  checks::Rows rows;
  checks::BatchOnDevice queries;
  cuda::DeviceArray<char> workspace, statistics;
  cuda::HostDeviceArray<float> ndtw;

  ScoredBatch(cuda::Device& device, const ReferenceScorer& scorer, const PairBatch& batch)
      : rows(checks::choose_rows(batch.pairs.size(), batch.pairs.size())),
        queries(device, batch, rows.active, {2, 4, true}),
        workspace(device, scorer.workspace_bytes(queries.view())),
        statistics(device, ReferenceScorer::statistics_bytes()),
        ndtw(device, batch.pairs.size()) {}

  void start(const ReferenceScorer& scorer, cuda::Stream stream) const {
    ScoreArrays scores;
    scores.column[nDTW] = ndtw.device.data();
    const Call call{.workspace = workspace.data(), .stream = stream};
    scorer.score(queries.view(), scores, call);
    scorer.clear_statistics(statistics.data(), stream);
    scorer.add_to_statistics(queries.view(), statistics.data(), call);
  }
  void expect_cpus(cuda::Device& device, const ReferenceScorer& scorer, const PairBatch& batch,
                   cuda::Stream stream) {
    ndtw.download(device, batch.pairs.size(), stream);
    device.wait(stream);
    PairBatch active = batch;
    active.pairs.clear();
    active.n_query_raw.clear();
    const Scores want = warpath::score(batch, {}, Backend::cpu, few_metrics);
    for (const std::size_t row : rows.scored) {
      active.pairs.push_back(batch.pairs[row]);
      ASSERT_TRUE(same_bits(double{ndtw.host[row]}, want.at(nDTW, row))) << row;
    }
    const BatchStatistics got = scorer.read_statistics(statistics.data(), stream);
    const BatchStatistics sums = warpath::statistics(active, {}, Backend::cpu, few_metrics);
    EXPECT_EQ(got.summary, sums.summary);
  }
};

TEST_F(CudaGraph, ScoresWhatLiesInMemoryWhenItIsLaunched) {
  for (const std::size_t pairs : {std::size_t{200}, cuda::small_batch + 50}) {
    RandomBatch made(run_seed() + 340, 1);
    made.add_pairs(pairs, 18, 9, 3);
    PairBatch batch = made.batch();
    const ReferenceScorer scorer(batch.scans, batch.references, checks::scans_of(batch), {},
                                 {.metrics = few_metrics, .place = Place::gpu()});
    ScoredBatch call(device_, scorer, batch);
    scorer.warm_up(call.queries.view(), {.workspace = call.workspace.data(), .stream = stream()});
    device_.wait(stream());
    capture([&] { call.start(scorer, stream()); });
    replay();
    call.expect_cpus(device_, scorer, batch, stream());
    std::vector<std::int64_t> reference;
    for (Pair& pair : batch.pairs) {
      pair.reference = static_cast<std::uint32_t>(batch.references.size()) - 1 - pair.reference;
      reference.push_back(pair.reference);
    }
    call.queries.reference().write(reference);
    replay();
    call.expect_cpus(device_, scorer, batch, stream());
  }
}

TEST_F(CudaGraph, StoresReferencesAnew) {
  RandomBatch made(run_seed() + 341, 1);
  made.add_pairs(60, 12, 9);
  const PairBatch& batch = made.batch();
  const auto count = static_cast<std::uint32_t>(batch.references.size());
  ReferenceScorer scorer(batch.scans, PathSet(), {}, {},
                         {.metrics = few_metrics,
                          .place = Place::gpu(),
                          .max_references = count,
                          .max_reference_length = 12});
  ScoredBatch call(device_, scorer, batch);
  const PathSet& paths = batch.references;
  const checks::IntegersOnDevice viewpoints(device_, {paths.elements.begin(), paths.elements.end()},
                                            4),
      offsets(device_, {paths.offsets.begin(), paths.offsets.end()}, 8),
      scan_of(device_, std::vector<std::int64_t>(count, 0), 1);
  scorer.warm_up(call.queries.view(), {.workspace = call.workspace.data(), .stream = stream()});
  device_.wait(stream());
  capture([&] {
    scorer.write_references(0, count, {viewpoints, {.offsets = offsets, .max_length = 12}}, scan_of,
                            stream());
    call.start(scorer, stream());
  });
  replay();
  call.expect_cpus(device_, scorer, batch, stream());
}

TEST_F(CudaGraph, ScoresPoints) {
  const ReferenceScorer scorer(Convention(), {.metrics = few_metrics, .place = Place::gpu()});
  const std::vector<float> path{0, 0, 0, 1, 0, 0, 2, 0, 0, 2, 1, 0};
  const checks::FloatsOnDevice points(device_, path);
  checks::IntegersOnDevice lengths(device_, {4}, 4);
  const PathsView paths{points.data(), {.lengths = lengths, .pitch = 4, .max_length = 4}};
  const Batch batch{.count = 1, .queries = paths, .references = paths};
  const cuda::DeviceArray<char> workspace(device_, scorer.workspace_bytes(batch)),
      statistics(device_, ReferenceScorer::statistics_bytes());
  cuda::HostDeviceArray<float> ndtw(device_, 1);
  ScoreArrays scores;
  scores.column[nDTW] = ndtw.device.data();
  const Call call{.workspace = workspace.data(), .stream = stream()};
  scorer.warm_up(batch, call);
  device_.wait(stream());
  capture([&] {
    scorer.score(batch, scores, call);
    scorer.clear_statistics(statistics.data(), stream());
    scorer.add_to_statistics(batch, statistics.data(), call);
  });
  for (const std::int64_t length : {4, 2}) {
    lengths.write({length});
    replay();
    ndtw.download(device_, 1, stream());
    device_.wait(stream());
    EXPECT_EQ(ndtw.host[0], 1.0f) << "a path against itself";
    const BatchStatistics got = scorer.read_statistics(statistics.data(), stream());
    EXPECT_EQ(got.summary.of(n_query).mean(), static_cast<double>(length));
  }
}

}  // namespace
}  // namespace warpath::testing
