#include "host/benchmark/bandwidth.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "host/cuda/arrays.hpp"

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
  const cuda::UniqueStream stream(device);
  const cuda::HostDeviceArray<char> memory(device, bytes);
  std::memset(memory.host.data(), 1, bytes);
  const std::size_t lengths = bytes / 2;
  const cuda::DeviceArray<std::uint32_t> wide(device, lengths);
  char *there = memory.device.data(), *here = memory.host.data();
  return {
      best_rate(device, stream.get(), bytes,
                [&] { device.upload(there, here, bytes, stream.get()); }),
      best_rate(device, stream.get(), bytes,
                [&] { device.download(here, there, bytes, stream.get()); }),
      best_rate(device, stream.get(), bytes, [&] { device.fill(there, 1, bytes, stream.get()); }),
      // Reads 2 bytes and writes 4 of each length.
      best_rate(device, stream.get(), lengths * 6, [&] {
        device.launch(kernels::LengthsView{.count = static_cast<std::uint32_t>(lengths),
                                           .from = reinterpret_cast<std::uint16_t*>(there),
                                           .to = wide.data()},
                      stream.get());
      })};
}

}  // namespace warpath::benchmark
