#include <algorithm>
#include <memory>

#include "host/io/progress.hpp"
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
  State(const RandomWalks& of_walks, const Convention& of_convention, const ScorerOptions& of_options)
      : walks(of_walks),
        convention(of_convention),
        options(with_backend(of_options, convention)),
        stored(walks.scans(), convention, options) {}

  const RandomWalks& walks;
  const Convention convention;
  const ScorerOptions options;
  const Scorer stored;
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
  return statistics_of_stored(*state_, first, count);
}

ResolvedBackend WalkScorer::backend() const {
  return {state_->options.backend, {}};
}

}  // namespace warpath
