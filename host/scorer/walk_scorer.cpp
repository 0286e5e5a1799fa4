#include <algorithm>
#include <memory>
#include <mutex>

#include "host/cpu/walks.hpp"
#include "host/io/progress.hpp"
#include "host/walks/walk_tables.hpp"
#include "warpath/random_walks.hpp"

namespace warpath {
namespace {

// Walks that are stored at the same time where a sweep cannot make them.
constexpr std::uint64_t stored_walks = std::uint64_t{1} << 16;

ScorerOptions with_backend(ScorerOptions options, const Convention& convention) {
  // However few walks a call has, all calls take the same back end.
  constexpr std::size_t many = std::size_t{1} << 40;
  options.backend = Scorer({}, convention, options).backend(many).backend;
  return options;
}

}  // namespace

struct WalkScorer::State {
  State(const RandomWalks& of_walks, const Convention& of_convention,
        const ScorerOptions& of_options)
      : walks(of_walks),
        convention(of_convention),
        options(with_backend(of_options, convention)),
        stored(walks.scans(), convention, options) {}

  // Builds the tables when they are first needed; the reference back end needs none.
  const walks::WalkTables& tables() const {
    std::call_once(tables_made_,
                   [&] { tables_ = std::make_unique<walks::WalkTables>(walks, convention); });
    return *tables_;
  }

  const RandomWalks& walks;
  const Convention convention;
  const ScorerOptions options;
  const Scorer stored;

 private:
  mutable std::once_flag tables_made_;
  mutable std::unique_ptr<walks::WalkTables> tables_;
};

namespace {

BatchStatistics statistics_of_stored(const WalkScorer::State& state, std::uint64_t first,
                                     std::uint64_t count) {
  Progress progress("walking", count, "walks");
  BatchStatistics statistics;
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t part = std::min(stored_walks, count - done);
    statistics.merge(state.stored.statistics(state.walks.batch(first + done, part)));
    done += part;
    progress.add(part);
  }
  return statistics;
}

}  // namespace

WalkScorer::WalkScorer(const RandomWalks& walks, const Convention& convention,
                       const ScorerOptions& options)
    : state_(std::make_unique<State>(walks, convention, options)) {}
WalkScorer::WalkScorer(WalkScorer&&) noexcept = default;
WalkScorer& WalkScorer::operator=(WalkScorer&&) noexcept = default;
WalkScorer::~WalkScorer() = default;

BatchStatistics WalkScorer::statistics(std::uint64_t first, std::uint64_t count) const {
  const State& s = *state_;
  if (s.options.backend != Backend::cpu || !s.tables().are_usable) {
    return statistics_of_stored(s, first, count);
  }
  return cpu::statistics(s.walks, s.tables(), s.convention,
                         {.metrics = s.options.metrics, .threads = s.options.threads}, first,
                         count);
}

ResolvedBackend WalkScorer::backend() const {
  return {state_->options.backend, {}};
}

}  // namespace warpath
