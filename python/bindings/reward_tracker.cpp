// Running episodes. Objects of this class hold a lock, since calls release the GIL.
#include "warpath/reward_tracker.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>

#include "python/bindings/bindings.hpp"
#include "python/bindings/reward_arrays.hpp"
#include "python/bindings/rewards.hpp"

namespace warpath::python {
namespace {

class TrackerObject {
 public:
  TrackerObject(const RewardsObject& rewards, std::uint32_t episodes,
                const std::vector<std::string>& metrics)
      : tracker_(*rewards.rewards, episodes, {.metrics = kept(metrics)}) {}
  TrackerObject(const RewardsObject& rewards, std::uint32_t episodes,
                std::uint32_t max_reference_length, const std::vector<std::string>& metrics)
      : tracker_(*rewards.rewards, episodes,
                 {.metrics = kept(metrics), .max_reference_length = points(max_reference_length)}) {
  }

  std::size_t episodes() const { return tracker_.episodes(); }

  void reset(const Indices& episodes, const Indices& references,
             const std::optional<Indices>& starts, const std::optional<Floats>& distance_to_goal) {
    EpisodeStarts begun = named(episodes);
    check_shape(references, {begun.count}, "references");
    begun.reference = references.data();
    begun.start = memory_of(starts, {begun.count}, "starts");
    begun.distance_to_goal = memory_of(distance_to_goal, {begun.count}, "distance_to_goal");
    const auto work = locked();
    tracker_.reset(begun);
  }

  void reset_points(const Indices& episodes, const Floats& references, const Ints& lengths,
                    const std::optional<Floats>& starts,
                    const std::optional<Floats>& distance_to_goal) {
    EpisodeStarts begun = named(episodes);
    const std::size_t count = begun.count;
    if (references.ndim() != 3) check_shape(references, {count, 1, 3}, "references");
    const std::size_t length = references.shape(1);
    check_shape(references, {count, length, 3}, "references");
    begun.references = {references.data(), rows_of(count, length, lengths, "references.lengths")};
    begun.start = memory_of(starts, {count, 3}, "starts");
    begun.distance_to_goal = memory_of(distance_to_goal, {count}, "distance_to_goal");
    const auto work = locked();
    tracker_.reset(begun);
  }

  void step(const Ints& nodes, const std::optional<Flags>& active,
            const std::optional<Floats>& distance_to_goal, const OutFloats& reward) {
    const Integers viewpoints = integers_of(nodes, {episodes()}, "nodes");
    with_step(active, distance_to_goal, reward, [&](auto* is_active, auto* distances, float* out) {
      tracker_.step(viewpoints, is_active, out, distances);
    });
  }

  void step_points(const Floats& points, const std::optional<Flags>& active,
                   const std::optional<Floats>& distance_to_goal, const OutFloats& reward) {
    check_shape(points, {episodes(), 3}, "points");
    with_step(active, distance_to_goal, reward, [&](auto* is_active, auto* distances, float* out) {
      tracker_.step(points.data(), is_active, out, distances);
    });
  }

  void finish(const std::optional<Flags>& stopped, const std::optional<Flags>& mask,
              const OutFloats& reward) {
    const auto* is_stopped = memory_of(stopped, {episodes()}, "stopped");
    const auto* is_ended = memory_of(mask, {episodes()}, "mask");
    check_shape(reward, {episodes()}, "out");
    const auto work = locked();
    tracker_.finish(is_stopped, is_ended, reward.data());
  }

  void extend(const Ints& paths, const Ints& lengths, const OutFloats& reward,
              const std::optional<OutFloats>& distances, const std::optional<OutFloats>& ndtw,
              const std::optional<OutFloats>& cls) {
    if (paths.ndim() != 3) check_shape(paths, {episodes(), 1, 1}, "paths");
    const std::size_t candidates = paths.shape(1), length = paths.shape(2);
    const Integers viewpoints = integers_of(paths, {episodes(), candidates, length}, "paths");
    const Layout layout = candidates_of(candidates, length, lengths);
    const RewardArrays out = arrays(reward, distances, ndtw, cls, {episodes(), candidates});
    const auto work = locked();
    tracker_.score_extensions(count_of(candidates, "paths"), PathsView{viewpoints, layout}, out);
  }

  void extend_points(const Floats& paths, const Ints& lengths, const OutFloats& reward,
                     const std::optional<OutFloats>& distances,
                     const std::optional<OutFloats>& ndtw, const std::optional<OutFloats>& cls) {
    if (paths.ndim() != 4) check_shape(paths, {episodes(), 1, 1, 3}, "paths");
    const std::size_t candidates = paths.shape(1), length = paths.shape(2);
    check_shape(paths, {episodes(), candidates, length, 3}, "paths");
    const Layout layout = candidates_of(candidates, length, lengths);
    const RewardArrays out = arrays(reward, distances, ndtw, cls, {episodes(), candidates});
    const auto work = locked();
    tracker_.score_extensions(count_of(candidates, "paths"), PathsView{paths.data(), layout}, out);
  }

  void values(const std::optional<OutFloats>& distances, const std::optional<OutFloats>& ndtw,
              const std::optional<OutFloats>& cls) {
    RewardArrays out;
    out.distance_to_goal = memory_of(distances, {episodes()}, "out");
    out.ndtw = memory_of(ndtw, {episodes()}, "out");
    out.cls = memory_of(cls, {episodes()}, "out");
    const auto work = locked();
    tracker_.values(out);
  }

  void fork(const Indices& from, const Indices& to) {
    check_shape(to, {from.size()}, "to");
    const std::uint32_t count = count_of(from.size(), "from");
    const auto work = locked();
    tracker_.fork(count, from.data(), to.data());
  }

  nb::bytes state() {
    std::vector<std::byte> state;
    {
      const auto work = locked();
      state = tracker_.state();
    }
    return nb::bytes(state.data(), state.size());
  }

  void restore(const nb::bytes& state) {
    const auto* bytes = static_cast<const std::byte*>(state.data());
    const std::size_t size = state.size();
    const auto work = locked();
    tracker_.restore({bytes, size});
  }

 private:
  // Holds the lock and not the GIL.
  struct Work {
    explicit Work(std::mutex& mutex) : lock(mutex) {}
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> lock;
  };
  Work locked() { return Work(mutex_); }

  // 0 would stand for episodes on graphs.
  static std::uint32_t points(std::uint32_t max_reference_length) {
    if (max_reference_length > 0) return max_reference_length;
    throw InputError({"max_reference_length"}, "is 0", "give a number from 1 to 1048576");
  }
  static MetricSet kept(const std::vector<std::string>& metrics) {
    return metrics.empty() ? MetricSet() : set_of(find_metrics(metrics));
  }

  // Names episodes, or all if none are named.
  EpisodeStarts named(const Indices& episodes_named) const {
    EpisodeStarts begun;
    begun.count =
        count_of(episodes_named.size() == 0 ? episodes() : episodes_named.size(), "episodes");
    if (episodes_named.size() > 0) begun.episode = episodes_named.data();
    return begun;
  }

  Layout candidates_of(std::size_t candidates, std::size_t length, const Ints& lengths) const {
    check_shape(lengths, {episodes(), candidates}, "lengths");
    Layout layout;
    layout.lengths = integers_of(lengths, {episodes(), candidates}, "lengths");
    layout.pitch = layout.max_length = row_of(episodes() * candidates, length, "lengths");
    return layout;
  }

  static RewardArrays arrays(const OutFloats& reward, const std::optional<OutFloats>& distances,
                             const std::optional<OutFloats>& ndtw,
                             const std::optional<OutFloats>& cls, const Shape& shape) {
    check_shape(reward, shape, "out");
    return {.reward = reward.data(),
            .distance_to_goal = memory_of(distances, shape, "out"),
            .ndtw = memory_of(ndtw, shape, "out"),
            .cls = memory_of(cls, shape, "out")};
  }

  template <class Step>
  void with_step(const std::optional<Flags>& active, const std::optional<Floats>& distance_to_goal,
                 const OutFloats& reward, Step&& step) {
    const auto* is_active = memory_of(active, {episodes()}, "active");
    const auto* distances = memory_of(distance_to_goal, {episodes()}, "distance_to_goal");
    check_shape(reward, {episodes()}, "out");
    const auto work = locked();
    step(is_active, distances, reward.data());
  }

  RewardTracker tracker_;
  std::mutex mutex_;
};

}  // namespace

void bind_reward_tracker(nb::module_& m) {
  nb::class_<TrackerObject>(m, "RewardTracker")
      .def(nb::init<const RewardsObject&, std::uint32_t, const std::vector<std::string>&>(),
           "rewards"_a, "episodes"_a, "metrics"_a, nb::keep_alive<1, 2>())
      .def(nb::init<const RewardsObject&, std::uint32_t, std::uint32_t,
                    const std::vector<std::string>&>(),
           "rewards"_a, "episodes"_a, "max_reference_length"_a, "metrics"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("episodes", &TrackerObject::episodes)
      .def("reset", &TrackerObject::reset, "episodes"_a.noconvert(), "references"_a.noconvert(),
           "starts"_a.noconvert().none(), "distance_to_goal"_a.noconvert().none(),
           nb::sig("def reset(self, episodes: object, references: object, starts: object, "
                   "distance_to_goal: object) -> None"))
      .def("reset_points", &TrackerObject::reset_points, "episodes"_a.noconvert(),
           "references"_a.noconvert(), "lengths"_a.noconvert(), "starts"_a.noconvert().none(),
           "distance_to_goal"_a.noconvert().none(),
           nb::sig("def reset_points(self, episodes: object, references: object, lengths: object, "
                   "starts: object, distance_to_goal: object) -> None"))
      .def("step", &TrackerObject::step, "nodes"_a.noconvert(), "active"_a.noconvert().none(),
           "distance_to_goal"_a.noconvert().none(), "reward"_a.noconvert(),
           nb::sig("def step(self, nodes: object, active: object, distance_to_goal: object, "
                   "reward: object) -> None"))
      .def("step_points", &TrackerObject::step_points, "points"_a.noconvert(),
           "active"_a.noconvert().none(), "distance_to_goal"_a.noconvert().none(),
           "reward"_a.noconvert(),
           nb::sig("def step_points(self, points: object, active: object, distance_to_goal: "
                   "object, reward: object) -> None"))
      .def("finish", &TrackerObject::finish, "stopped"_a.noconvert().none(),
           "mask"_a.noconvert().none(), "reward"_a.noconvert())
      .def("extend", &TrackerObject::extend, "paths"_a.noconvert(), "lengths"_a.noconvert(),
           "reward"_a.noconvert(), "distances"_a.noconvert().none(), "ndtw"_a.noconvert().none(),
           "cls"_a.noconvert().none(),
           nb::sig("def extend(self, paths: object, lengths: object, reward: object, distances: "
                   "object, ndtw: object, cls: object) -> None"))
      .def("extend_points", &TrackerObject::extend_points, "paths"_a.noconvert(),
           "lengths"_a.noconvert(), "reward"_a.noconvert(), "distances"_a.noconvert().none(),
           "ndtw"_a.noconvert().none(), "cls"_a.noconvert().none(),
           nb::sig("def extend_points(self, paths: object, lengths: object, reward: object, "
                   "distances: object, ndtw: object, cls: object) -> None"))
      .def("values", &TrackerObject::values, "distances"_a.noconvert().none(),
           "ndtw"_a.noconvert().none(), "cls"_a.noconvert().none())
      .def("fork", &TrackerObject::fork, "from_"_a.noconvert(), "to"_a.noconvert(),
           nb::sig("def fork(self, from_: object, to: object) -> None"))
      .def("state", &TrackerObject::state)
      .def("restore", &TrackerObject::restore, "state"_a);
}

}  // namespace warpath::python
