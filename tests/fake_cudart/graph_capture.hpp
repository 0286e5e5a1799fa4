#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "host/core/cuda/arrays.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"

namespace warpath::testing {

/// Captures the work of a stream into a CUDA graph, and launches it.
class GraphTest : public ::testing::Test {
 protected:
  void SetUp() override { cudart().begin(); }
  void TearDown() override {
    if (made_ != nullptr) cudaGraphExecDestroy(std::exchange(made_, nullptr));
  }
  cuda::Stream stream() const { return stream_.get(); }

  /// Captures what `start` gives to the stream, which must neither allocate nor wait.
  /// @returns the kernels that it starts
  template <class Start>
  std::size_t capture(const Start& start) {
    TearDown();
    cudaGraph_t graph = nullptr;
    const std::size_t before = cudart().calls.size();
    EXPECT_EQ(cudaStreamBeginCapture(stream(), cudaStreamCaptureModeGlobal), cudaSuccess);
    start();
    EXPECT_EQ(cudaStreamEndCapture(stream(), &graph), cudaSuccess);
    std::size_t launches = 0;
    for (std::size_t k = before; k < cudart().calls.size(); ++k) {
      const std::string& call = cudart().calls[k];
      EXPECT_EQ(call.find("Malloc"), std::string::npos) << call;
      EXPECT_EQ(call.find("Synchronize"), std::string::npos) << call;
      launches += call == "cudaLaunchKernel";
    }
    EXPECT_EQ(cudaGraphInstantiate(&made_, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    return launches;
  }
  void replay() const { ASSERT_EQ(cudaGraphLaunch(made_, stream()), cudaSuccess); }

  cuda::Device& device_ = cuda::device_or_error();

 private:
  cuda::UniqueStream stream_{device_};
  cudaGraphExec_t made_ = nullptr;
};

}  // namespace warpath::testing
