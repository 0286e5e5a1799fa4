#include "host/checks/benchmark/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "host/core/cuda/arrays.hpp"

namespace warpath::benchmark {
namespace {

template <class Work>
double best_rate(cuda::Device& device, cuda::Stream stream, std::size_t bytes, Work work) {
  using Clock = std::chrono::steady_clock;
  double best = 0.0;
  for (int round = 0; round < 5; ++round) {
    const auto begin = Clock::now();
    work();
    device.wait(stream);
    const std::chrono::duration<double> taken = Clock::now() - begin;
    best = std::max(best, static_cast<double>(bytes) / taken.count());
  }
  return best;
}

}  // namespace

Bandwidth measure_bandwidth(cuda::Device& device, std::size_t bytes) {
  const cuda::HostDeviceArray<char> memory(device, bytes);
  const cuda::UniqueStream stream(device);
  std::memset(memory.host.data(), 1, bytes);
  const auto count = static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t));
  const cuda::DeviceArray<std::uint32_t> sums(device, std::size_t{count} + 1);
  const cuda::DeviceArray<char> scratch(device, device.scratch_bytes(count));
  const cuda::WaitAtEnd wait(device, stream.get());
  char *there = memory.device.data(), *here = memory.host.data();
  return {
      best_rate(device, stream.get(), bytes,
                [&] { device.upload(there, here, bytes, stream.get()); }),
      best_rate(device, stream.get(), bytes,
                [&] { device.download(here, there, bytes, stream.get()); }),
      best_rate(device, stream.get(), bytes, [&] { device.fill(there, 1, bytes, stream.get()); }),
      // A running sum of numbers reads and writes each once.
      best_rate(device, stream.get(), 2 * bytes, [&] {
        device.launch(
            cuda::LengthSum{
                .view = {.counts = kernels::integers(reinterpret_cast<const std::uint32_t*>(there)),
                         .sums = sums.data(),
                         .count = count},
                .scratch = {scratch.data(), scratch.size()}},
            stream.get());
      })};
}

}  // namespace warpath::benchmark
