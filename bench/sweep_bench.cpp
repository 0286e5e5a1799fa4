// Times the CPU back end on one core, against plain C++ loops and, if it is installed, edlib on the
// same pairs in the same run. `scorer` measures whole calls, from a batch to the caller's columns;
// `kernels` and `shared_kernels` measure packed pairs.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#ifdef WARPATH_HAS_EDLIB
#include <edlib.h>
#endif

#include "bench/count_pairs.hpp"
#include "bench/metrics.hpp"
#include "bench/plain_dtw.hpp"
#include "host/checks/pairs.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/cpu/packed_window.hpp"
#include "warpath/scorer.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;

using Work = checks::SyntheticBatch;

// Makes random pairs on one scan. Viewpoints are drawn at random, the worst case for look-ups.
Work make_work(std::size_t viewpoints, std::size_t pairs, checks::LengthRange reference,
               checks::LengthRange query, std::size_t queries_per_reference) {
  checks::Random random(7);
  return checks::uniform_pairs(random, {"", reference, query, viewpoints, queries_per_reference},
                               pairs);
}

const MetricSet edits{Metric::ED};
const MetricSet navigation{Metric::NE, Metric::ONE, Metric::SR, Metric::OSR, Metric::PL};

const Work& r4r_like() {
  static const Work work = make_work(150, 200'000, {12, 12}, {14, 14}, 1);
  return work;
}
const Work& r2r_like() {
  static const Work work = make_work(85, 400'000, {6, 6}, {6, 6}, 1);
  return work;
}
const Work& mixed() {
  static const Work work = make_work(150, 200'000, {5, 20}, {5, 40}, 1);
  return work;
}
const Work& shared_reference() {
  static const Work work = make_work(150, 200'000, {12, 12}, {14, 14}, 160);
  return work;
}
const Work& long_paths() {
  static const Work work = make_work(150, 64, {1000, 1000}, {1000, 1000}, 1);
  return work;
}

void count(State& state, const Work& work) {
  count_pairs(state, work.batch);
}

// Times whole calls: from a batch to the caller's columns of floats, with a scorer that is reused.
void scorer(State& state, const Work& (*work)(), const MetricSet& metrics, int threads) {
  const PairBatch& batch = work().batch;
  const Scorer scorer(batch.scans, Convention{}, {.backend = Backend::cpu, .threads = threads});
  MetricMap<std::vector<float>> values;
  ScoreColumns<float> columns;
  for (const Metric m : metrics) {
    values[m].resize(batch.pairs.size());
    columns.column[m] = values[m].data();
  }
  for (auto _ : state) {
    scorer.score(batch, columns);
    benchmark::ClobberMemory();
  }
  count(state, work());
}

// Times whole calls that return statistics only.
void statistics(State& state, const Work& (*work)(), const MetricSet& metrics) {
  const PairBatch& batch = work().batch;
  const Scorer scorer(batch.scans, Convention{},
                      {.backend = Backend::cpu, .metrics = metrics, .threads = 1});
  for (auto _ : state) benchmark::DoNotOptimize(scorer.statistics(batch));
  count(state, work());
}

void pack(cpu::PackedWindow& window, std::span<const std::uint32_t> rows, const PairBatch& batch,
          const batch::DistanceTables& tables, const cpu::CpuKernels& isa,
          bool one_reference = false) {
  if (!window.pack(rows, batch, tables, {}, isa, one_reference)) std::abort();
}

// Times the kernels alone: windows are packed before the clock starts.
void kernels(State& state, const Work& (*work)(), const MetricSet& metrics) {
  constexpr std::size_t window_pairs = 4096;
  const PairBatch& batch = work().batch;
  const cpu::CpuKernels& isa = cpu::chosen_kernels();
  const batch::DistanceTables tables(batch.scans, Convention{});
  const cpu::KernelArguments job{
      tables.distance(), batch::make_rules(metrics, Convention{}, false, tables.are_connected())};
  std::vector<std::uint32_t> rows(batch.pairs.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<cpu::PackedWindow> windows((rows.size() + window_pairs - 1) / window_pairs);
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const std::size_t begin = w * window_pairs;
    pack(windows[w], {rows.data() + begin, std::min(window_pairs, rows.size() - begin)}, batch,
         tables, isa);
  }
  cpu::PackedWindow results;  // one for all windows
  pack(results, {rows.data(), std::min(window_pairs, rows.size())}, batch, tables, isa);
  const cpu::ResultView& out = results.outputs(batch::kernel_metrics(metrics));
  for (auto _ : state) {
    for (const cpu::PackedWindow& window : windows) {
      for (std::size_t g = 0; g < window.groups(); ++g) {
        isa.score_group(job, window.tasks(), g, results.workspace, out);
      }
      benchmark::ClobberMemory();
    }
  }
  count(state, work());
}

// Times the kernels if each window is the queries of one reference. Making its own table is
// included.
void shared_kernels(State& state, const Work& (*work)(), const MetricSet& metrics) {
  const PairBatch& batch = work().batch;
  const cpu::CpuKernels& isa = cpu::chosen_kernels();
  const batch::DistanceTables tables(batch.scans, Convention{});
  const kernels::ScanTable& scan = tables[0];
  const cpu::KernelArguments job{
      tables.distance(), batch::make_rules(metrics, Convention{}, false, tables.are_connected())};
  std::vector<std::uint32_t> rows(batch.pairs.size());
  std::iota(rows.begin(), rows.end(), 0u);
  std::vector<cpu::PackedWindow> windows(batch.references.size());
  std::size_t first = 0;
  for (std::uint32_t r = 0; r < windows.size(); ++r) {
    std::size_t end = first;
    while (end < rows.size() && batch.pairs[end].reference == r) ++end;
    pack(windows[r], {rows.data() + first, end - first}, batch, tables, isa, true);
    first = end;
  }
  cpu::PackedWindow results;
  pack(results, rows, batch, tables, isa);
  const cpu::ResultView& out = results.outputs(batch::kernel_metrics(metrics));
  std::vector<float> table(cpu::shared_entries(scan.pad, cpu::shared_pitch));
  for (auto _ : state) {
    for (std::uint32_t r = 0; r < windows.size(); ++r) {
      const auto reference = batch.references[r];
      const float* row[cpu::shared_pitch];
      for (std::size_t i = 0; i < reference.size(); ++i) {
        row[i] = tables.distance() + static_cast<std::size_t>(reference[i]) * scan.pitch;
      }
      isa.fill_shared(row, static_cast<int>(reference.size()), scan.pad, cpu::shared_pitch,
                      table.data());
      for (std::size_t g = 0; g < windows[r].groups(); ++g) {
        isa.score_shared(job, windows[r].tasks(), g, table.data(), results.workspace, out);
      }
      benchmark::ClobberMemory();
    }
  }
  count(state, work());
}

void scalar_dtw(State& state, const Work& (*work)()) {
  const batch::DistanceTables tables(work().batch.scans, Convention{});
  std::vector<float> row, scores(work().batch.pairs.size());
  for (auto _ : state) {
    for (std::size_t p = 0; p < scores.size(); ++p) {
      const Pair& pair = work().batch.pairs[p];
      const auto r = work().batch.references[pair.reference], q = work().batch.queries[pair.query];
      const auto distance = [&, pitch = std::size_t(tables[0].pitch)](std::size_t i,
                                                                      std::size_t j) {
        return tables.distance()[q[j] * pitch + r[i]];
      };
      scores[p] = plain_dtw(r.size(), q.size(), distance, row);
    }
    benchmark::DoNotOptimize(scores.data());
  }
  count(state, work());
}

int plain_levenshtein(std::span<const Node> r, std::span<const Node> q, std::vector<int>& row) {
  row.resize(r.size());
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t j = 1; j < q.size(); ++j) {
    int diagonal = row[0], above = row[0] = static_cast<int>(j);
    for (std::size_t i = 1; i < r.size(); ++i) {
      const bool same = r[i] == q[j] && r[i - 1] == q[j - 1];
      const int best = std::min(std::min(above, row[i]) + 1, diagonal + !same);
      diagonal = row[i];
      row[i] = above = best;
    }
  }
  return row.back();
}

// Compares edges, as ED does.
void scalar_edits(State& state, const Work& (*work)()) {
  std::vector<int> row, scores(work().batch.pairs.size());
  for (auto _ : state) {
    for (std::size_t p = 0; p < scores.size(); ++p) {
      const Pair& pair = work().batch.pairs[p];
      scores[p] = plain_levenshtein(work().batch.references[pair.reference],
                                    work().batch.queries[pair.query], row);
    }
    benchmark::DoNotOptimize(scores.data());
  }
  count(state, work());
}

#ifdef WARPATH_HAS_EDLIB
// Returns edges as bytes, made before the clock starts.
std::vector<std::string> edges_as_bytes(const PathSet& paths) {
  std::vector<std::string> all(paths.size());
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (std::size_t i = 1; i < paths.size_of(p); ++i) {
      all[p].push_back(static_cast<char>(paths[p][i - 1] * 31 + paths[p][i]));
    }
  }
  return all;
}

void edlib_edits(State& state, const Work& (*work)()) {
  const auto references = edges_as_bytes(work().batch.references);
  const auto queries = edges_as_bytes(work().batch.queries);
  const EdlibAlignConfig config = edlibDefaultAlignConfig();
  for (auto _ : state) {
    for (const Pair& pair : work().batch.pairs) {
      const std::string &r = references[pair.reference], &q = queries[pair.query];
      const EdlibAlignResult result = edlibAlign(q.data(), static_cast<int>(q.size()), r.data(),
                                                 static_cast<int>(r.size()), config);
      benchmark::DoNotOptimize(result.editDistance);
      edlibFreeAlignResult(result);
    }
  }
  count(state, work());
}
#endif

// The slashes in these names are not divisions.
// clang-format off
#define WARPATH_BENCH(function, name, ...) \
  BENCHMARK_CAPTURE(function, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)->UseRealTime()
#define WARPATH_STATISTICS_BENCH(work, set) \
  WARPATH_BENCH(statistics, work/set, work, set)->Name("scorer/statistics/" #work "/" #set)
#define WARPATH_SWEEP_BENCH(work, set)          \
  WARPATH_BENCH(scorer, work/set, work, set, 1); \
  WARPATH_BENCH(kernels, work/set, work, set)

WARPATH_SWEEP_BENCH(r4r_like, dtw);
WARPATH_SWEEP_BENCH(r4r_like, five);
WARPATH_SWEEP_BENCH(r4r_like, edits);
WARPATH_SWEEP_BENCH(r4r_like, everything);
WARPATH_SWEEP_BENCH(r2r_like, five);
WARPATH_SWEEP_BENCH(r2r_like, navigation);
WARPATH_SWEEP_BENCH(r2r_like, everything);
WARPATH_SWEEP_BENCH(mixed, dtw);
WARPATH_STATISTICS_BENCH(r4r_like, five);
WARPATH_STATISTICS_BENCH(r4r_like, everything);
WARPATH_STATISTICS_BENCH(r2r_like, five);
WARPATH_STATISTICS_BENCH(r2r_like, everything);
WARPATH_BENCH(scorer, shared_reference/dtw, shared_reference, dtw, 1);
WARPATH_BENCH(shared_kernels, shared_reference/dtw, shared_reference, dtw);
WARPATH_BENCH(scorer, long_paths/dtw, long_paths, dtw, 1);
WARPATH_BENCH(scorer, r4r_like/five/two_threads, r4r_like, five, 2);
WARPATH_BENCH(scorer, r4r_like/everything/two_threads, r4r_like, everything, 2);
WARPATH_BENCH(scorer, long_paths/dtw/two_threads, long_paths, dtw, 2);
WARPATH_BENCH(scalar_dtw, r4r_like, r4r_like);
WARPATH_BENCH(scalar_dtw, r2r_like, r2r_like);
WARPATH_BENCH(scalar_dtw, mixed, mixed);
WARPATH_BENCH(scalar_dtw, long_paths, long_paths);
WARPATH_BENCH(scalar_edits, r4r_like, r4r_like);
#ifdef WARPATH_HAS_EDLIB
WARPATH_BENCH(edlib_edits, r4r_like, r4r_like);
#endif
// clang-format on

}  // namespace
}  // namespace warpath::bench
