// Running episodes. Objects on the host hold a lock, since calls release the GIL. On a GPU the
// memory of the state is given with each call, because torch.compile may move it.
#include "warpath/reward_tracker.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <optional>

#include "python/bindings/bindings.hpp"
#include "python/bindings/rewards.hpp"
#include "python/bindings/views.hpp"

namespace warpath::python {
namespace {

class TrackerObject {
 public:
  TrackerObject(const RewardsObject& rewards, std::uint32_t episodes,
                std::uint32_t max_reference_length, const std::vector<std::string>& metrics)
      : rewards_(*rewards.rewards), episodes_(episodes) {
    if (!metrics.empty()) options_.metrics = set_of(find_metrics(metrics));
    options_.max_reference_length = max_reference_length;
    if (!rewards_.place().is_gpu) host_.emplace(rewards_, episodes, options_);
  }

  std::uint32_t episodes() const { return episodes_; }
  std::size_t memory_bytes() const {
    return rewards_.tracker_bytes(episodes_, options_.max_reference_length);
  }
  std::size_t workspace_bytes(Address memory, std::uint32_t candidates) const {
    return on_gpu(memory).workspace_bytes(candidates);
  }
  void warm_up(Address memory, Address stream) const {
    const nb::gil_scoped_release release;
    on_gpu(memory).warm_up(stream_at(stream));
  }

  void reset(Address memory, nb::handle starts, nb::handle call) {
    Fields fields(starts, 8);
    EpisodeStarts begun;
    OwnLengths lengths;
    begun.count = fields.size();
    begun.episode = fields.integers();
    begun.reference = fields.integers();
    if (const nb::handle paths = fields.field(); !paths.is_none()) {
      begun.references = read_paths(paths, begun.count, lengths);
    }
    begun.start = read_positions(fields.field());
    begun.distance_to_goal = fields.array<const float>();
    begun.prefix = fields.integers();
    begun.spl_length = fields.array<const float>();
    with(memory, call, [&](RewardTracker& t, const warpath::Call& c) { t.reset(begun, c); });
  }

  void step(Address memory, nb::handle positions, Address active, Address distance_to_goal,
            Address reward, nb::handle call) {
    const PositionsView next = read_positions(positions);
    with(memory, call, [&](RewardTracker& t, const warpath::Call& c) {
      t.step(next, at<const std::uint8_t>(active), at<float>(reward),
             at<const float>(distance_to_goal), c);
    });
  }

  void finish(Address memory, Address stopped, Address mask, Address reward, nb::handle call) {
    with(memory, call, [&](RewardTracker& t, const warpath::Call& c) {
      t.finish(at<const std::uint8_t>(stopped), at<const std::uint8_t>(mask), at<float>(reward), c);
    });
  }

  void extend(Address memory, std::uint32_t candidates, nb::handle paths, nb::handle out,
              nb::handle call) {
    OwnLengths lengths;
    const PathsView rows = read_paths(paths, std::size_t{episodes_} * candidates, lengths);
    const RewardArrays arrays = read_rewards(out);
    with(memory, call, [&](RewardTracker& t, const warpath::Call& c) {
      t.score_extensions(candidates, rows, arrays, c);
    });
  }

  void values(Address memory, nb::handle out, nb::handle call) {
    const RewardArrays arrays = read_rewards(out);
    with(memory, call, [&](RewardTracker& t, const warpath::Call& c) { t.values(arrays, c); });
  }

  void fork(Address memory, std::uint32_t count, nb::handle both, nb::handle call) {
    Fields fields(both, 2);
    const Integers from = fields.integers(), to = fields.integers();
    with(memory, call,
         [&](RewardTracker& t, const warpath::Call& c) { t.fork(count, from, to, c); });
  }

  nb::bytes state() {
    std::vector<std::byte> state;
    with_host([&](RewardTracker& t) { state = t.state(); });
    return nb::bytes(state.data(), state.size());
  }
  void restore(const nb::bytes& state) {
    const auto* bytes = static_cast<const std::byte*>(state.data());
    const std::size_t size = state.size();
    with_host([&](RewardTracker& t) { t.restore({bytes, size}); });
  }

 private:
  RewardTracker on_gpu(Address memory) const {
    TrackerOptions options = options_;
    options.memory = at<void>(memory);
    return {rewards_, episodes_, options};
  }

  template <class Work>
  void with_host(const Work& work) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    work(*host_);
  }

  // Calls work(tracker, call) without the GIL.
  template <class Work>
  void with(Address memory, nb::handle tuple, const Work& work) {
    const warpath::Call call = read_call(tuple);
    if (host_) return with_host([&](RewardTracker& tracker) { work(tracker, call); });
    const nb::gil_scoped_release release;
    RewardTracker tracker = on_gpu(memory);
    work(tracker, call);
  }

  const Rewards& rewards_;
  const std::uint32_t episodes_;
  TrackerOptions options_;
  std::optional<RewardTracker> host_;
  std::mutex mutex_;
};

}  // namespace

void bind_reward_tracker(nb::module_& m) {
  using Object = TrackerObject;
  nb::class_<Object>(m, "RewardTracker")
      .def(nb::init<const RewardsObject&, std::uint32_t, std::uint32_t,
                    const std::vector<std::string>&>(),
           "rewards"_a, "episodes"_a, "max_reference_length"_a, "metrics"_a, nb::keep_alive<1, 2>())
      .def_prop_ro("episodes", &Object::episodes)
      .def("memory_bytes", &Object::memory_bytes)
      .def("workspace_bytes", &Object::workspace_bytes, "memory"_a, "candidates"_a)
      .def("warm_up", &Object::warm_up, "memory"_a, "stream"_a)
      .def("reset", &Object::reset, "memory"_a, "starts"_a, "call"_a)
      .def("step", &Object::step, "memory"_a, "positions"_a, "active"_a, "distance_to_goal"_a,
           "reward"_a, "call"_a)
      .def("finish", &Object::finish, "memory"_a, "stopped"_a, "mask"_a, "reward"_a, "call"_a)
      .def("extend", &Object::extend, "memory"_a, "candidates"_a, "paths"_a, "out"_a, "call"_a)
      .def("values", &Object::values, "memory"_a, "out"_a, "call"_a)
      .def("fork", &Object::fork, "memory"_a, "count"_a, "from_and_to"_a, "call"_a)
      .def("state", &Object::state)
      .def("restore", &Object::restore, "state"_a);
}

}  // namespace warpath::python
