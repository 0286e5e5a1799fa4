// Rewards rollouts in a GPU's memory: raw entry points, which warpath/torch calls.
#include "python/bindings/device_rewards.hpp"

#include "python/bindings/addresses.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/rewards.hpp"

namespace warpath::python {
namespace {

void make(DeviceRewardsObject* self, const RewardsObject& host) {
  std::unique_ptr<Rewards> rewards;
  {
    const nb::gil_scoped_release release;
    rewards = std::make_unique<Rewards>(host.scans, host.references, host.scan_of,
                                        host.rewards->settings(),
                                        RewardOptions{host.goals, Place::gpu(), host.graphs});
  }
  new (self) DeviceRewardsObject{std::move(rewards)};
}

Batch room_for(std::uint32_t count, std::uint32_t reference_length) {
  Batch batch;
  batch.count = count;
  batch.references.layout = rows_at({}, reference_length, reference_length);
  return batch;
}

void start(const DeviceRewardsObject& self, const Batch& batch, const RewardArrays& out,
           Address workspace, Address stream, bool check) {
  const nb::gil_scoped_release release;
  self.rewards->compute(batch, out, call_at(workspace, stream, check));
}

void compute(const DeviceRewardsObject& self, std::uint32_t count, std::uint32_t length,
             const IntegersAt& queries, const IntegersAt& lengths, const IntegersAt& reference,
             Address active, Address stopped, Address distance_to_goal, Address reward,
             Address distances, Address ndtw, Address cls, Address workspace, Address stream,
             bool check) {
  Batch batch;
  batch.count = count;
  batch.queries = {at(queries), rows_at(lengths, length, length)};
  batch.reference = at(reference);
  batch.active = at<const std::uint8_t>(active);
  batch.stopped = at<const std::uint8_t>(stopped);
  batch.distance_to_goal = at<const float>(distance_to_goal);
  start(self, batch, {at<float>(reward), at<float>(distances), at<float>(ndtw), at<float>(cls)},
        workspace, stream, check);
}

void compute_points(const DeviceRewardsObject& self, std::uint32_t count, std::uint32_t length,
                    Address queries, const IntegersAt& lengths, std::uint32_t references,
                    std::uint32_t reference_length, Address reference_points,
                    const IntegersAt& reference_lengths, const IntegersAt& reference,
                    Address active, Address stopped, Address distance_to_goal, Address reward,
                    Address distances, Address ndtw, Address cls, Address workspace, Address stream,
                    bool check) {
  Batch batch;
  batch.count = count;
  batch.queries = {at<const float>(queries), rows_at(lengths, length, length)};
  batch.references = {at<const float>(reference_points),
                      rows_at(reference_lengths, reference_length, reference_length)};
  batch.reference = at(reference);
  batch.reference_count = references;
  batch.active = at<const std::uint8_t>(active);
  batch.stopped = at<const std::uint8_t>(stopped);
  batch.distance_to_goal = at<const float>(distance_to_goal);
  start(self, batch, {at<float>(reward), at<float>(distances), at<float>(ndtw), at<float>(cls)},
        workspace, stream, check);
}

void add_up(const DeviceRewardsObject& self, std::uint32_t count, std::uint32_t length,
            Address reward, const IntegersAt& lengths, Address active, Address value,
            Address bootstrap, double discount, double decay, Address returns, Address advantage,
            Address stream) {
  ReturnsBatch batch;
  batch.count = count;
  batch.layout = rows_at(lengths, length, length);
  batch.active = at<const std::uint8_t>(active);
  batch.reward = at<const float>(reward);
  batch.value = at<const float>(value);
  batch.bootstrap = at<const float>(bootstrap);
  batch.discount = discount;
  batch.decay = decay;
  batch.returns = at<float>(returns);
  batch.advantage = at<float>(advantage);
  const nb::gil_scoped_release release;
  self.rewards->add_up(batch, call_at(0, stream));
}

}  // namespace

void bind_device_rewards(nb::module_& m) {
  nb::class_<DeviceRewardsObject>(m, "DeviceRewards")
      .def("__init__", &make, "host"_a, nb::keep_alive<1, 2>())
      .def(
          "workspace_bytes",
          [](const DeviceRewardsObject& d, std::uint32_t count) {
            return d.rewards->workspace_bytes({.count = count});
          },
          "count"_a)
      .def(
          "point_workspace_bytes",
          [](const DeviceRewardsObject& d, std::uint32_t count, std::uint32_t length) {
            return d.rewards->workspace_bytes(room_for(count, length));
          },
          "count"_a, "reference_length"_a)
      .def(
          "warm_up",
          [](const DeviceRewardsObject& d, Address stream) {
            const nb::gil_scoped_release release;
            d.rewards->warm_up(stream_at(stream));
          },
          "stream"_a)
      .def("compute", &compute, "count"_a, "length"_a, "queries"_a, "lengths"_a, "reference"_a,
           "active"_a, "stopped"_a, "distance_to_goal"_a, "reward"_a, "distances"_a, "ndtw"_a,
           "cls"_a, "workspace"_a, "stream"_a, "check"_a)
      .def("compute_points", &compute_points, "count"_a, "length"_a, "queries"_a, "lengths"_a,
           "references"_a, "reference_length"_a, "reference_points"_a, "reference_lengths"_a,
           "reference"_a, "active"_a, "stopped"_a, "distance_to_goal"_a, "reward"_a, "distances"_a,
           "ndtw"_a, "cls"_a, "workspace"_a, "stream"_a, "check"_a)
      .def("add_up", &add_up, "count"_a, "length"_a, "reward"_a, "lengths"_a, "active"_a, "value"_a,
           "bootstrap"_a, "discount"_a, "decay"_a, "returns"_a, "advantage"_a, "stream"_a);
}

}  // namespace warpath::python
