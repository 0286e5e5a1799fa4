// Tests the fake runtime itself: graphs that streams capture, what captures refuse, and devices
// that do not know each other's streams and memory.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "kernels/launch/pack_pairs_launch.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

constexpr std::uint32_t count = 100;
constexpr std::size_t sum_bytes = (count + 1) * sizeof(std::uint32_t);

/// Has two streams, an event, and memory on the current device.
class CudaCapture : public ::testing::Test {
 protected:
  void SetUp() override {
    cudart().begin();
    for (cudaStream_t* stream : {&stream_, &other_}) {
      ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    }
    for (cudaEvent_t* event : {&event_, &join_}) {
      ASSERT_EQ(cudaEventCreateWithFlags(event, cudaEventDisableTiming), cudaSuccess);
    }
    void *lengths = nullptr, *sums = nullptr, *host = nullptr, *scratch = nullptr;
    ASSERT_EQ(cudaMalloc(&lengths, count * sizeof(std::uint16_t)), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&sums, sum_bytes), cudaSuccess);
    ASSERT_EQ(cudaMallocHost(&host, sum_bytes), cudaSuccess);
    ASSERT_EQ(kernels::scratch_bytes(count, scratch_.bytes), 0);
    ASSERT_EQ(cudaMalloc(&scratch, scratch_.bytes), cudaSuccess);
    lengths_ = static_cast<std::uint16_t*>(lengths);
    sums_ = static_cast<std::uint32_t*>(sums);
    host_ = static_cast<std::uint32_t*>(host);
    scratch_.memory = scratch;
    ASSERT_EQ(fill(stream_, 0), cudaSuccess);
    ASSERT_EQ(add_up(stream_), 0);  // loads the kernels
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }
  void TearDown() override {
    current_device() = 0;
    EXPECT_EQ(cudaFree(lengths_), cudaSuccess);
    EXPECT_EQ(cudaFree(sums_), cudaSuccess);
    EXPECT_EQ(cudaFree(scratch_.memory), cudaSuccess);
    EXPECT_EQ(cudaFreeHost(host_), cudaSuccess);
    for (cudaEvent_t event : {event_, join_}) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
    for (cudaStream_t stream : {stream_, other_}) EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }

  /// Adds up the lengths.
  int add_up(cudaStream_t stream) const {
    return kernels::exclusive_sum({kernels::integers(lengths_), sums_, count}, scratch_, stream);
  }
  cudaError_t fill(cudaStream_t stream, int byte) const {
    return cudaMemsetAsync(lengths_, byte, count * sizeof(std::uint16_t), stream);
  }
  cudaError_t read(cudaStream_t stream) const {
    return cudaMemcpyAsync(host_, sums_, sum_bytes, cudaMemcpyDeviceToHost, stream);
  }
  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) const {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
  }
  /// Ends the capture and instantiates its graph, which has a node for each piece of work since
  /// the records were cleared.
  cudaGraphExec_t end() const {
    const FakeCudart& c = cudart();
    const std::size_t nodes =
        c.launches.size() + c.count("cudaMemsetAsync") + c.count("cudaMemcpyAsync");
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    std::size_t has_nodes = 0;
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &has_nodes), cudaSuccess);
    EXPECT_EQ(has_nodes, nodes);
    EXPECT_EQ(cudaGraphInstantiate(&made, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return made;
  }
  cudaError_t end_code() const {
    cudaGraph_t graph = nullptr;
    const cudaError_t code = cudaStreamEndCapture(stream_, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();  // the next launcher would report it
    return code;
  }
  void expect_replayed(cudaGraphExec_t made, std::uint32_t want) const {
    std::memset(host_, 0, sum_bytes);
    ASSERT_EQ(cudaGraphLaunch(made, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
    EXPECT_EQ(host_[1], want);
    EXPECT_EQ(host_[count], count * want);
  }
  /// Expects a call to fail during a capture, and the capture with it.
  void expect_refused(const char* what, const std::function<int()>& call,
                      cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) const {
    begin(mode);
    EXPECT_NE(call(), 0) << what;
    EXPECT_EQ(end_code(), cudaErrorStreamCaptureInvalidated) << what;
  }
  void expect_allowed(const char* what, const std::function<int()>& call) const {
    begin();
    EXPECT_EQ(call(), 0) << what;
    EXPECT_EQ(end_code(), cudaSuccess) << what;
  }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t event_ = nullptr, join_ = nullptr;
  std::uint16_t* lengths_ = nullptr;
  std::uint32_t *sums_ = nullptr, *host_ = nullptr;
  kernels::Scratch scratch_{};
};

TEST_F(CudaCapture, DoesNothingUntilItsGraphIsLaunched) {
  host_[0] = 7;
  begin();
  cudart().begin();
  ASSERT_EQ(fill(stream_, 1), cudaSuccess);
  ASSERT_EQ(add_up(stream_), 0);
  ASSERT_EQ(read(stream_), cudaSuccess);
  const cudaGraphExec_t made = end();
  EXPECT_EQ(host_[0], 7u);
  expect_replayed(made, 0x0101);
  expect_replayed(made, 0x0101);
  cudaGraphExecDestroy(made);
}

TEST_F(CudaCapture, JoinsStreamsByEvents) {
  begin();
  cudart().begin();
  ASSERT_EQ(fill(stream_, 1), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  ASSERT_EQ(add_up(other_), 0);
  ASSERT_EQ(cudaEventRecord(join_, other_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(stream_, join_, 0), cudaSuccess);
  ASSERT_EQ(read(stream_), cudaSuccess);
  const cudaGraphExec_t made = end();
  for (int launch = 0; launch < 20; ++launch) expect_replayed(made, 0x0101);
  EXPECT_EQ(cudaStreamSynchronize(other_), cudaSuccess) << "no longer captures";
  cudaGraphExecDestroy(made);
}

TEST_F(CudaCapture, MissesAJoin) {
  begin();
  ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  ASSERT_EQ(fill(other_, 1), cudaSuccess);
  EXPECT_EQ(end_code(), cudaErrorStreamCaptureUnjoined);
  expect_refused("a wait for what is not captured", [&] {
    EXPECT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
    return cudaStreamWaitEvent(stream_, event_, 0);
  });
}

TEST_F(CudaCapture, RefusesWhatWouldBreakIt) {
  void* memory = nullptr;
  expect_refused("cudaMalloc", [&] { return cudaMalloc(&memory, 8); });
  expect_refused("cudaMallocHost", [&] { return cudaMallocHost(&memory, 8); });
  expect_refused("cudaFree", [&] { return cudaFree(lengths_); });
  expect_refused("cudaFreeHost", [&] { return cudaFreeHost(host_); });
  expect_refused("cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); });
  expect_refused("waiting for it", [&] { return cudaStreamSynchronize(stream_); });
  expect_refused("asking it", [&] { return cudaStreamQuery(stream_); });
  expect_refused("waiting for another", [&] { return cudaStreamSynchronize(other_); });
  expect_refused("asking its event", [&] {
    EXPECT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
    return cudaEventQuery(event_);
  });
  EXPECT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  expect_refused("asking another event", [&] { return cudaEventQuery(event_); });
  expect_refused("the default stream", [&] { return fill(nullptr, 1); });
  expect_refused("the first use of a kernel", [&] {
    unload_kernels();
    return add_up(stream_);
  });
}

TEST_F(CudaCapture, LetsARelaxedThreadAllocateAndWaitForOtherStreams) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  void* memory = nullptr;
  expect_allowed("cudaMalloc", [&] { return cudaMalloc(&memory, 8); });
  expect_allowed("another stream", [&] { return cudaStreamSynchronize(other_); });
  expect_refused("cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); });
  expect_refused("its stream", [&] { return cudaStreamSynchronize(stream_); });
  expect_refused("cudaFree", [&] { return cudaFree(memory); });
  ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(CudaCapture, MindsOtherThreadsInGlobalModeOnly) {
  void* memory = nullptr;
  const auto elsewhere = [&] {
    cudaError_t code = cudaSuccess;
    std::thread([&] { code = cudaMalloc(&memory, 8); }).join();
    return code;
  };
  expect_refused("cudaMalloc", elsewhere);
  begin(cudaStreamCaptureModeThreadLocal);
  EXPECT_EQ(elsewhere(), cudaSuccess);
  EXPECT_EQ(end_code(), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(CudaCapture, FollowsAnEventOutsideOfCaptures) {
  for (const int byte : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
    ASSERT_EQ(fill(stream_, byte), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
    ASSERT_EQ(add_up(other_), 0);
    ASSERT_EQ(read(other_), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other_), cudaSuccess);
    EXPECT_EQ(host_[count], count * 0x0101u * static_cast<unsigned>(byte));
  }
  EXPECT_EQ(cudaEventQuery(event_), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
}

// ---------------------------------------------------------------- several devices

using CudaSeveralDevices = CudaCapture;

TEST_F(CudaSeveralDevices, RefuseStreamsOfOthers) {
  current_device() = 1;
  EXPECT_NE(add_up(stream_), 0);
  EXPECT_EQ(fill(stream_, 1), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(read(stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaSetDevice(cudart().devices), cudaErrorInvalidDevice);
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, 0), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, stream_), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
}

TEST_F(CudaSeveralDevices, RefuseMemoryOfOthers) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t there = nullptr;
  ASSERT_EQ(cudaStreamCreateWithFlags(&there, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(fill(there, 1), cudaErrorInvalidValue);
  EXPECT_EQ(read(there), cudaErrorInvalidValue);
  cudaGetLastError();
  void *sums = nullptr, *own = nullptr;
  ASSERT_EQ(cudaMalloc(&sums, sum_bytes), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&own, scratch_.bytes), cudaSuccess);
  EXPECT_EQ(kernels::exclusive_sum(
                {kernels::integers(lengths_), static_cast<std::uint32_t*>(sums), count},
                {own, scratch_.bytes}, there),
            0)
      << "a kernel's pointers are not looked at before it runs";
  cudaStreamSynchronize(there);
  const std::string fault = std::exchange(cudart().fault, "");
  EXPECT_NE(fault.find("outside of device memory"), std::string::npos) << fault;
  for (void* memory : {sums, own}) EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(there), cudaSuccess);
}

TEST_F(CudaSeveralDevices, RefuseHostMemoryThatIsNotPinned) {
  char own[sum_bytes];
  EXPECT_EQ(cudaMemcpyAsync(own, sums_, sizeof own, cudaMemcpyDeviceToHost, stream_),
            cudaErrorInvalidHostPointer);
}

}  // namespace
}  // namespace warpath::testing
