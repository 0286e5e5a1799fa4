#include "warpath/reward_tracker.hpp"

#include <memory>
#include <utility>

#include "host/core/batch/check_views.hpp"
#include "host/core/scorer/rewards.hpp"
#include "warpath/error.hpp"

namespace warpath {

struct RewardTracker::State {
  State(const Rewards::State& of_rewards, std::uint32_t episodes, const TrackerOptions& with)
      : rewards(of_rewards), options(with) {
    begin_anew(episodes);
  }

  void begin_anew(std::uint32_t episodes) {
    standing = rewards.standing();
    engine = standing->make_episodes(episodes, options);
  }
  // Ends all episodes if the rewards have other references than those that they run against.
  // Episodes in continuous space have their own, and those on a GPU go on.
  rewards::EpisodeEngine& current() {
    const bool follows = options.max_reference_length == 0 && !rewards.place.is_gpu;
    if (follows && rewards.standing() != standing) begin_anew(engine->episodes());
    return *engine;
  }

  const Rewards::State& rewards;
  const TrackerOptions options;
  std::shared_ptr<const rewards::RewardEngine> standing;
  std::unique_ptr<rewards::EpisodeEngine> engine;
};

RewardTracker::RewardTracker(const Rewards& rewards, std::uint32_t episodes,
                             const TrackerOptions& options) {
  batch::check_count(episodes);
  if (options.max_reference_length > 0) {
    batch::check_max_reference_length(options.max_reference_length);
    batch::check_threshold_between_points(rewards.settings().convention);
  } else if (rewards.state_->standing()->references() == 0) {
    throw InputError({{}, {}, "rewards"}, "have no references",
                     "make them with references, or name a max_reference_length of points");
  }
  if (rewards.place().is_gpu && episodes > 0) batch::check_given(options.memory, "memory");
  state_ = std::make_unique<State>(*rewards.state_, episodes, options);
}
RewardTracker::RewardTracker(RewardTracker&&) noexcept = default;
RewardTracker& RewardTracker::operator=(RewardTracker&&) noexcept = default;
RewardTracker::~RewardTracker() = default;

std::uint32_t RewardTracker::episodes() const {
  return state_->engine->episodes();
}

std::size_t RewardTracker::workspace_bytes(std::uint32_t candidates) const {
  return state_->engine->workspace_bytes(candidates);
}

void RewardTracker::warm_up(CUstream_st* stream) const {
  state_->engine->warm_up(stream);
}

void RewardTracker::reset(const EpisodeStarts& starts, const Call& call) {
  state_->current().reset(starts, call);
}

void RewardTracker::step(const PositionsView& next, const std::uint8_t* active, float* rewards,
                         const float* distance_to_goal, const Call& call) {
  state_->current().step(next, active, rewards, distance_to_goal, call);
}

void RewardTracker::finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
                           const Call& call) const {
  state_->current().finish(stopped, mask, rewards, call);
}

void RewardTracker::score_extensions(std::uint32_t candidates, const PathsView& paths,
                                     const RewardArrays& out, const Call& call) const {
  state_->current().score_extensions(candidates, paths, out, call);
}

void RewardTracker::values(const RewardArrays& out, const Call& call) const {
  state_->current().values(out, call);
}

void RewardTracker::fork(std::uint32_t count, Integers from, Integers to, const Call& call) {
  state_->current().fork(count, from, to, call);
}

std::vector<std::byte> RewardTracker::state() const {
  return state_->current().state();
}

void RewardTracker::restore(std::span<const std::byte> state) {
  state_->current().restore(state);
}

}  // namespace warpath
