// Tests RealDevice on a runtime in which every call fails once: the error names call, file and
// line, all resources are released, and nothing runs on the default stream.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/core/cuda/arrays.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/cuda/points.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

constexpr int launch_failure = 719, invalid_device = 101;

// Tells whether a call ends or waits in order to end something: its failure is not reported.
bool ends(const std::vector<std::string>& calls, std::size_t k) {
  const std::string exchange = "cudaThreadExchangeStreamCaptureMode";
  const bool is_quiet_wait =
      calls[k] == "cudaStreamSynchronize" && k > 0 && calls[k - 1] == exchange;
  const bool destroys_graph = calls[k] == "cudaGraphDestroy" || calls[k] == "cudaGraphExecDestroy";
  return is_quiet_wait || destroys_graph || calls[k] == exchange;
}

// Holds nothing, the reason for having no device, or the error.
struct Outcome {
  std::string reason, error;
};

Outcome run(const std::function<void(cuda::Device&)>& use) {
  try {
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "left by the run before";
    const cuda::FoundDevice found = cuda::find_device();
    if (found.device == nullptr) return {found.reason, ""};
    use(*found.device);
  } catch (const CudaError& error) {
    // The toolkit's templates report "invalid device" if they cannot get the current one.
    EXPECT_TRUE(error.code() == launch_failure || error.code() == invalid_device) << error.what();
    return {"", error.what()};
  }
  return {};
}

void expect_told(const Outcome& outcome, const std::vector<std::string>& calls, std::size_t k,
                 bool sticky) {
  if (!outcome.reason.empty()) return;
  if (outcome.error.empty()) {
    // Kept memory is released and the allocation repeated.
    const bool again = !sticky && calls[k].starts_with("cudaMalloc");
    EXPECT_TRUE(ends(calls, k) || again || calls[k] == "cudaRuntimeGetVersion")
        << calls[k] << ", call " << k << ", failed unheard";
    return;
  }
  EXPECT_NE(outcome.error.find("real_device.cpp:"), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.error.find("earlier"), std::string::npos) << outcome.error;
  EXPECT_NE(outcome.error.find("cudaErrorOfTheFake"), std::string::npos) << outcome.error;
}

// Gives back what the device keeps. Returns what is left.
std::size_t leaks() {
  cudart().begin();
  cuda::release_kept_memory();
  EXPECT_EQ(cudart().count("cudaDeviceSynchronize"), 0u);
  return cudart().leaks();
}

// Lets each call in turn fail, alone or with all that follow.
void expect_every_failure_told(const std::function<void(cuda::Device&)>& use) {
  run(use);  // the toolkit caches the device's properties
  EXPECT_EQ(leaks(), 0u);
  cudart().begin();
  const Outcome whole = run(use);
  ASSERT_EQ(whole.reason + whole.error, "");
  EXPECT_EQ(cudart().on_default_stream, 0);
  const auto calls = cudart().calls;
  EXPECT_EQ(std::ranges::count(calls, "cudaDeviceSynchronize"), 0);
  EXPECT_EQ(std::ranges::count(calls, "cudaFree"), 0);
  EXPECT_EQ(leaks(), 0u);
  for (const bool sticky : {false, true}) {
    for (std::size_t k = 0; k < calls.size(); ++k) {
      cudart().begin(static_cast<int>(k), launch_failure, sticky);
      expect_told(run(use), calls, k, sticky);
      EXPECT_EQ(leaks(), 0u) << "call " << k << ", " << calls[k];
    }
  }
  cudart().begin();
  const Outcome after = run(use);
  EXPECT_EQ(after.reason + after.error, "");
  EXPECT_EQ(leaks(), 0u);
}

TEST(RealDevice, IsFoundAndDescribesItself) {
  cudart().begin();
  const cuda::FoundDevice found = cuda::find_device();
  ASSERT_NE(found.device, nullptr) << found.reason;
  EXPECT_EQ(found.device->name(),
            "a fake GPU, compute capability 9.0, driver for CUDA 13.0, runtime 13.0");
  EXPECT_EQ(found.device->shared_floats(), 227u * 256);
}

TEST(RealDevice, IsMadeOnceForEachOrdinal) {
  cudart().begin();
  cuda::Device* const first = cuda::find_device().device;
  cudart().begin();
  EXPECT_EQ(cuda::find_device().device, first);
  EXPECT_EQ(cudart().calls, std::vector<std::string>{"cudaGetDevice"});
  std::thread([&] { EXPECT_EQ(cuda::find_device().device, first); }).join();
  current_device() = 1;
  EXPECT_NE(cuda::find_device().device, first);
  current_device() = 0;
}

// Each time on another device, because one that was found is kept.
TEST(RealDevice, IsLookedForAgainWhereNoneWasFound) {
  current_device() = 10;
  cudart().begin();
  const int devices = std::exchange(cudart().devices, 0);
  EXPECT_NE(cuda::find_device().reason.find("finds no GPU"), std::string::npos);
  cudart().devices = devices;
  for (int call = 0; call < 5; ++call, ++current_device()) {
    cudart().begin(call, launch_failure, true);
    const cuda::FoundDevice found = cuda::find_device();
    const std::string& name = cudart().calls.at(static_cast<std::size_t>(call));
    EXPECT_TRUE(found.device == nullptr || name == "cudaRuntimeGetVersion") << name;
    EXPECT_EQ(found.device == nullptr, !found.reason.empty());
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << name;
    cudart().begin();
    EXPECT_NE(cuda::find_device().device, nullptr);
  }
  current_device() = 0;
}

TEST(RealDevice, OrdersOneStreamAfterAnother) {
  expect_every_failure_told([](cuda::Device& device) {
    cuda::HostDeviceArray<int> there(device, 1000);
    const cuda::UniqueStream first(device), second(device);
    for (const std::uint8_t byte : {1, 2, 3, 4, 5}) {
      device.fill(there.device.data(), byte, 1000 * sizeof(int), first.get());
      device.order(first.get(), second.get());
      there.download(device, 1000, second.get());
      device.wait(second.get());
      EXPECT_EQ(there.host[999], 0x01010101 * byte);
    }
  });
}

TEST(RealDevice, CopiesAndReleases) {
  expect_every_failure_told([](cuda::Device& device) {
    cuda::HostDeviceArray<int> there(device, 100);
    const cuda::UniqueStream stream(device);
    for (int k = 0; k < 100; ++k) there.host[k] = k;
    there.upload(device, 100, stream.get());
    device.fill(there.device.data(), 7, 8, stream.get());
    there.download(device, 100, stream.get());
    device.wait(stream.get());
    EXPECT_EQ(there.host[0], 0x07070707);
    EXPECT_EQ(there.host[2], 2);
    EXPECT_GT(device.free_memory(), 0u);
    EXPECT_GT(device.scratch_bytes(1000), 0u);
  });
}

TEST(RealDevice, RecordsWorkAndLaunchesIt) {
  expect_every_failure_told([](cuda::Device& device) {
    cuda::HostDeviceArray<int> there(device, 100);
    const cuda::UniqueStream stream(device);
    const auto recorded = device.record(stream.get(), [&] {
      device.fill(there.device.data(), 7, 8, stream.get());
      there.download(device, 100, stream.get());
    });
    for (const std::uint8_t byte : {1, 2}) {
      device.fill(there.device.data(), byte, 100 * sizeof(int), stream.get());
      recorded->launch(stream.get());
      device.wait(stream.get());
      EXPECT_EQ(there.host[1], 0x07070707);
      EXPECT_EQ(there.host[2], 0x01010101 * byte);
    }
  });
}

TEST(RealDevice, ReportsEveryFailingCallOfABatchAndReleases) {
  checks::Random random(1);
  const checks::SyntheticBatch synthetic_batch =
      checks::uniform_pairs(random, {"short", {2, 12}, {2, 14}, 50}, 24);
  const batch::DistanceTables tables(synthetic_batch.batch.scans, {});
  expect_every_failure_told([&](cuda::Device& device) {
    Scores scores;
    cuda::score(device, synthetic_batch.batch, tables, {}, {.chunk_pairs = 12}, scores);
    EXPECT_EQ(scores.size(), 24u);
  });
  expect_every_failure_told([&](cuda::Device& device) {
    cuda::statistics(device, synthetic_batch.batch, tables, {}, {.chunk_pairs = 12});
  });
}

TEST(RealDevice, ReportsEveryFailingCallOfContinuousPathsAndReleases) {
  PointBatch batch;
  for (std::uint32_t p = 0; p < 30; ++p) {
    for (int k = 0; k < 20; ++k) {
      batch.references.elements.push_back({0.25 * k, 0.1 * p, 0});
      batch.queries.elements.push_back({0.25 * k, 0.1 * p + 0.01 * k, 0});
    }
    batch.pairs.push_back({batch.references.end_path(), batch.queries.end_path()});
  }
  expect_every_failure_told([&](cuda::Device& device) {
    EXPECT_EQ(cuda::score(device, batch, {}, {.chunk_pairs = 10}).size(), 30u);
    EXPECT_GT(cudart().launches.size(), 2u);
  });
}

}  // namespace
}  // namespace warpath::testing
