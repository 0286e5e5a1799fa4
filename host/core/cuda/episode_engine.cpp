#include <fmt/format.h>

#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "host/core/cuda/reward_engine.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

using batch::check_given;
using batch::check_integers;
using batch::check_layout;
using batch::view_of;

ResidentTracker make_tracker(const ResidentRewards& rewards, std::uint32_t episodes,
                             const TrackerOptions& options) {
  if (options.max_reference_length > 0) {
    return ResidentTracker::of_points(rewards, episodes, options.memory,
                                      static_cast<int>(options.max_reference_length));
  }
  float wanted = 0.0f;
  RewardArrays arrays;
  if (options.metrics[Metric::nDTW]) arrays.ndtw = &wanted;
  if (options.metrics[Metric::CLS]) arrays.cls = &wanted;
  return {rewards, episodes, options.memory, arrays};
}

// Checks what a call is given, what lies in memory where it asks for that, and passes it on.
class Episodes final : public rewards::EpisodeEngine {
 public:
  Episodes(const ResidentRewards& rewards, std::uint32_t episodes, const TrackerOptions& options)
      : device_(rewards.device()),
        settings_(rewards.settings()),
        tracker_(make_tracker(rewards, episodes, options)) {}

  std::uint32_t episodes() const override { return tracker_.episodes(); }
  std::size_t workspace_bytes(std::uint32_t candidates) const override {
    batch::check_count(candidates);
    return tracker_.workspace_bytes(candidates);
  }
  void warm_up(CUstream_st* stream) const override {
    const CurrentDevice current(device_);
    tracker_.warm_up(stream);
  }
  void reset(const EpisodeStarts& starts, const Call& call) override;
  void step(const PositionsView& next, const std::uint8_t* active, float* rewards,
            const float* distance_to_goal, const Call& call) override;
  void finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
              const Call& call) const override;
  void score_extensions(std::uint32_t candidates, const PathsView& paths, const RewardArrays& out,
                        const Call& call) const override;
  void values(const RewardArrays& out, const Call& call) const override;
  void fork(std::uint32_t count, Integers from, Integers to, const Call& call) override;
  std::vector<std::byte> state() const override { refuse_state("state"); }
  void restore(std::span<const std::byte>) override { refuse_state("restore"); }

 private:
  [[noreturn]] static void refuse_state(const char* call) {
    throw InputError({{}, {}, call}, "is for the host", "copy the bytes of TrackerOptions::memory");
  }
  // Refuses a call for viewpoints of a tracker of points, or the other way round.
  void check_kind(const void* points, const void* viewpoints, const char* call) const {
    batch::check_kind(tracker_.has_points(), points, viewpoints, call);
  }
  // Refuses to return values that are not kept.
  void check_kept(const RewardArrays& out) const {
    if (out.cls == nullptr || tracker_.keeps_cls()) return;
    throw InputError({{}, {}, "cls"}, "is not kept by this tracker",
                     "name the metric when it is made");
  }
  void check_named(std::uint32_t count, const char* remedy) const {
    if (count <= tracker_.episodes()) return;
    throw InputError({{}, {}, "count"},
                     fmt::format("is {}, and there are {} episodes", count, tracker_.episodes()),
                     remedy);
  }

  void check(const EpisodeStarts& starts) const {
    check_kind(starts.references.points, starts.reference.data, "reset");
    check_named(starts.count, "name each episode once");
    batch::check_prefix(starts.prefix, settings_);
    check_integers(starts.episode, "episode");
    if (tracker_.has_points()) return check_points(starts);
    if (starts.count > 0) check_given(starts.reference.data, "reference");
    check_integers(starts.reference, "reference");
    check_integers(starts.start.viewpoints, "start");
  }
  void check_points(const EpisodeStarts& starts) const {
    if (starts.count == 0) return;
    check_given(starts.references.points, "references.points");
    check_layout(starts.references.layout, "references.layout");
    const std::uint32_t longest = starts.references.layout.max_length;
    const auto room = static_cast<std::uint32_t>(tracker_.max_reference());
    if (longest <= room) return;
    throw InputError({{}, {}, "references.layout"},
                     fmt::format("has a max_length of {}, and the tracker has room for {} points",
                                 longest, room),
                     "give the tracker a longer max_reference_length");
  }
  void check_next(const PositionsView& next) const {
    check_kind(next.points, next.viewpoints.data, "step");
    check_integers(next.viewpoints, "nodes");
    if (tracker_.episodes() == 0) return;
    if (tracker_.has_points())
      check_given(next.points, "points");
    else
      check_given(next.viewpoints.data, "nodes");
  }
  // Refuses no memory for what a call of so many entries writes to.
  static void check_workspace(std::uint32_t entries, const void* workspace) {
    if (entries > 0) check_given(workspace, "workspace");
  }
  void check_fork(std::uint32_t count, const Integers& from, const Integers& to) const {
    check_named(count, "name each episode of `to` once");
    if (count > 0) {
      check_given(from.data, "from");
      check_given(to.data, "to");
    }
    check_integers(from, "from");
    check_integers(to, "to");
  }
  // Returns whether there are continuations to look at.
  bool has_extensions(std::uint32_t candidates, const PathsView& paths) const {
    check_kind(paths.points, paths.viewpoints.data, "score_extensions");
    if (candidates == 0 || tracker_.episodes() == 0) return false;
    if (std::uint64_t{candidates} * tracker_.episodes() <= 0xffffffff) return true;
    throw InputError(
        {{}, {}, "candidates"},
        fmt::format("are {} of {} episodes, 2^32 paths or more", candidates, tracker_.episodes()),
        "score them in several calls");
  }
  void check_paths(const PathsView& paths) const {
    check_integers(paths.viewpoints, "paths.viewpoints");
    if (tracker_.has_points())
      check_given(paths.points, "paths.points");
    else
      check_given(paths.viewpoints.data, "paths.viewpoints");
    check_layout(paths.layout, "paths.layout");
  }

  Device& device_;
  const RewardSettings& settings_;
  const ResidentTracker tracker_;
};

void Episodes::reset(const EpisodeStarts& starts, const Call& call) {
  check(starts);
  if (call.check) check_workspace(starts.count, call.workspace);
  const CurrentDevice current(device_);
  if (call.check) batch::report(tracker_.check_reset(starts, call.workspace, call.stream));
  tracker_.reset(starts, call.stream);
}

void Episodes::step(const PositionsView& next, const std::uint8_t* active, float* rewards,
                    const float* distance_to_goal, const Call& call) {
  check_next(next);
  if (episodes() > 0) check_given(rewards, "rewards");
  if (call.check) check_workspace(episodes(), call.workspace);
  const CurrentDevice current(device_);
  const kernels::PositionArray view = view_of(next);
  if (call.check) batch::report(tracker_.check_step(view, active, call.workspace, call.stream));
  tracker_.step(view, active, distance_to_goal, rewards, call.stream);
}

void Episodes::finish(const std::uint8_t* stopped, const std::uint8_t* mask, float* rewards,
                      const Call& call) const {
  if (episodes() > 0) check_given(rewards, "rewards");
  if (call.check) check_workspace(episodes(), call.workspace);
  const CurrentDevice current(device_);
  if (call.check) batch::report(tracker_.check_finish(mask, call.workspace, call.stream));
  tracker_.finish(stopped, mask, rewards, call.stream);
}

void Episodes::score_extensions(std::uint32_t candidates, const PathsView& paths,
                                const RewardArrays& out, const Call& call) const {
  if (!has_extensions(candidates, paths)) return;
  check_paths(paths);
  check_kept(out);
  if (call.check || tracker_.writes_workspace()) check_given(call.workspace, "workspace");
  const CurrentDevice current(device_);
  const kernels::PathArray view = view_of(paths);
  if (call.check) {
    batch::report(tracker_.check_extensions(candidates, view, call.workspace, call.stream));
  }
  tracker_.score_extensions(candidates, view, out, call.workspace, call.stream);
}

void Episodes::values(const RewardArrays& out, const Call& call) const {
  check_kept(out);
  const CurrentDevice current(device_);
  tracker_.values(out, call.stream);
}

void Episodes::fork(std::uint32_t count, Integers from, Integers to, const Call& call) {
  check_fork(count, from, to);
  check_workspace(count, call.workspace);
  const CurrentDevice current(device_);
  if (call.check) {
    batch::report(tracker_.check_fork(count, view_of(from), false, call.workspace, call.stream));
    batch::report(tracker_.check_fork(count, view_of(to), true, call.workspace, call.stream));
  }
  tracker_.fork(count, view_of(from), view_of(to), call.workspace, call.stream);
}

}  // namespace

std::unique_ptr<rewards::EpisodeEngine> make_episode_engine(const ResidentRewards& rewards,
                                                            std::uint32_t episodes,
                                                            const TrackerOptions& options) {
  return std::make_unique<Episodes>(rewards, episodes, options);
}

}  // namespace warpath::cuda
