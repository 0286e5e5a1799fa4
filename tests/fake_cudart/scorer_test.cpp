// Tests public entries on a runtime with several devices: which device works, what is allocated,
// what is left of other code's errors, and what a capture of other code survives.

#include "warpath/scorer.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/checks/walks.hpp"
#include "host/core/cuda/arrays.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/reference_scorer.hpp"

namespace warpath::testing {
namespace {

constexpr int some_error = 98;  // cudaErrorInvalidDeviceFunction

checks::SyntheticBatch some_pairs(std::size_t pairs, std::uint64_t seed = 1,
                                  std::size_t queries = 5) {
  checks::Random random(seed);
  return checks::uniform_pairs(random, {"short", {2, 12}, {2, 14}, 50, queries}, pairs);
}

Scorer scorer_of(const PairBatch& batch, Backend backend = Backend::cuda) {
  return Scorer(batch.scans, {}, {.backend = backend});
}

void expect_cpus_bits(const Scorer& scorer, const PairBatch& batch, const std::string& how) {
  expect_same_scores(scorer.score(batch), scorer_of(batch, Backend::cpu).score(batch), how);
}

/// Expects that nothing is left once the kept memory is given back.
class CudaScorer : public ::testing::Test {
 protected:
  void SetUp() override {
    cudart().begin();
    release_gpu_memory();
    ASSERT_EQ(cudart().leaks(), 0u);
    cudart().begin();
  }
  void TearDown() override {
    EXPECT_EQ(cudart().count("cudaDeviceSynchronize"), 0u);
    current_device() = 0;
    cudart().begin();
    release_gpu_memory();
    EXPECT_EQ(cudart().leaks(), 0u);
  }
};

TEST_F(CudaScorer, AllocatesNothingInASimilarCall) {
  const auto first = some_pairs(200), similar = some_pairs(210, 2);
  const Scorer scorer = scorer_of(first.batch);
  PairBatch second = similar.batch;
  second.scans = first.batch.scans;
  scorer.score(first.batch);
  scorer.statistics(first.batch);
  EXPECT_GT(cudart().count("cudaMalloc"), 0u);
  cudart().begin();
  scorer.score(second);
  scorer.statistics(second);
  for (const std::string& call : cudart().calls) {
    EXPECT_FALSE(call.starts_with("cudaMalloc") || call.starts_with("cudaFree") ||
                 call.starts_with("cudaStreamCreate") || call.starts_with("cudaStreamDestroy"))
        << call;
  }
}

TEST_F(CudaScorer, SharesTheKeptMemoryWithOthersAndGivesItBack) {
  const auto made = some_pairs(100);
  scorer_of(made.batch).score(made.batch);
  cudart().begin();
  scorer_of(made.batch).score(made.batch);
  EXPECT_EQ(cudart().count("cudaMalloc") + cudart().count("cudaMallocHost"), 0u);
  EXPECT_GT(release_gpu_memory(), 0u);
  EXPECT_EQ(release_gpu_memory(), 0u);
}

TEST_F(CudaScorer, KeepsWhatItHoldsWhenMemoryIsGivenBack) {
  const auto made = some_pairs(100);
  const Scorer scorer = scorer_of(made.batch);
  scorer.score(made.batch);
  release_gpu_memory();
  EXPECT_GT(cudart().device_memory.size(), 0u) << "tables and references";
  cudart().begin();
  expect_cpus_bits(scorer, made.batch, "after memory was given back");
}

TEST_F(CudaScorer, StaysOnTheDeviceItWasMadeOn) {
  const auto made = some_pairs(60);
  current_device() = 1;
  const Scorer scorer = scorer_of(made.batch);
  current_device() = 0;
  expect_cpus_bits(scorer, made.batch, "with another device current");
  scorer.statistics(made.batch);
  EXPECT_EQ(current_device(), 0);
  EXPECT_GT(cudart().launches.size(), 0u);
  for (const KernelLaunch& launch : cudart().launches) EXPECT_EQ(launch.device, 1) << launch.kernel;
}

TEST_F(CudaScorer, OfPointsStaysOnItsDevice) {
  PointBatch batch;
  for (int k = 0; k < 20; ++k) batch.references.elements.push_back({0.25 * k, 1, 0});
  batch.queries.elements = batch.references.elements;
  batch.pairs.push_back({batch.references.end_path(), batch.queries.end_path()});
  current_device() = 1;
  const Scorer scorer({}, {}, {.backend = Backend::cuda});
  current_device() = 0;
  EXPECT_EQ(scorer.score(batch).at(Metric::SR, 0), 1.0);
  EXPECT_EQ(current_device(), 0);
  for (const KernelLaunch& launch : cudart().launches) EXPECT_EQ(launch.device, 1);
}

TEST_F(CudaScorer, MakesRandomWalksOfAnyReferences) {
  checks::Random random(3);
  const checks::WalkWorld world(checks::uniform_pairs(random, {"", {14, 24}, {1, 3}, 40, 1}, 12));
  const RandomWalks walks = world.walks({{0, 1}, {3, 2}, {6, 5}});
  const auto statistics = [&](Backend backend, std::uint64_t first, std::uint64_t count) {
    return WalkScorer(walks, {}, {.backend = backend}).statistics(first, count);
  };
  BatchStatistics parts = statistics(Backend::cuda, 0, 50);
  parts.merge(statistics(Backend::cuda, 50, 70));
  EXPECT_EQ(parts, statistics(Backend::cpu, 0, 120));
  EXPECT_EQ(current_device(), 0);
  EXPECT_TRUE(std::ranges::any_of(cudart().launches, [](const KernelLaunch& launch) {
    return launch.kernel.find("score_walks_in_replicated_rows") != std::string::npos;
  }));
}

TEST_F(CudaScorer, MakesRandomWalksOnItsDeviceInAnyThread) {
  checks::Random random(3);
  const checks::WalkWorld world(checks::uniform_pairs(random, {"", {14, 24}, {1, 3}, 40, 1}, 12));
  const RandomWalks walks = world.walks({{0, 1}, {3, 2}, {6, 5}});
  current_device() = 1;
  const WalkScorer scorer(walks, {}, {.backend = Backend::cuda});
  current_device() = 0;
  const BatchStatistics expected =
      WalkScorer(walks, {}, {.backend = Backend::cpu}).statistics(0, 60);
  const auto score = [&] {
    EXPECT_EQ(scorer.statistics(0, 60), expected);
    EXPECT_EQ(current_device(), 0);
  };
  std::thread first(score), second(score);
  first.join();
  second.join();
  for (const KernelLaunch& launch : cudart().launches) {
    EXPECT_EQ(launch.device, 1) << launch.kernel;
  }
}

TEST_F(CudaScorer, AllocatesNothingForMoreWalks) {
  checks::Random random(3);
  const checks::WalkWorld world(checks::uniform_pairs(random, {"", {4, 8}, {1, 3}, 30, 1}, 4));
  const RandomWalks walks = world.walks({{3, 2}});
  const WalkScorer scorer(walks, {}, {.backend = Backend::cuda});
  scorer.statistics(0, 60);
  EXPECT_GT(cudart().count("cudaMalloc"), 0u);
  cudart().begin();
  scorer.statistics(60, 60);
  EXPECT_EQ(cudart().count("cudaMalloc") + cudart().count("cudaMallocHost"), 0u);
}

TEST_F(CudaScorer, LeavesTheCurrentDeviceAfterAnError) {
  const auto made = some_pairs(20);
  current_device() = 1;
  const Scorer scorer = scorer_of(made.batch);
  current_device() = 0;
  bool are_all_tried = false;
  for (int call = 0; !are_all_tried; ++call) {
    cudart().begin(call, some_error);
    try {
      scorer.score(made.batch);
    } catch (const CudaError&) {
    }
    are_all_tried = cudart().calls.size() <= static_cast<std::size_t>(call);
    const std::string name = are_all_tried ? "" : cudart().calls[static_cast<std::size_t>(call)];
    // Where the call that restores it fails, it cannot be restored.
    if (name == "cudaSetDevice") current_device() = 0;
    EXPECT_EQ(current_device(), 0) << "call " << call << ", " << name;
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "call " << call << ", " << name;
  }
}

// Scores in a thread of its own, several times.
std::thread score_often(const Scorer& scorer, const PairBatch& batch, int device) {
  return std::thread([&scorer, &batch, device] {
    current_device() = device;
    for (int k = 0; k < 4; ++k) expect_cpus_bits(scorer, batch, "in a thread");
    EXPECT_EQ(current_device(), device);
  });
}

TEST_F(CudaScorer, WorksBesideOthersOnTheSameAndOnOtherDevices) {
  const auto first = some_pairs(40), second = some_pairs(50, 2);
  std::vector<Scorer> scorers;
  scorers.push_back(scorer_of(first.batch));
  scorers.push_back(scorer_of(second.batch));
  current_device() = 1;
  scorers.push_back(scorer_of(second.batch));
  current_device() = 0;
  std::vector<std::thread> threads;
  threads.push_back(score_often(scorers[0], first.batch, 0));
  threads.push_back(score_often(scorers[0], first.batch, 1));
  threads.push_back(score_often(scorers[1], second.batch, 0));
  threads.push_back(score_often(scorers[2], second.batch, 0));
  for (std::thread& thread : threads) thread.join();
}

TEST_F(CudaScorer, LooksAgainForADevice) {
  const auto made = some_pairs(20);
  current_device() = 20;
  const int devices = std::exchange(cudart().devices, 0);
  const Scorer scorer = scorer_of(made.batch);
  EXPECT_THROW(scorer.score(made.batch), InputError);
  EXPECT_THROW(resolve_backend(Backend::cuda, 1), InputError);
  cudart().devices = devices;
  EXPECT_EQ(resolve_backend(Backend::cuda, 1).backend, Backend::cuda);
  expect_cpus_bits(scorer, made.batch, "found later");
}

// ---------------------------------------------------------------- errors of other code

std::string error_of(const Scorer& scorer, const PairBatch& batch) {
  try {
    scorer.score(batch);
  } catch (const CudaError& error) {
    EXPECT_EQ(error.code(), some_error);
    return error.what();
  }
  return "";
}

TEST_F(CudaScorer, NeitherClearsNorOwnsAnErrorThatWasPending) {
  const auto made = some_pairs(20);
  const Scorer scorer = scorer_of(made.batch);
  leave_error(some_error);
  const std::string error = error_of(scorer, made.batch);
  EXPECT_NE(error.find("an earlier CUDA call of this process"), std::string::npos) << error;
  EXPECT_NE(error.find("clear the error with cudaGetLastError"), std::string::npos) << error;
  EXPECT_EQ(cudaGetLastError(), some_error);
  expect_cpus_bits(scorer, made.batch, "once it was cleared");
  leave_error(some_error);
  scorer_of(made.batch);
  EXPECT_EQ(cudaGetLastError(), some_error) << "making and destroying leave it, too";
}

TEST_F(CudaScorer, TakesNotReadyForNoError) {
  const auto made = some_pairs(20);
  leave_error(cudaErrorNotReady);
  expect_cpus_bits(scorer_of(made.batch), made.batch, "after cudaEventQuery");
}

// ---------------------------------------------------------------- captures of other code

/// Captures an empty graph on a stream of its own.
class OthersCapture {
 public:
  OthersCapture() {
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaSuccess);
  }
  OthersCapture(const OthersCapture&) = delete;
  OthersCapture& operator=(const OthersCapture&) = delete;
  void expect_unbroken() {
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    if (graph != nullptr) cudaGraphDestroy(graph);
  }
  ~OthersCapture() { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }

 private:
  cudaStream_t stream_ = nullptr;
};

std::unique_ptr<ReferenceScorer> reference_scorer(const PairBatch& batch) {
  std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
  for (const Pair& pair : batch.pairs) scan_of[pair.reference] = pair.scan;
  return std::make_unique<ReferenceScorer>(
      batch.scans, batch.references, scan_of, Convention(),
      ReferenceScorerOptions{.metrics = MetricSet().insert(Metric::nDTW), .place = Place::gpu()});
}

TEST_F(CudaScorer, DoesNotBreakACaptureByItsEnd) {
  const auto made = some_pairs(30);
  auto scorer = std::make_unique<Scorer>(scorer_of(made.batch));
  scorer->score(made.batch);
  auto resident = reference_scorer(made.batch);
  OthersCapture capture;
  scorer.reset();
  resident.reset();
  capture.expect_unbroken();
}

TEST_F(CudaScorer, DoesNotBreakACaptureByItsWork) {
  const auto made = some_pairs(30);
  scorer_of(made.batch).score(made.batch);  // loads the kernels
  release_gpu_memory();
  OthersCapture capture;
  expect_cpus_bits(scorer_of(made.batch), made.batch, "in the thread that captures");
  std::thread([&] { expect_cpus_bits(scorer_of(made.batch), made.batch, "in another"); }).join();
  const auto resident = reference_scorer(made.batch);
  capture.expect_unbroken();
}

TEST_F(CudaScorer, OfResidentBatchesStaysOnItsDevice) {
  const auto made = some_pairs(5);
  current_device() = 1;
  const auto scorer = reference_scorer(made.batch);
  {
    cuda::Device& device = cuda::device_or_error();
    current_device() = 0;
    Batch room{.count = 1};
    room.queries.layout.max_length = 4;
    const std::size_t bytes = scorer->workspace_bytes(room);
    current_device() = 1;
    const cuda::DeviceArray<char> workspace(device, bytes),
        statistics(device, ReferenceScorer::statistics_bytes());
    const cuda::HostDeviceArray<std::uint16_t> nodes(device, 4);
    const cuda::HostDeviceArray<std::uint32_t> length(device, 1);
    const cuda::DeviceArray<float> ndtw(device, 1);
    const cuda::UniqueStream stream(device);
    std::fill_n(nodes.host.data(), 4, static_cast<std::uint16_t>(made.batch.references[0][0]));
    length.host[0] = 4;
    cuda::upload(device, nodes.host, nodes.device, 4, stream.get());
    cuda::upload(device, length.host, length.device, 1, stream.get());
    device.wait(stream.get());
    current_device() = 0;
    const Batch batch{.count = 1,
                      .queries = {nodes.device.data(),
                                  {.lengths = length.device.data(), .pitch = 4, .max_length = 4}}};
    ScoreArrays scores;
    scores.column[Metric::nDTW] = ndtw.data();
    cudart().begin();
    const Call call{.workspace = workspace.data(), .stream = stream.get(), .check = true};
    scorer->warm_up(room, call);
    scorer->score(batch, scores, call);
    scorer->clear_statistics(statistics.data(), stream.get());
    scorer->add_to_statistics(batch, statistics.data(), call);
    EXPECT_EQ(scorer->read_statistics(statistics.data(), stream.get()).summary.items, 1u);
    EXPECT_EQ(current_device(), 0);
  }
  EXPECT_GT(cudart().launches.size(), 0u);
  for (const KernelLaunch& launch : cudart().launches) EXPECT_EQ(launch.device, 1);
}

}  // namespace
}  // namespace warpath::testing
