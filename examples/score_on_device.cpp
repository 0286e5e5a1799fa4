// Scores paths in GPU memory, e.g. as rewards for reinforcement learning: a call starts kernels on
// a stream and returns. Without a GPU it prints so and ends.

#include <cuda_runtime_api.h>

#include <iostream>
#include <stdexcept>
#include <vector>

#include "warpath/reference_scorer.hpp"

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
  const warpath::ReferenceScorer scorer(
      scans, references, scan_of, warpath::Convention{},
      {.metrics = {Metric::nDTW}, .place = warpath::Place::gpu()});
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const std::uint32_t count = 2, max_length = 4;

  // Done for each batch: the agents' paths, which would already be on the device as [B, T].
  const warpath::PathsView queries{upload<std::int64_t>({0, 1, 2, -1, /**/ 0, 1, -1, -1}, stream),
                                   {.lengths = upload<std::int32_t>({3, 2}, stream),
                                    .pitch = max_length,
                                    .max_length = max_length}};
  const warpath::Batch batch{
      .count = count, .queries = queries, .reference = upload<std::int32_t>({0, 0}, stream)};
  char* workspace = allocate<char>(scorer.workspace_bytes(batch));
  warpath::ScoreArrays scores;
  scores.column[Metric::nDTW] = allocate<float>(count);
  scorer.score(batch, scores, {.workspace = workspace, .stream = stream});
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
