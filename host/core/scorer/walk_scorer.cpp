#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "host/core/base/progress.hpp"
#include "host/core/batch/arena.hpp"
#include "host/core/cpu/walks.hpp"
#include "host/core/cuda/walks.hpp"
#include "host/core/scorer/backend_choice.hpp"
#include "host/core/walks/walk_pieces.hpp"
#include "host/core/walks/walk_tables.hpp"
#include "warpath/random_walks.hpp"

namespace warpath {
namespace {

// Returns how many walks are stored at the same time where a sweep cannot make them.
std::uint32_t stored_walks(const RandomWalks& walks) {
  constexpr std::uint32_t max_walks = 1 << 16, max_viewpoints = 1 << 22, min_walks = 64;
  const std::uint32_t max_size = walks.steps().rbegin()->first + 1;
  return std::clamp(max_viewpoints / max_size, min_walks, max_walks);
}

ResolvedBackend resolve(const ScorerOptions& options, const Convention& convention) {
  // However few walks a call has, all calls take the same back end.
  constexpr std::size_t many = std::size_t{1} << 40;
  return Scorer({}, convention, options).backend(many);
}

ScorerOptions with_backend(ScorerOptions options, Backend backend) {
  options.backend = backend;
  return options;
}

}  // namespace

struct WalkScorer::State {
  State(const RandomWalks& of_walks, const Convention& of_convention,
        const ScorerOptions& of_options)
      : walks(of_walks),
        convention(walks::swept_convention(walks, of_convention)),
        backend(resolve(of_options, of_convention)),
        options(with_backend(of_options, backend.backend)),
        stored(walks.scans(), of_convention, options),
        backends_(options.backend) {}

  // Builds the tables when they are first needed; the reference back end needs none.
  const walks::WalkTables& tables() const {
    std::call_once(tables_made_,
                   [&] { tables_ = std::make_unique<walks::WalkTables>(walks, convention); });
    return *tables_;
  }

  // Uploads what the walks share when it is first needed. @pre the back end is cuda
  cuda::DeviceWalks& on_device() const {
    std::call_once(uploaded_, [&] {
      on_device_ = std::make_unique<cuda::DeviceWalks>(
          backends_.device(), walks, tables(), convention,
          cuda::Options{.metrics = options.metrics, .memory = options.memory_limit});
    });
    return *on_device_;
  }

  const RandomWalks& walks;
  const Convention convention;  // of the walks that a sweep makes
  const ResolvedBackend backend;
  const ScorerOptions options;
  const Scorer stored;
  mutable std::mutex device_mutex;

 private:
  mutable scorer::BackendChooser backends_;
  mutable std::once_flag tables_made_, uploaded_;
  mutable std::unique_ptr<walks::WalkTables> tables_;
  mutable std::unique_ptr<cuda::DeviceWalks> on_device_;
};

namespace {

BatchStatistics statistics_of_stored(const WalkScorer::State& state, std::uint64_t first,
                                     std::uint64_t count, const Watch& watch) {
  base::Progress progress("walking", count, "walks");
  const std::uint32_t together = stored_walks(state.walks);
  BatchStatistics statistics;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t part = std::min<std::uint64_t>(together, count - done);
    statistics.merge(state.stored.statistics(state.walks.batch(first + done, part), watch));
    done += part;
    progress.add(part);
  }
  return statistics;
}

// Scores the walks of references that no kernel of the device takes.
BatchStatistics statistics_of_others(const WalkScorer::State& state, std::uint64_t first,
                                     std::uint64_t count, const Watch& watch) {
  using walks::WalkPieces;
  const std::uint32_t max_stored = stored_walks(state.walks);
  BatchStatistics statistics;
  PairBatch batch = state.walks.batch(0, 0);
  const auto score = [&] {
    statistics.merge(state.stored.statistics(batch, watch));
    batch.queries = {};
    batch.pairs.clear();
  };
  const auto store = [&](const walks::WalkPiece& piece) {
    for (std::uint32_t k = 0; k < piece.count; ++k) {
      state.walks.append(std::uint64_t{piece.high} << 32 | piece.number(k), batch.queries.elements);
      const std::uint32_t scan = state.walks.scan_of()[piece.reference];
      batch.pairs.push_back({scan, piece.reference, batch.queries.end_path()});
    }
    if (batch.pairs.size() >= max_stored) score();
  };
  WalkPieces::for_each_cut(state.walks, first, count, max_stored, [&](const WalkPieces& pieces) {
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const walks::WalkPiece piece = pieces[p];
      if (piece.count > 0 && !state.on_device().takes(piece.reference)) store(piece);
    }
  });
  score();
  return statistics;
}

BatchStatistics statistics_on_device(const WalkScorer::State& state, std::uint64_t first,
                                     std::uint64_t count, const Watch& watch) {
  const std::lock_guard lock(state.device_mutex);  // each part may take all the memory
  BatchStatistics statistics = state.on_device().statistics(first, count, &watch);
  if (!state.on_device().takes_all()) {
    statistics.merge(statistics_of_others(state, first, count, watch));
  }
  return statistics;
}

BatchStatistics statistics_of(const WalkScorer::State& state, std::uint64_t first,
                              std::uint64_t count, const Watch& watch) {
  if (state.options.backend == Backend::reference || !state.tables().are_usable) {
    return statistics_of_stored(state, first, count, watch);
  }
  if (state.options.backend == Backend::cuda) {
    return statistics_on_device(state, first, count, watch);
  }
  return cpu::statistics(
      state.walks, state.tables(), state.convention,
      {.metrics = state.options.metrics, .threads = state.options.threads, .watch = &watch}, first,
      count);
}

}  // namespace

WalkScorer::WalkScorer(const RandomWalks& walks, const Convention& convention,
                       const ScorerOptions& options)
    : state_(std::make_unique<State>(walks, convention, options)) {}
WalkScorer::WalkScorer(WalkScorer&&) noexcept = default;
WalkScorer& WalkScorer::operator=(WalkScorer&&) noexcept = default;
WalkScorer::~WalkScorer() = default;

BatchStatistics WalkScorer::statistics(std::uint64_t first, std::uint64_t count,
                                       const Watch& watch) const {
  const State& s = *state_;
  // As in Scorer, an arena of the call's own: it has the scorer's number of threads for all that is
  // done on the host, and none of its threads takes up a task of another call.
  tbb::task_arena arena(batch::arena_size(s.options.threads));
  return arena.execute([&] { return statistics_of(s, first, count, watch); });
}

ResolvedBackend WalkScorer::backend() const {
  return state_->backend;
}

}  // namespace warpath
