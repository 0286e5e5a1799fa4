#include "warpath/scorer.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "host/core/batch/arena.hpp"
#include "host/core/batch/check_batch.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/cuda/points.hpp"
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
        backends(options.backend) {
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

  // Refuses viewpoints that their scan does not have. The CPU back end checks them itself while it
  // stages the pairs, unless their paths are read before.
  void check_viewpoints(const PairBatchView& batch, Backend backend) {
    if (!options.check_input) return;
    if (backend == Backend::cpu && convention.cls_step != ClsStep::edge && tables().has_all()) {
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
Scores score_by_reference(const PairBatchView& batch, const Convention& convention,
                          const MetricSet& metrics, const Watch& watch) {
  Scores scores = reference::score(batch, convention, &watch);
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

// Scores prepared pairs into columns, which are `float` or `double`.
template <class T>
void score_pairs(Scorer::State& state, const PairBatchView& batch, const ScoreColumns<T>& columns,
                 const Watch& watch) {
  const MetricSet metrics = columns.metrics();
  const Backend backend = state.backend_for(batch.pairs.size());
  state.check_viewpoints(batch, backend);
  switch (backend) {
    case Backend::reference:
      return batch::copy_rows(score_by_reference(batch, state.convention, metrics, watch), {},
                              columns);
    case Backend::cuda: {
      const std::lock_guard lock(state.device_mutex);
      return cuda::score(
          state.backends.device(), batch, state.tables(), state.convention,
          {.metrics = metrics, .memory = state.options.memory_limit, .watch = &watch}, columns,
          &state.cuda_inputs);
    }
    default:
      cpu::score(batch, state.tables(), state.convention,
                 {.metrics = metrics, .threads = state.options.threads, .watch = &watch}, columns,
                 state.cpu_memory);
  }
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

template <class Batch>
Scores score_whole(Scorer::State& state, const Batch& batch, const Watch& watch) {
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
  if (backend == Backend::reference) {
    statistics.add(score_by_reference(view, state.convention, metrics, watch));
    statistics.precision = Precision::double_precision;
    return statistics;
  }
  if (backend == Backend::cuda) {
    const std::lock_guard lock(state.device_mutex);
    statistics = cuda::statistics(
        state.backends.device(), view, state.tables(), state.convention,
        {.metrics = metrics, .memory = state.options.memory_limit, .watch = &watch},
        &state.cuda_inputs);
  } else {
    statistics = cpu::statistics(
        view, state.tables(), state.convention,
        {.metrics = metrics, .threads = state.options.threads, .watch = &watch}, state.cpu_memory);
  }
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
