#include "warpath/scorer.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "host/core/batch/arena.hpp"
#include "host/core/batch/check_batch.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/large_scans.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/cuda/memory_budget.hpp"
#include "host/core/cuda/points.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "host/core/reference/reference.hpp"
#include "host/core/scorer/backend_choice.hpp"
#include "host/core/scorer/collapse_repeats.hpp"
#include "warpath/error.hpp"

namespace warpath {

struct Scorer::State {
  State(std::span<const Scan* const> scans_in, const Convention& convention_in,
        const ScorerOptions& options_in)
      : scans(scans_in.begin(), scans_in.end()),
        convention(convention_in),
        options(options_in),
        backends(options.backend),
        large_scans(convention, options.graphs.get()) {
    check_of_paths(convention);
  }

  // Builds the tables when they are first needed: it takes long, and neither points nor the
  // reference back end need them.
  const batch::DistanceTables& tables() {
    std::call_once(tables_made, [&] {
      tables_ = std::make_unique<batch::DistanceTables>(scans, convention, options.graphs.get());
    });
    return *tables_;
  }

  // Makes a call with the scorer's number of threads. Its own arena keeps a thread that waits for
  // others from taking up the caller's tasks, which may need this scorer, whose locks it holds.
  template <class Call>
  auto run(const Call& call) const {
    tbb::task_arena arena(batch::arena_size(options.threads));
    return arena.execute(call);
  }

  Backend backend_for(std::size_t pairs) {
    if (!batch::fits_single_precision(convention)) return Backend::reference;
    return backends.resolve(pairs).backend;
  }
  Backend backend_for_points() const {
    if (!batch::points_fit_single_precision(convention)) return Backend::reference;
    return options.backend == Backend::automatic ? Backend::cpu : options.backend;
  }

  // Returns bounds by which tables and pairs fit into the memory of the back end.
  batch::LargeScanLimits limits(Backend backend) {
    batch::LargeScanLimits limits;
    if (backend != Backend::cuda) return limits;
    const std::size_t budget = cuda::memory_budget(backends.device(), options.memory_limit);
    limits.whole_entries = std::min(limits.whole_entries, budget / 4 / sizeof(float));
    const double side = std::sqrt(static_cast<double>(limits.whole_entries));
    limits.used_viewpoints = std::min(limits.used_viewpoints, static_cast<std::size_t>(side));
    return limits;
  }

  // Refuses viewpoints that their scan does not have. The CPU back end checks them itself while it
  // stages the pairs, unless their paths are read before.
  void check_viewpoints(const PairBatchView& batch, Backend backend) {
    if (!options.check_input) return;
    if (backend == Backend::cpu && !definitions::takes_edge_lengths(convention) &&
        tables().has_all()) {
      return;
    }
    batch::check_viewpoints(batch);
  }

  const std::vector<const Scan*> scans;
  const Convention convention;
  const ScorerOptions options;
  scorer::BackendChooser backends;
  cpu::Memory cpu_memory;
  cuda::KeptInputs cuda_inputs;
  batch::LargeScans large_scans;
  // The scorer's calls of the device are made one after the other, since each may take all the
  // memory that they are allowed. Those of different scorers run side by side.
  std::mutex device_mutex;

 private:
  std::once_flag tables_made;
  std::unique_ptr<batch::DistanceTables> tables_;
};

namespace {

// Holds a batch as the back ends take it: with the scorer's scans, checked, repeats collapsed.
struct PreparedPairs {
  PairBatchView view;
  PathSet collapsed;
  std::vector<std::uint32_t> n_query_raw;

  PreparedPairs(const PairBatchView& batch, Scorer::State& state) : view(batch) {
    view.scans = state.scans;
    if (state.options.check_input) batch::check(view);
    if (state.convention.repeats != Repeats::keep) collapse_repeats();
  }
  PreparedPairs(const PreparedPairs&) = delete;
  PreparedPairs& operator=(const PreparedPairs&) = delete;

 private:
  void collapse_repeats() {
    if (!scorer::has_repeats(view.queries)) return;
    if (view.n_query_raw.empty()) {
      for (std::size_t k = 0; k < view.pairs.size(); ++k) {
        n_query_raw.push_back(view.raw_query_size(k));
      }
      view.n_query_raw = n_query_raw;
    }
    collapsed = scorer::collapse_repeats(view.queries);
    view.queries = collapsed;
  }
};

struct PreparedPoints {
  PointBatchView view;
  PointSet collapsed;

  PreparedPoints(const PointBatchView& batch, Scorer::State& state) : view(batch) {
    if (state.options.check_input) batch::check(view);
    if (state.convention.repeats == Repeats::keep || !scorer::has_repeats(view.queries)) return;
    collapsed = scorer::collapse_repeats(view.queries);
    view.queries = collapsed;
  }
  PreparedPoints(const PreparedPoints&) = delete;
  PreparedPoints& operator=(const PreparedPoints&) = delete;
};

// The reference back end always computes every metric.
Scores score_by_reference(const PairBatchView& batch, const Scorer::State& state,
                          const MetricSet& metrics, const Watch& watch) {
  Scores scores = reference::score(batch, state.convention, &watch, state.options.graphs.get());
  reference::restrict_to(metrics, scores);
  return scores;
}

}  // namespace

Scorer::Scorer(std::span<const Scan* const> scans, const Convention& convention,
               const ScorerOptions& options)
    : state_(std::make_unique<State>(scans, convention, options)) {}
Scorer::Scorer(Scorer&&) noexcept = default;
Scorer& Scorer::operator=(Scorer&&) noexcept = default;
Scorer::~Scorer() = default;

namespace {

// Scores the pairs of scans with tables, by `cpu` or `cuda`.
// @param kept what stays on the device between calls; null: nothing
template <class T>
void score_by_tables(Scorer::State& state, Backend backend, const PairBatchView& batch,
                     const batch::DistanceTables& tables, const ScoreColumns<T>& columns,
                     const Watch& watch, cuda::KeptInputs* kept) {
  const MetricSet metrics = columns.metrics();
  if (backend == Backend::cuda) {
    const std::lock_guard lock(state.device_mutex);
    return cuda::score(state.backends.device(), batch, tables, state.convention,
                       {.metrics = metrics, .memory = state.options.memory_limit, .watch = &watch},
                       columns, kept);
  }
  cpu::score(batch, tables, state.convention,
             {.metrics = metrics, .threads = state.options.threads, .watch = &watch}, columns,
             state.cpu_memory);
}

// Returns their statistics.
BatchStatistics statistics_by_tables(Scorer::State& state, Backend backend,
                                     const PairBatchView& batch,
                                     const batch::DistanceTables& tables, const Watch& watch,
                                     cuda::KeptInputs* kept) {
  const MetricSet& metrics = state.options.metrics;
  if (backend == Backend::cuda) {
    const std::lock_guard lock(state.device_mutex);
    return cuda::statistics(
        state.backends.device(), batch, tables, state.convention,
        {.metrics = metrics, .memory = state.options.memory_limit, .watch = &watch}, kept);
  }
  return cpu::statistics(batch, tables, state.convention,
                         {.metrics = metrics, .threads = state.options.threads, .watch = &watch},
                         state.cpu_memory);
}

// Scores the pairs of scans without tables: `by_tables` parts that have one, `by_reference` the
// few pairs that no table fits.
void score_large_scans(
    Scorer::State& state, Backend backend, const PairBatchView& batch, const Watch& watch,
    const batch::LargeScans::Take& by_tables,
    const std::function<void(const PairBatchView&, std::span<const std::uint32_t>)>& by_reference) {
  if (state.tables().has_all()) return;
  const auto left_out =
      state.large_scans.for_each_part(batch, batch::rows_without_table(batch, state.tables()),
                                      state.limits(backend), &watch, by_tables);
  if (!left_out.empty()) by_reference(batch::SomePairs(batch, left_out).view(), left_out);
}

// Scores prepared pairs into columns, which are `float` or `double`.
template <class T>
void score_pairs(Scorer::State& state, const PairBatchView& batch, const ScoreColumns<T>& columns,
                 const Watch& watch) {
  const MetricSet metrics = columns.metrics();
  const Backend backend = state.backend_for(batch.pairs.size());
  state.check_viewpoints(batch, backend);
  const auto by_reference = [&](const PairBatchView& pairs, std::span<const std::uint32_t> rows) {
    batch::copy_rows(score_by_reference(pairs, state, metrics, watch), rows, columns);
  };
  if (backend == Backend::reference) return by_reference(batch, {});
  score_by_tables(state, backend, batch, state.tables(), columns, watch, &state.cuda_inputs);
  const auto by_tables = [&](const batch::PartOnLargeScan& part) {
    Scores scores(part.rows.size(), metrics);
    score_by_tables(state, backend, part.view, part.tables, columns_of(scores), watch, nullptr);
    batch::copy_rows(scores, part.rows, columns);
  };
  score_large_scans(state, backend, batch, watch, by_tables, by_reference);
}

template <class T>
void score_points(Scorer::State& state, const PointBatchView& batch, const ScoreColumns<T>& columns,
                  const Watch& watch) {
  const MetricSet metrics = columns.metrics();
  switch (state.backend_for_points()) {
    case Backend::reference:
      return batch::copy_rows(reference::score(batch, state.convention, metrics, &watch), {},
                              columns);
    case Backend::cuda: {
      const std::lock_guard lock(state.device_mutex);
      return cuda::score(
          state.backends.device(), batch, state.convention,
          {.metrics = metrics, .memory = state.options.memory_limit, .watch = &watch}, columns);
    }
    default:
      cpu::score(batch, state.convention,
                 {.metrics = metrics, .threads = state.options.threads, .watch = &watch}, columns);
  }
}

template <class T>
void score_into(Scorer::State& state, const PairBatchView& batch, const ScoreColumns<T>& columns,
                const Watch& watch) {
  state.run([&] {
    const PreparedPairs prepared(batch, state);
    score_pairs(state, prepared.view, columns, watch);
  });
}

// Scores these pairs of a prepared batch. Only the caller's batch knows the number of points of a
// query before its repeats were collapsed.
template <class T>
void score_prepared(Scorer::State& state, const PreparedPoints& prepared,
                    const PointBatchView& part, const PointBatchView& batch,
                    const ScoreColumns<T>& columns, const Watch& watch) {
  score_points(state, part, columns, watch);
  T* raw = columns.column[Metric::n_query_raw];
  if (raw == nullptr || prepared.collapsed.size() == 0) return;
  for (std::size_t k = 0; k < part.pairs.size(); ++k) {
    raw[k] = static_cast<T>(batch.queries.size_of(part.pairs[k].query));
  }
}

template <class T>
void score_into(Scorer::State& state, const PointBatchView& batch, const ScoreColumns<T>& columns,
                const Watch& watch) {
  state.run([&] {
    const PreparedPoints prepared(batch, state);
    score_prepared(state, prepared, prepared.view, batch, columns, watch);
  });
}

Scores score_whole(Scorer::State& state, const PairBatchView& batch, const Watch& watch) {
  const MetricSet& metrics = state.options.metrics;
  if (batch.pairs.empty()) return Scores(0, metrics);
  return state.run([&] {
    const PreparedPairs prepared(batch, state);
    const PairBatchView& view = prepared.view;
    const Backend backend = state.backend_for(view.pairs.size());
    if (backend == Backend::reference) {  // has columns of its own
      state.check_viewpoints(view, backend);
      return score_by_reference(view, state, metrics, watch);
    }
    Scores scores(view.pairs.size(), metrics);
    score_pairs(state, view, columns_of(scores), watch);
    return scores;
  });
}

Scores score_whole(Scorer::State& state, const PointBatchView& batch, const Watch& watch) {
  Scores scores(batch.pairs.size(), state.options.metrics);
  if (!batch.pairs.empty()) score_into(state, batch, columns_of(scores), watch);
  return scores;
}

BatchStatistics statistics_of(Scorer::State& state, const PairBatchView& batch,
                              const Watch& watch) {
  const PreparedPairs prepared(batch, state);
  const PairBatchView& view = prepared.view;
  const MetricSet& metrics = state.options.metrics;
  const Backend backend = state.backend_for(view.pairs.size());
  state.check_viewpoints(view, backend);
  BatchStatistics statistics;
  const auto by_reference = [&](const PairBatchView& pairs, std::span<const std::uint32_t>) {
    statistics.add(score_by_reference(pairs, state, metrics, watch));
  };
  if (backend == Backend::reference) {
    by_reference(view, {});
    statistics.precision = Precision::double_precision;
    return statistics;
  }
  statistics =
      statistics_by_tables(state, backend, view, state.tables(), watch, &state.cuda_inputs);
  const auto by_tables = [&](const batch::PartOnLargeScan& part) {
    statistics.merge(statistics_by_tables(state, backend, part.view, part.tables, watch, nullptr));
  };
  score_large_scans(state, backend, view, watch, by_tables, by_reference);
  statistics.precision = Precision::single_precision;
  return statistics;
}

BatchStatistics statistics_of(Scorer::State& state, const PointBatchView& batch,
                              const Watch& watch) {
  constexpr std::size_t scored_together = std::size_t{1} << 16;  // bounds the memory
  const PreparedPoints prepared(batch, state);
  BatchStatistics statistics;
  for (std::size_t k = 0; k < batch.pairs.size(); k += scored_together) {
    const std::size_t count = std::min(scored_together, batch.pairs.size() - k);
    PointBatchView part = prepared.view;
    part.pairs = part.pairs.subspan(k, count);
    if (!part.task_success.empty()) part.task_success = part.task_success.subspan(k, count);
    Scores scores(count, state.options.metrics);
    score_prepared(state, prepared, part, batch, columns_of(scores), watch);
    statistics.add(scores);
  }
  statistics.precision = state.backend_for_points() == Backend::reference
                             ? Precision::double_precision
                             : Precision::single_precision;
  return statistics;
}

}  // namespace

void Scorer::score(const PairBatchView& batch, const ScoreColumns<float>& columns,
                   const Watch& watch) const {
  score_into(*state_, batch, columns, watch);
}
void Scorer::score(const PairBatchView& batch, const ScoreColumns<double>& columns,
                   const Watch& watch) const {
  score_into(*state_, batch, columns, watch);
}
void Scorer::score(const PointBatchView& batch, const ScoreColumns<float>& columns,
                   const Watch& watch) const {
  score_into(*state_, batch, columns, watch);
}
void Scorer::score(const PointBatchView& batch, const ScoreColumns<double>& columns,
                   const Watch& watch) const {
  score_into(*state_, batch, columns, watch);
}

Scores Scorer::score(const PairBatchView& batch, const Watch& watch) const {
  return score_whole(*state_, batch, watch);
}
Scores Scorer::score(const PointBatchView& batch, const Watch& watch) const {
  return score_whole(*state_, batch, watch);
}

BatchStatistics Scorer::statistics(const PairBatchView& batch, const Watch& watch) const {
  return state_->run([&] { return statistics_of(*state_, batch, watch); });
}
BatchStatistics Scorer::statistics(const PointBatchView& batch, const Watch& watch) const {
  return state_->run([&] { return statistics_of(*state_, batch, watch); });
}

ResolvedBackend Scorer::backend(std::size_t pairs) const {
  if (!batch::fits_single_precision(state_->convention)) {
    return {Backend::reference, batch::beyond_single_precision};
  }
  return state_->backends.resolve(pairs);
}

Scores score(const PairBatchView& batch, const Convention& convention, Backend backend,
             const MetricSet& metrics) {
  return Scorer(batch.scans, convention, {.backend = backend, .metrics = metrics}).score(batch);
}

Scores score(const PointBatchView& batch, const Convention& convention, Backend backend,
             const MetricSet& metrics) {
  return Scorer({}, convention, {.backend = backend, .metrics = metrics}).score(batch);
}

BatchStatistics statistics(const PairBatchView& batch, const Convention& convention,
                           Backend backend, const MetricSet& metrics) {
  return Scorer(batch.scans, convention, {.backend = backend, .metrics = metrics})
      .statistics(batch);
}

BatchStatistics statistics(const PointBatchView& batch, const Convention& convention,
                           Backend backend, const MetricSet& metrics) {
  return Scorer({}, convention, {.backend = backend, .metrics = metrics}).statistics(batch);
}

}  // namespace warpath
