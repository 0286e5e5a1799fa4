#include "warpath/random_walks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/core/definitions/enum_names.hpp"
#include "host/core/walks/walk_state.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/walks/walk.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using kernels::ScalarLanes;
using Choices = kernels::ExactChoices<ScalarLanes, ScalarLanes>;
using Numbers = kernels::WalkNumbers<ScalarLanes>;

constexpr std::array<definitions::EnumName<WalkSample>, 2> sample_names{
    {{WalkSample::cycle, "cycle"}, {WalkSample::uniform, "uniform"}}};
constexpr std::uint64_t max_count = 0x7fffffff;

std::uint64_t sum_of(const StepCounts& steps) {
  std::uint64_t sum = 0;
  for (const auto& [number, count] : steps) {
    if (count > max_count - sum) return max_count + 1;
    sum += count;
  }
  return sum;
}

void check_steps(const StepCounts& steps) {
  const std::uint64_t sum = sum_of(steps);
  if (sum == 0) {
    throw InputError({{}, "numbers of steps"}, "there is none",
                     "count the edges of at least one reference, or give a number");
  }
  if (sum > max_count) {
    throw InputError({{}, "numbers of steps"}, fmt::format("they count more than {}", max_count),
                     "divide all counts by the same number");
  }
  for (const auto& [number, count] : steps) {
    if (number <= max_walk_steps) continue;
    throw InputError({{}, "numbers of steps"}, fmt::format("one is {}", number),
                     fmt::format("give at most {}", max_walk_steps));
  }
}

std::string name_of(std::size_t reference) {
  return fmt::format("reference {}", reference);
}

// A walk that comes to a viewpoint without a way out could not take its next step.
void check_ways_out(const Scan& scan, std::uint32_t r) {
  for (Node n = 0; n < scan.size(); ++n) {
    for (const Node next : scan.neighbours(n)) {
      if (!scan.neighbours(next).empty()) continue;
      throw InputError({{}, name_of(r)},
                       fmt::format("begins in scan {}, where edges lead to {}, but none leads on",
                                   scan.id(), scan.viewpoint(next)),
                       "random walks need a way out of every viewpoint: give the edge back, too");
    }
  }
}

void check_reference(const RandomWalks::State& walks, std::uint32_t r, bool may_move) {
  const std::span<const Node> reference = walks.references[r];
  if (reference.empty()) {
    throw InputError({{}, name_of(r)}, "is empty", "give it at least its start");
  }
  if (walks.scan_of[r] >= walks.scans.size()) {
    throw InputError({{}, name_of(r), "scan"},
                     fmt::format("is {} of {} scans", walks.scan_of[r], walks.scans.size()),
                     "number the scans from 0");
  }
  const Scan& scan = *walks.scans[walks.scan_of[r]];
  for (const Node node : reference) {
    if (node < scan.size()) continue;
    throw InputError({{}, name_of(r)},
                     fmt::format("has viewpoint {}, but scan {} has {} viewpoints", node, scan.id(),
                                 scan.size()),
                     "give indices of viewpoints from 0");
  }
  if (may_move && scan.is_directed()) check_ways_out(scan, r);
  if (may_move && scan.neighbours(reference.front()).empty()) {
    throw InputError({{}, name_of(r)},
                     fmt::format("begins at {}, which has no neighbour in scan {}",
                                 scan.viewpoint(reference.front()), scan.id()),
                     "leave out this reference, or use a graph that joins the viewpoint");
  }
}

void check(const RandomWalks::State& walks) {
  check_steps(walks.steps);
  if (walks.references.size() == 0) {
    throw InputError({{}, "references"}, "there is none", "give at least one path");
  }
  if (walks.scan_of.size() != walks.references.size()) {
    throw InputError({{}, "scan_of"},
                     fmt::format("has {} elements for {} references", walks.scan_of.size(),
                                 walks.references.size()),
                     "give the scan of each reference");
  }
  const bool may_move = std::ranges::any_of(
      walks.steps, [](const auto& entry) { return entry.first > 0 && entry.second > 0; });
  for (std::uint32_t r = 0; r < walks.references.size(); ++r) check_reference(walks, r, may_move);
}

Numbers numbers_of(const RandomWalks::State& walks, std::uint64_t walk) {
  return {static_cast<std::uint32_t>(walk), static_cast<std::uint32_t>(walk >> 32),
          walks::key_of(walks.seed)};
}

// Chooses the number of steps of a walk from its word 0.
std::uint32_t draw_steps(const RandomWalks::State& walks, const Numbers& numbers,
                         std::uint32_t word) {
  std::uint64_t choice = Choices{}.choose(numbers, 0, word, walks.step_count);
  for (const auto& [number, count] : walks.steps) {
    if (choice < count) return number;
    choice -= count;
  }
  return 0;  // unreachable: the choice is below the sum of all counts
}

}  // namespace

std::string_view name(WalkSample sample) {
  return definitions::name_in(sample_names, sample);
}

WalkSample find_walk_sample(std::string_view wanted) {
  return definitions::find_in(sample_names, "sample", wanted);
}

RandomWalks::RandomWalks(std::span<const Scan* const> scans, const PathView<Node>& references,
                         std::span<const std::uint32_t> scan_of, const StepCounts& steps,
                         std::uint64_t seed, WalkSample sample)
    : state_(std::make_unique<State>()) {
  State& walks = *state_;
  walks.scans.assign(scans.begin(), scans.end());
  walks.references.elements.assign(references.elements.begin(), references.elements.end());
  walks.references.offsets.assign(references.offsets.begin(), references.offsets.end());
  walks.scan_of.assign(scan_of.begin(), scan_of.end());
  walks.steps = steps;
  walks.seed = seed;
  walks.sample = sample;
  check(walks);
  walks.step_count = static_cast<std::uint32_t>(sum_of(steps));
}
RandomWalks::RandomWalks(RandomWalks&&) noexcept = default;
RandomWalks& RandomWalks::operator=(RandomWalks&&) noexcept = default;
RandomWalks::~RandomWalks() = default;

std::span<const Scan* const> RandomWalks::scans() const {
  return state_->scans;
}
const PathSet& RandomWalks::references() const {
  return state_->references;
}
std::span<const std::uint32_t> RandomWalks::scan_of() const {
  return state_->scan_of;
}
const StepCounts& RandomWalks::steps() const {
  return state_->steps;
}
std::uint64_t RandomWalks::seed() const {
  return state_->seed;
}
WalkSample RandomWalks::sample() const {
  return state_->sample;
}

std::uint32_t RandomWalks::reference(std::uint64_t walk) const {
  const auto count = static_cast<std::uint32_t>(state_->references.size());
  if (state_->sample == WalkSample::cycle) return static_cast<std::uint32_t>(walk % count);
  const Numbers numbers = numbers_of(*state_, walk);
  std::uint32_t words[4];
  kernels::draw_words<ScalarLanes>(numbers, kernels::path_block, 0, words);
  return Choices{}.choose(numbers, kernels::path_block, words[0], count);
}

void RandomWalks::append(std::uint64_t walk, std::vector<Node>& nodes) const {
  const std::uint32_t r = reference(walk);
  const Scan& scan = *state_->scans[state_->scan_of[r]];
  const Numbers numbers = numbers_of(*state_, walk);
  Choices choices;
  std::uint32_t words[4];
  kernels::draw_words<ScalarLanes>(numbers, 0, 0, words);
  const std::uint32_t steps = draw_steps(*state_, numbers, words[0]);
  Node at = state_->references[r].front();
  nodes.push_back(at);
  for (std::uint32_t s = 1; s <= steps; ++s) {
    if (s % 4 == 0) kernels::draw_words<ScalarLanes>(numbers, s / 4, 0, words);
    const std::span<const Node> neighbours = scan.neighbours(at);
    const auto count = static_cast<std::uint32_t>(neighbours.size());
    at = neighbours[choices.choose(numbers, s, words[s % 4], count)];
    nodes.push_back(at);
  }
}

PairBatch RandomWalks::batch(std::uint64_t first, std::size_t count) const {
  PairBatch batch;
  batch.scans = state_->scans;
  batch.references = state_->references;
  batch.pairs.reserve(count);
  for (std::uint64_t walk = first; walk < first + count; ++walk) {
    append(walk, batch.queries.elements);
    const std::uint32_t r = reference(walk);
    batch.pairs.push_back({state_->scan_of[r], r, batch.queries.end_path()});
  }
  return batch;
}

}  // namespace warpath
