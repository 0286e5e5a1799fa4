#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "host/checks/selftest/compare.hpp"
#include "host/core/cuda/arrays.hpp"

namespace warpath::selftest {

/// Holds floats on a device.
class FloatsOnDevice {
 public:
  /// Makes floats that are all of one byte.
  FloatsOnDevice(cuda::Device& device, std::size_t size)
      : device_(device), memory_(device, size), stream_(device) {
    device.fill(memory_.device.data(), 0x7f, size * sizeof(float), stream_.get());
    device.wait(stream_.get());
  }
  FloatsOnDevice(cuda::Device& device, const std::vector<float>& values)
      : device_(device), memory_(device, values.size()), stream_(device) {
    std::ranges::copy(values, memory_.host.data());
    memory_.upload(device, values.size(), stream_.get());
    device.wait(stream_.get());
  }
  float* data() const { return memory_.device.data(); }
  void compare(const std::vector<float>& expected, Mismatches& found) {
    memory_.download(device_, expected.size(), stream_.get());
    device_.wait(stream_.get());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      found.add(same_bits(double{memory_.host[k]}, double{expected[k]}));
    }
  }

 private:
  cuda::Device& device_;
  cuda::HostDeviceArray<float> memory_;
  cuda::UniqueStream stream_;
};

}  // namespace warpath::selftest
