// Scores paths in GPU memory, e.g. as rewards for reinforcement learning: a call starts two kernels
// on a stream and returns. Without a GPU it prints so and ends.

#include <cuda_runtime_api.h>

#include <iostream>
#include <stdexcept>
#include <vector>

#include "warpath/rollouts.hpp"

using warpath::Metric;

static void check(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

template <class T>
T* allocate(std::size_t count) {  // until the program ends
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  return static_cast<T*>(memory);
}

template <class T>
T* upload(const std::vector<T>& values, cudaStream_t stream) {
  T* memory = allocate<T>(values.size());
  check(cudaMemcpyAsync(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice,
                        stream));
  return memory;
}

static void score_rollouts() {
  const std::vector<warpath::Edge> edges{{0, 1}, {1, 2}};
  const warpath::Scan scan("street", {"a", "b", "c"}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}}, edges);
  const warpath::PathSet references{.elements = {0, 1, 2}, .offsets = {0, 3}};

  // Done once: distance tables and references are uploaded to the device.
  const warpath::Scan* const scans[] = {&scan};
  const std::uint32_t scan_of[] = {0};  // by reference
  const warpath::RolloutScorer scorer(scans, references, scan_of, warpath::Convention{},
                                      {Metric::nDTW}, /*max_rollouts=*/1024);

  // Done for each batch: the agent's paths, which would already be on the device.
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::uint32_t count = 2, max_length = 3;
  const warpath::Rollouts rollouts{
      .count = count,
      .max_length = max_length,
      .reference = upload<std::uint32_t>({0, 0}, stream),
      .nodes = upload<std::uint16_t>({0, 1, 2, /**/ 0, 1}, stream),
      .offsets = upload<std::uint32_t>({0, 3, 5}, stream),
  };
  warpath::RolloutScores scores;
  scores.column[Metric::nDTW] = allocate<float>(count);
  scores.flags = allocate<std::uint32_t>(count);
  char* workspace = allocate<char>(scorer.workspace_bytes(count, max_length));
  scorer.score_async(rollouts, scores, workspace, stream);
  std::vector<float> rewards(count);
  check(cudaMemcpyAsync(rewards.data(), scores.column[Metric::nDTW], count * sizeof(float),
                        cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  for (const float reward : rewards) std::cout << "nDTW " << reward << '\n';
}

int main() try {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::cout << "no GPU, nothing to score\n";
    return 0;
  }
  score_rollouts();
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
