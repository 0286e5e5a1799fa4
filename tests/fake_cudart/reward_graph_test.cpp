// Tests that calls of Rewards and RewardTracker on a GPU can be captured into a CUDA graph after
// warm_up, allocate nothing, and reward what lies in memory when the graph is launched.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/core/cuda/arrays.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/support/calls.hpp"
#include "tests/support/device_rollouts.hpp"
#include "warpath/error.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

class CudaRewardGraph : public ::testing::Test {
 protected:
  void SetUp() override {
    cudart().begin();
    random_.add_pairs(40, 12, 9);
    for (const Pair& pair : batch_.pairs) {
      const auto query = batch_.queries[pair.query];
      nodes_.insert(nodes_.end(), query.begin(), query.end());
      nodes_.resize(static_cast<std::size_t>(++count_) * pitch);
      lengths_.push_back(static_cast<std::int64_t>(query.size()));
      reference_.push_back(pair.reference);
    }
  }
  void TearDown() override {
    if (made_ != nullptr) cudaGraphExecDestroy(std::exchange(made_, nullptr));
  }
  cuda::Stream stream() const { return stream_.get(); }

  /// Captures what `start` gives to the stream, which must neither allocate nor wait.
  void capture(const std::function<void()>& start) {
    cudaGraph_t graph = nullptr;
    const std::size_t before = cudart().calls.size();
    ASSERT_EQ(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
    start();
    ASSERT_EQ(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
    for (std::size_t k = before; k < cudart().calls.size(); ++k) {
      const std::string& call = cudart().calls[k];
      EXPECT_EQ(call.find("Malloc"), std::string::npos) << call;
      EXPECT_EQ(call.find("Synchronize"), std::string::npos) << call;
    }
    ASSERT_EQ(cudaGraphInstantiate(&made_, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  }
  void replay() const { ASSERT_EQ(cudaGraphLaunch(made_, stream()), cudaSuccess); }
  std::vector<float> read(cuda::HostDeviceArray<float>& values) {
    values.download(device_, values.host.size(), stream());
    device_.wait(stream());
    return {values.host.data(), values.host.data() + values.host.size()};
  }

  static constexpr std::uint32_t pitch = 9;
  cuda::Device& device_ = cuda::device_or_error();
  RandomBatch random_{run_seed() + 350, 1};
  const PairBatch& batch_ = random_.batch();
  std::vector<std::int64_t> nodes_, lengths_, reference_;
  std::uint32_t count_ = 0;
  const RewardSettings settings_ = find_reward_preset("ndtw-gain").settings;

 private:
  cuda::UniqueStream stream_{device_};
  cudaGraphExec_t made_ = nullptr;
};

TEST_F(CudaRewardGraph, RewardsWhatLiesInMemoryWhenItIsLaunched) {
  const Rewards rewards(batch_.scans, batch_.references, scans_of(batch_), settings_,
                        {.place = Place::gpu()});
  const Rewards on_cpu(batch_.scans, batch_.references, scans_of(batch_), settings_);
  const Numbers nodes(device_, nodes_, 2, stream()), lengths(device_, lengths_, 4, stream());
  Numbers reference(device_, reference_, 4, stream());
  const cuda::DeviceArray<char> workspace(device_, rewards.workspace_bytes({.count = count_}));
  cuda::HostDeviceArray<float> out(device_, nodes_.size()), returns(device_, nodes_.size());
  Batch there;
  there.count = count_;
  there.queries = {nodes, {.lengths = lengths, .pitch = pitch, .max_length = pitch}};
  there.reference = reference;
  ReturnsBatch sums;
  sums.count = count_;
  sums.layout = there.queries.layout;
  sums.reward = out.device.data();
  sums.discount = 0.9;
  sums.returns = returns.device.data();
  rewards.warm_up(stream());
  device_.wait(stream());
  capture([&] {
    rewards.compute(there, {.reward = out.device.data()}, call_on(stream(), workspace.data()));
    rewards.add_up(sums, call_on(stream()));
  });
  for (const bool is_turned : {false, true}) {
    if (is_turned) std::ranges::reverse(reference_);
    reference.write(device_, reference_, stream());
    device_.wait(stream());
    replay();
    std::vector<float> want(nodes_.size()), want_returns(nodes_.size());
    Batch here = there;
    here.queries = {nodes_.data(),
                    {.lengths = lengths_.data(), .pitch = pitch, .max_length = pitch}};
    here.reference = reference_.data();
    on_cpu.compute(here, {.reward = want.data()});
    ReturnsBatch sums_here = sums;
    sums_here.layout = here.queries.layout;
    sums_here.reward = want.data();
    sums_here.returns = want_returns.data();
    add_up_rewards(sums_here);
    expect_bits(read(out), want, "rewards");
    expect_bits(read(returns), want_returns, "returns");
  }
}

TEST_F(CudaRewardGraph, StepsEpisodes) {
  const Rewards rewards(batch_.scans, batch_.references, scans_of(batch_), settings_,
                        {.place = Place::gpu()});
  const cuda::DeviceArray<char> memory(device_, rewards.tracker_bytes(count_));
  RewardTracker tracker(rewards, count_, {.memory = memory.data()});
  const cuda::DeviceArray<char> workspace(device_, tracker.workspace_bytes(1));
  const Rewards on_cpu(batch_.scans, batch_.references, scans_of(batch_), settings_);
  RewardTracker want(on_cpu, count_);
  const auto last =
      static_cast<std::int64_t>(batch_.scans.front()->size()) - 1;  // 0 if it is alone
  const std::vector<std::int64_t> first(count_, 0), second(count_, last), one(count_, 1);
  Numbers nodes(device_, first, 2, stream());
  const Numbers reference(device_, reference_, 4, stream()), ones(device_, one, 1, stream());
  cuda::HostDeviceArray<float> moves(device_, count_), ends(device_, count_);
  tracker.warm_up(stream());
  tracker.reset({.count = count_, .reference = reference}, call_on(stream()));
  const std::vector<std::uint32_t> of(reference_.begin(), reference_.end());
  want.reset(starts_of({}, of));
  device_.wait(stream());
  capture([&] {
    tracker.step(nodes, nullptr, moves.device.data(), nullptr, call_on(stream()));
    tracker.finish(nullptr, nullptr, ends.device.data(), call_on(stream()));
    tracker.score_extensions(1, {nodes, {.lengths = ones, .pitch = 1, .max_length = 1}}, {},
                             call_on(stream(), workspace.data()));
    tracker.values({}, call_on(stream()));
  });
  for (const auto& viewpoints : {first, second, first}) {
    nodes.write(device_, viewpoints, stream());
    device_.wait(stream());
    replay();
    std::vector<float> want_moves(count_), want_ends(count_);
    want.step(viewpoints.data(), nullptr, want_moves.data());
    want.finish(nullptr, nullptr, want_ends.data());
    expect_bits(read(moves), want_moves, "moves");
    expect_bits(read(ends), want_ends, "ends");
  }
}

TEST_F(CudaRewardGraph, ChecksTellTheFirstRolloutThatCannotBeRewarded) {
  const Rewards rewards(batch_.scans, batch_.references, scans_of(batch_), settings_,
                        {.place = Place::gpu()});
  const cuda::DeviceArray<char> workspace(device_, rewards.workspace_bytes({.count = count_}));
  nodes_[5 * pitch] = 60'000;
  const Numbers nodes(device_, nodes_, 2, stream()), lengths(device_, lengths_, 4, stream());
  const cuda::DeviceArray<float> out(device_, nodes_.size());
  Batch batch;
  batch.count = count_;
  batch.queries = {nodes, {.lengths = lengths, .pitch = pitch, .max_length = pitch}};
  try {
    rewards.compute(batch, {.reward = out.data()}, checked_on(stream(), workspace.data()));
    FAIL() << "is not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("rollout 5: names viewpoint 60000"), std::string::npos)
        << error.what();
  }
  batch.queries.layout.pitch = pitch - 1;
  EXPECT_THROW(rewards.compute(batch, {.reward = nullptr}, call_on(stream(), workspace.data())),
               InputError);
}

// On the object's own device, whichever is current.
TEST_F(CudaRewardGraph, OtherReferencesTakeTheirPlace) {
  Rewards rewards(batch_.scans, batch_.references, scans_of(batch_), settings_,
                  {.place = Place::gpu()});
  const PathSet first{.elements = {batch_.references[0].begin(), batch_.references[0].end()},
                      .offsets = {0, batch_.references[0].size()}};
  const std::vector<std::uint32_t> scan_of{0};
  current_device() = 1;
  rewards.set_references(batch_.scans, first, scan_of);
  EXPECT_EQ(current_device(), 1);
  current_device() = 0;
  const Rewards on_cpu(batch_.scans, first, scan_of, settings_);
  const std::vector<std::int64_t> none(count_, 0);
  const Numbers nodes(device_, nodes_, 2, stream()), lengths(device_, lengths_, 4, stream()),
      reference(device_, none, 4, stream());
  const cuda::DeviceArray<char> workspace(device_, rewards.workspace_bytes({.count = count_}));
  cuda::HostDeviceArray<float> out(device_, nodes_.size());
  Batch there;
  there.count = count_;
  there.queries = {nodes, {.lengths = lengths, .pitch = pitch, .max_length = pitch}};
  there.reference = reference;
  rewards.compute(there, {.reward = out.device.data()}, checked_on(stream(), workspace.data()));
  Batch here = there;
  here.queries = {nodes_.data(), {.lengths = lengths_.data(), .pitch = pitch, .max_length = pitch}};
  here.reference = none.data();
  std::vector<float> want(nodes_.size());
  on_cpu.compute(here, {.reward = want.data()});
  expect_bits(read(out), want, "rewards");
}

TEST_F(CudaRewardGraph, StatesOfTrackersAreTheirMemory) {
  const Rewards rewards(batch_.scans, batch_.references, scans_of(batch_), settings_,
                        {.place = Place::gpu()});
  const cuda::DeviceArray<char> memory(device_, rewards.tracker_bytes(count_));
  RewardTracker tracker(rewards, count_, {.memory = memory.data()});
  EXPECT_THROW(static_cast<void>(tracker.state()), InputError);
  EXPECT_THROW(tracker.restore({}), InputError);
}

}  // namespace
}  // namespace warpath::testing
