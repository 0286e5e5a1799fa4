#include "host/checks/reward_runs.hpp"

#include <algorithm>

#include "host/core/batch/check_views.hpp"

namespace warpath::checks {
namespace {

using kernels::EpisodeFault;

Rewards make_rewards(const Rollouts& rollouts, const RewardSettings& settings) {
  if (rollouts.in_space()) return Rewards(settings);
  return {rollouts.scans, rollouts.stored, rollouts.scan_of, settings};
}

RewardTracker make_tracker(const Rewards& rewards, const Rollouts& rollouts,
                           const MetricSet& metrics) {
  if (!rollouts.in_space()) return {rewards, rollouts.count(), {.metrics = metrics}};
  return {rewards, rollouts.count(), {.max_reference_length = rollouts.references.max_length}};
}

int max_reference(const Rollouts& rollouts) {
  return static_cast<int>(rollouts.references.max_length);
}

std::size_t tracker_bytes(const cuda::ResidentRewards& rewards, const Rollouts& rollouts) {
  return rollouts.in_space()
             ? cuda::ResidentTracker::bytes_of_points(rollouts.count(), max_reference(rollouts))
             : cuda::ResidentTracker::bytes(rewards, rollouts.count());
}

cuda::ResidentTracker make_resident_tracker(const cuda::ResidentRewards& rewards,
                                            const Rollouts& rollouts, const MetricSet& metrics,
                                            void* memory) {
  if (rollouts.in_space()) {
    return cuda::ResidentTracker::of_points(rewards, rollouts.count(), memory,
                                            max_reference(rollouts));
  }
  float wanted = 0.0f;
  RewardArrays arrays;
  if (metrics[Metric::nDTW]) arrays.ndtw = &wanted;
  if (metrics[Metric::CLS]) arrays.cls = &wanted;
  return {rewards, rollouts.count(), memory, arrays};
}

// Returns arrays that are given, where all or only the rewards are wanted.
RewardArrays arrays_of(float* reward, float* goal, float* ndtw, float* cls, bool prefixes) {
  if (!prefixes) return {.reward = reward};
  return {.reward = reward, .distance_to_goal = goal, .ndtw = ndtw, .cls = cls};
}

template <class Results>
RewardArrays all_of(Results& results, bool prefixes) {
  return arrays_of(results.reward.data(), results.goal.data(), results.ndtw.data(),
                   results.cls.data(), prefixes);
}

// Names the episodes to begin. References are numbers or paths; arrays without entries are none.
EpisodeStarts starts_of(std::size_t count, const Integers& episode, const Integers& reference,
                        const PathsView* references, const PositionsView* start, const float* goal,
                        const Integers& prefix, const float* spl_length) {
  return {.count = static_cast<std::uint32_t>(count),
          .episode = episode,
          .reference = references == nullptr ? reference : Integers(),
          .references = references == nullptr ? PathsView() : *references,
          .start = start == nullptr ? PositionsView() : *start,
          .distance_to_goal = goal,
          .prefix = prefix,
          .spl_length = spl_length};
}

// Returns what entries have whose references are numbered; none if references have nothing.
template <class T>
std::vector<T> by_entry(const std::vector<T>& of_reference,
                        const std::vector<std::int64_t>& reference) {
  std::vector<T> made;
  for (const std::int64_t r : reference) {
    if (!of_reference.empty()) made.push_back(of_reference[static_cast<std::size_t>(r)]);
  }
  return made;
}

}  // namespace

RewardArrays HostRewards::arrays(bool prefixes) {
  return all_of(*this, prefixes);
}

RewardArrays DeviceRewards::arrays(bool prefixes) const {
  return all_of(*this, prefixes);
}

Mismatches DeviceRewards::compare(const HostRewards& expected, const std::string& what,
                                  cuda::Stream stream) const {
  Mismatches found;
  found.add(compare_bits(reward.read(stream), expected.reward, what + ", reward"));
  found.add(compare_bits(goal.read(stream), expected.goal, what + ", distance to goal"));
  found.add(compare_bits(ndtw.read(stream), expected.ndtw, what + ", nDTW"));
  found.add(compare_bits(cls.read(stream), expected.cls, what + ", CLS"));
  return found;
}

RewardRuns::RewardRuns(cuda::Device& device, const Rollouts& rollouts,
                       const RewardSettings& settings, const MetricSet& metrics, const Form& form)
    : device_(device),
      rollouts_(rollouts),
      episodes_(rollouts.count()),
      metrics_(rollouts.in_space() ? MetricSet{Metric::nDTW, Metric::CLS} : metrics),
      form_(form),
      here_(make_rewards(rollouts, settings)),
      tracker_here_(make_tracker(here_, rollouts, metrics)),
      tables_(rollouts.scans, rollouts.stored, rollouts.scan_of, settings, {}),
      there_(device, tables_),
      on_device_(device, rollouts, form),
      memory_(device, tracker_bytes(there_, rollouts)),
      tracker_there_(make_resident_tracker(there_, rollouts, metrics, memory_.data())),
      workspace_(device, tracker_there_.workspace_bytes(candidates)),
      stream_(device) {
  // So that a kernel that resets nothing is found, and not what others read then.
  device_.fill(memory_.data(), 0, memory_.size(), stream());
  tracker_there_.warm_up(stream());
}

void RewardRuns::compute(bool prefixes, bool given_goal) {
  const std::size_t size = rollouts_.queries.size();
  HostRewards expected(size);
  here_.compute(rollouts_.batch(given_goal), expected.arrays(prefixes));
  const DeviceRewards got(device_, size);
  const Batch batch = on_device_.batch(given_goal);
  const cuda::DeviceArray<char> workspace(device_, there_.workspace_bytes(batch));
  there_.warm_up(stream());
  there_.compute(batch, got.arrays(prefixes), workspace.data(), stream());
  compare(got, expected, "rollouts");
  found_.add(there_.check(batch, workspace.data(), stream()).fault == kernels::PairFault::none,
             "a rollout is refused");
  if (!rollouts_.in_space()) return;
  expect_no_fault(there_.check_points(batch, workspace.data(), stream()), "rollouts");
}

void RewardRuns::add_up() {
  const std::size_t size = rollouts_.queries.size();
  HostRewards expected(size);
  const DeviceRewards got(device_, size);
  const std::vector<float> bootstrap(episodes_, 0.375f);
  const FloatsOnDevice bootstrap_there(device_, bootstrap);
  const auto sums = [&](const Batch& batch, const float* behind, const RewardArrays& out) {
    return ReturnsBatch{.count = episodes_,
                        .layout = batch.queries.layout,
                        .active = batch.active,
                        .reward = batch.distance_to_goal,
                        .value = batch.distance_to_goal,
                        .bootstrap = behind,
                        .discount = 0.9,
                        .decay = 0.95,
                        .returns = out.reward,
                        .advantage = out.distance_to_goal};
  };
  add_up_rewards(sums(rollouts_.batch(true), bootstrap.data(), expected.arrays(true)));
  there_.add_up(
      batch::view_of(sums(on_device_.batch(true), bootstrap_there.data(), got.arrays(true))),
      stream());
  compare(got, expected, "returns");
}

void RewardRuns::compare_groups() {
  std::vector<std::int64_t> numbers;
  for (std::uint32_t k = 0; k < episodes_; ++k) numbers.push_back(k * 5 % 7 % episodes_);
  const IntegersOnDevice numbers_there(device_, numbers, 2);
  const std::uint32_t size = episodes_ % 5 == 0 ? 5 : 1;
  for (int way = 0; way < 6; ++way) {
    const auto groups = [&](const Batch& batch, const Integers& of, const RewardArrays& out) {
      const bool numbered = way % 2 == 1;
      return GroupBatch{.count = episodes_,
                        .group_size = numbered ? 0 : size,
                        .groups = numbered ? of : Integers(),
                        .group_count = episodes_,
                        .active = batch.active,
                        .reward = batch.distance_to_goal,
                        .baseline = way < 4 ? GroupBaseline::mean : GroupBaseline::others,
                        .scale = static_cast<GroupScale>(way / 2),
                        .advantage = out.reward,
                        .mean = out.distance_to_goal,
                        .std = out.ndtw};
    };
    HostRewards expected(rollouts_.queries.size());
    const DeviceRewards got(device_, rollouts_.queries.size());
    group_advantages(groups(rollouts_.batch(true), numbers.data(), expected.arrays(true)));
    there_.group_advantages(
        batch::view_of(groups(on_device_.batch(true), numbers_there, got.arrays(true))), stream());
    compare(got, expected, "advantages");
  }
}

void RewardRuns::begin(const std::vector<std::int64_t>& episode,
                       const std::vector<std::int64_t>& reference, const HostPaths& start,
                       const std::vector<float>& goal) {
  const bool in_space = rollouts_.in_space(), has_start = start.count() > 0;
  HostPaths references;
  for (const std::int64_t number : reference) {
    if (!in_space) break;
    const auto r = static_cast<std::size_t>(number);
    references.append(rollouts_.references, rollouts_.references.at(r),
                      static_cast<std::size_t>(rollouts_.references.lengths[r]));
    references.end_path();
  }
  const PathsView paths = references.view();
  const PositionsView first = start.positions();
  const auto prefix = by_entry(rollouts_.prefix, reference);
  const auto lengths = by_entry(rollouts_.spl_length, reference);
  tracker_here_.reset(starts_of(reference.size(), episode.empty() ? Integers() : episode.data(),
                                reference.data(), in_space ? &paths : nullptr,
                                has_start ? &first : nullptr, goal.empty() ? nullptr : goal.data(),
                                prefix.empty() ? Integers() : prefix.data(),
                                lengths.empty() ? nullptr : lengths.data()));
  const IntegersOnDevice episodes(device_, episode, 4), numbers(device_, reference, 8);
  const PathsOnDevice references_there(device_, references, form_),
      start_there(device_, start, form_);
  const FloatsOnDevice goals(device_, goal), lengths_there(device_, lengths);
  const IntegersOnDevice prefix_there(device_, prefix, 4);
  const PathsView paths_there = references_there.view();
  const PositionsView first_there = start_there.positions();
  const EpisodeStarts there = starts_of(
      reference.size(), episodes, numbers, in_space ? &paths_there : nullptr,
      has_start ? &first_there : nullptr, goals.data(), prefix_there, lengths_there.data());
  tracker_there_.reset(there, stream());
  expect_no_fault(tracker_there_.check_reset(there, workspace_.data(), stream()), "a reset");
  compare_values("a reset");
}

void RewardRuns::reset() {
  begin({}, rollouts_.reference, rollouts_.queries.column(0), {});
}

void RewardRuns::reset_some() {
  std::vector<std::int64_t> episodes, references;
  std::vector<float> goals;
  for (std::uint32_t e = 0; e < episodes_; e += 3) {
    episodes.push_back(e);
    references.push_back(rollouts_.reference[episodes_ - 1 - e]);
    goals.push_back(0.25f * static_cast<float>(e));
  }
  begin(episodes, references, {}, goals);
}

void RewardRuns::step(std::uint32_t t, bool given_goal) {
  std::vector<std::uint8_t> active;
  std::vector<float> goals;
  HostPaths next = rollouts_.queries.column(t);
  for (std::uint32_t e = 0; e < episodes_; ++e) {
    active.push_back(t < rollouts_.queries.lengths[e]);
    goals.push_back(0.5f * static_cast<float>((e + t) % 9));
    if (active.back() == 0) next.blank(e);
  }
  HostRewards expected(episodes_);
  tracker_here_.step(next.positions(), active.data(), expected.reward.data(),
                     given_goal ? goals.data() : nullptr);
  const PathsOnDevice next_there(device_, next, form_);
  const ArrayOnDevice<std::uint8_t> active_there(device_, active);
  const FloatsOnDevice goals_there(device_, goals);
  const DeviceRewards got(device_, episodes_);
  const kernels::PositionArray elements = batch::view_of(next_there.positions());
  expect_no_fault(
      tracker_there_.check_step(elements, active_there.data(), workspace_.data(), stream()),
      "a step");
  tracker_there_.step(elements, active_there.data(), given_goal ? goals_there.data() : nullptr,
                      got.reward.data(), stream());
  compare(got, expected, "a step");
  compare_values("a step");
}

void RewardRuns::fork() {
  std::vector<std::int64_t> from, to;
  for (std::uint32_t e = 0; e < episodes_; ++e) {
    from.push_back(e == 0 ? 0 : episodes_ - e);
    to.push_back(e);
  }
  tracker_here_.fork(episodes_, from.data(), to.data());
  const IntegersOnDevice from_there(device_, from, 4), to_there(device_, to, 8);
  tracker_there_.fork(episodes_, batch::view_of(Integers(from_there)),
                      batch::view_of(Integers(to_there)), workspace_.data(), stream());
  compare_values("a fork");
}

void RewardRuns::extend() {
  HostPaths paths;
  for (std::uint32_t e = 0; e < episodes_; ++e) {
    const auto last = static_cast<std::size_t>(rollouts_.queries.lengths[e]) - 1;
    for (std::uint32_t c = 0; c < candidates; ++c) {
      for (std::uint32_t t = 0; t < (e + c) % 4; ++t) {
        paths.append(rollouts_.queries,
                     rollouts_.queries.at(e) + std::min<std::size_t>(t + c, last));
      }
      paths.end_path();
    }
  }
  paths = paths.laid_out(rollouts_.queries.pitch > 0);
  HostRewards expected(paths.count());
  tracker_here_.score_extensions(candidates, paths.view(), kept(expected));
  const PathsOnDevice on_device(device_, paths, form_);
  const DeviceRewards got(device_, paths.count());
  const kernels::PathArray view = batch::view_of(on_device.view());
  expect_no_fault(tracker_there_.check_extensions(candidates, view, workspace_.data(), stream()),
                  "continuations");
  tracker_there_.score_extensions(candidates, view, kept(got), workspace_.data(), stream());
  compare(got, expected, "continuations");
  compare_values("continuations");
}

void RewardRuns::finish() {
  const std::uint8_t *stopped = rollouts_.stopped.data(), *stopped_there = on_device_.stopped();
  HostRewards expected(episodes_);
  tracker_here_.finish(stopped, nullptr, expected.reward.data());
  tracker_here_.finish(nullptr, stopped, expected.goal.data());
  const DeviceRewards got(device_, episodes_);
  tracker_there_.finish(stopped_there, nullptr, got.reward.data(), stream());
  tracker_there_.finish(nullptr, stopped_there, got.goal.data(), stream());
  expect_no_fault(tracker_there_.check_finish(nullptr, workspace_.data(), stream()), "ends");
  compare(got, expected, "ends");
}

void RewardRuns::find_bad_element() {
  HostPaths next = rollouts_.queries.column(0);
  next.blank(episodes_ - 1);
  const EpisodeFault fault =
      rollouts_.in_space() ? EpisodeFault::coordinate : EpisodeFault::viewpoint;
  const PathsOnDevice next_there(device_, next, form_);
  // What a check that writes nothing would find.
  device_.fill(workspace_.data(), 0, workspace_.size(), stream());
  const kernels::EpisodeProblem problem = tracker_there_.check_step(
      batch::view_of(next_there.positions()), nullptr, workspace_.data(), stream());
  found_.add(problem.fault == fault && problem.episode == std::int64_t{episodes_} - 1,
             "a bad element is not found");
}

template <class Results>
RewardArrays RewardRuns::kept(Results& results) const {
  RewardArrays arrays = all_of(results, true);
  if (!metrics_[Metric::nDTW]) arrays.ndtw = nullptr;
  if (!metrics_[Metric::CLS]) arrays.cls = nullptr;
  return arrays;
}

void RewardRuns::compare(const DeviceRewards& got, const HostRewards& expected,
                         const std::string& what) {
  found_.add(got.compare(expected, what, stream()));
}

void RewardRuns::compare_values(const std::string& when) {
  HostRewards expected(episodes_);
  const DeviceRewards got(device_, episodes_);
  RewardArrays here = kept(expected), there = kept(got);
  here.reward = there.reward = nullptr;
  tracker_here_.values(here);
  tracker_there_.values(there, stream());
  compare(got, expected, "after " + when);
}

void RewardRuns::expect_no_fault(const kernels::EpisodeProblem& problem, const std::string& what) {
  found_.add(problem.fault == EpisodeFault::none, what + ": an entry is refused");
}

}  // namespace warpath::checks
