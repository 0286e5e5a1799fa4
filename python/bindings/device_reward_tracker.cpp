// Rewards episodes whose state lies in a GPU's memory: raw entry points, which warpath/torch calls.
// The state is given with each call, because torch.compile may move it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "python/bindings/addresses.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/device_rewards.hpp"
#include "python/bindings/settings.hpp"
#include "warpath/reward_tracker.hpp"

namespace warpath::python {
namespace {

class Tracker {
 public:
  Tracker(const DeviceRewardsObject& rewards, std::uint32_t episodes,
          std::uint32_t max_reference_length, const std::vector<std::string>& metrics)
      : rewards_(*rewards.rewards),
        episodes_(episodes),
        max_reference_length_(max_reference_length),
        metrics_(metrics.empty() ? MetricSet() : set_of(find_metrics(metrics))) {}

  std::size_t memory_bytes() const {
    return rewards_.tracker_bytes(episodes_, max_reference_length_);
  }
  std::size_t workspace_bytes(Address memory, std::uint32_t candidates) const {
    return with(memory).workspace_bytes(candidates);
  }

  void warm_up(Address memory, Address stream) const {
    const nb::gil_scoped_release release;
    with(memory).warm_up(stream_at(stream));
  }

  void reset(Address memory, std::uint32_t count, const IntegersAt& episodes,
             const IntegersAt& references, const IntegersAt& starts, Address distance_to_goal,
             Address workspace, Address stream, bool check) const {
    EpisodeStarts begun;
    begun.count = count;
    begun.episode = at(episodes);
    begun.reference = at(references);
    begun.start = at(starts);
    begun.distance_to_goal = at<const float>(distance_to_goal);
    begin(memory, begun, workspace, stream, check);
  }

  void reset_points(Address memory, std::uint32_t count, const IntegersAt& episodes,
                    std::uint32_t length, Address references, const IntegersAt& lengths,
                    Address starts, Address distance_to_goal, Address workspace, Address stream,
                    bool check) const {
    EpisodeStarts begun;
    begun.count = count;
    begun.episode = at(episodes);
    begun.references = {at<const float>(references), rows_at(lengths, length, length)};
    begun.start = at<const float>(starts);
    begun.distance_to_goal = at<const float>(distance_to_goal);
    begin(memory, begun, workspace, stream, check);
  }

  void step(Address memory, const IntegersAt& nodes, Address active, Address distance_to_goal,
            Address reward, Address workspace, Address stream, bool check) const {
    move(memory, at(nodes), active, distance_to_goal, reward, workspace, stream, check);
  }
  void step_points(Address memory, Address points, Address active, Address distance_to_goal,
                   Address reward, Address workspace, Address stream, bool check) const {
    move(memory, at<const float>(points), active, distance_to_goal, reward, workspace, stream,
         check);
  }

  void finish(Address memory, Address stopped, Address mask, Address reward, Address workspace,
              Address stream, bool check) const {
    const nb::gil_scoped_release release;
    with(memory).finish(at<const std::uint8_t>(stopped), at<const std::uint8_t>(mask),
                        at<float>(reward), call_at(workspace, stream, check));
  }

  void extend(Address memory, std::uint32_t candidates, std::uint32_t length,
              const IntegersAt& paths, const IntegersAt& lengths, Address reward, Address distances,
              Address ndtw, Address cls, Address workspace, Address stream, bool check) const {
    const PathsView rows{at(paths), rows_at(lengths, length, length)};
    look_ahead(memory, candidates, rows,
               {at<float>(reward), at<float>(distances), at<float>(ndtw), at<float>(cls)},
               workspace, stream, check);
  }
  void extend_points(Address memory, std::uint32_t candidates, std::uint32_t length, Address paths,
                     const IntegersAt& lengths, Address reward, Address distances, Address ndtw,
                     Address cls, Address workspace, Address stream, bool check) const {
    const PathsView rows{at<const float>(paths), rows_at(lengths, length, length)};
    look_ahead(memory, candidates, rows,
               {at<float>(reward), at<float>(distances), at<float>(ndtw), at<float>(cls)},
               workspace, stream, check);
  }

  void values(Address memory, Address distances, Address ndtw, Address cls, Address stream) const {
    const nb::gil_scoped_release release;
    with(memory).values({nullptr, at<float>(distances), at<float>(ndtw), at<float>(cls)},
                        call_at(0, stream));
  }

  void fork(Address memory, std::uint32_t count, const IntegersAt& from, const IntegersAt& to,
            Address workspace, Address stream, bool check) const {
    const nb::gil_scoped_release release;
    with(memory).fork(count, at(from), at(to), call_at(workspace, stream, check));
  }

 private:
  RewardTracker with(Address memory) const {
    return {rewards_,
            episodes_,
            {.metrics = metrics_,
             .max_reference_length = max_reference_length_,
             .memory = at<void>(memory)}};
  }

  void begin(Address memory, const EpisodeStarts& starts, Address workspace, Address stream,
             bool check) const {
    const nb::gil_scoped_release release;
    with(memory).reset(starts, call_at(workspace, stream, check));
  }

  void move(Address memory, const PositionsView& moves, Address active, Address distance_to_goal,
            Address reward, Address workspace, Address stream, bool check) const {
    const nb::gil_scoped_release release;
    with(memory).step(moves, at<const std::uint8_t>(active), at<float>(reward),
                      at<const float>(distance_to_goal), call_at(workspace, stream, check));
  }

  void look_ahead(Address memory, std::uint32_t candidates, const PathsView& paths,
                  const RewardArrays& out, Address workspace, Address stream, bool check) const {
    const nb::gil_scoped_release release;
    with(memory).score_extensions(candidates, paths, out, call_at(workspace, stream, check));
  }

  const Rewards& rewards_;
  const std::uint32_t episodes_, max_reference_length_;  // 0: on graphs
  const MetricSet metrics_;
};

}  // namespace

void bind_device_reward_tracker(nb::module_& m) {
  nb::class_<Tracker>(m, "DeviceRewardTracker")
      .def(nb::init<const DeviceRewardsObject&, std::uint32_t, std::uint32_t,
                    const std::vector<std::string>&>(),
           "rewards"_a, "episodes"_a, "max_reference_length"_a, "metrics"_a, nb::keep_alive<1, 2>())
      .def("memory_bytes", &Tracker::memory_bytes)
      .def("workspace_bytes", &Tracker::workspace_bytes, "memory"_a, "candidates"_a)
      .def("warm_up", &Tracker::warm_up, "memory"_a, "stream"_a)
      .def("reset", &Tracker::reset, "memory"_a, "count"_a, "episodes"_a, "references"_a,
           "starts"_a, "distance_to_goal"_a, "workspace"_a, "stream"_a, "check"_a)
      .def("reset_points", &Tracker::reset_points, "memory"_a, "count"_a, "episodes"_a, "length"_a,
           "references"_a, "lengths"_a, "starts"_a, "distance_to_goal"_a, "workspace"_a, "stream"_a,
           "check"_a)
      .def("step", &Tracker::step, "memory"_a, "nodes"_a, "active"_a, "distance_to_goal"_a,
           "reward"_a, "workspace"_a, "stream"_a, "check"_a)
      .def("step_points", &Tracker::step_points, "memory"_a, "points"_a, "active"_a,
           "distance_to_goal"_a, "reward"_a, "workspace"_a, "stream"_a, "check"_a)
      .def("finish", &Tracker::finish, "memory"_a, "stopped"_a, "mask"_a, "reward"_a, "workspace"_a,
           "stream"_a, "check"_a)
      .def("extend", &Tracker::extend, "memory"_a, "candidates"_a, "length"_a, "paths"_a,
           "lengths"_a, "reward"_a, "distances"_a, "ndtw"_a, "cls"_a, "workspace"_a, "stream"_a,
           "check"_a)
      .def("extend_points", &Tracker::extend_points, "memory"_a, "candidates"_a, "length"_a,
           "paths"_a, "lengths"_a, "reward"_a, "distances"_a, "ndtw"_a, "cls"_a, "workspace"_a,
           "stream"_a, "check"_a)
      .def("values", &Tracker::values, "memory"_a, "distances"_a, "ndtw"_a, "cls"_a, "stream"_a)
      .def("fork", &Tracker::fork, "memory"_a, "count"_a, "from_"_a, "to"_a, "workspace"_a,
           "stream"_a, "check"_a);
}

}  // namespace warpath::python
