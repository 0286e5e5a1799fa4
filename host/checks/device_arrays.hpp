#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "host/core/cuda/arrays.hpp"
#include "warpath/views.hpp"

namespace warpath::checks {

/// An array on a device, null without values. What is written is there when the call returns.
template <class T>
class ArrayOnDevice {
 public:
  ArrayOnDevice(cuda::Device& device, const std::vector<T>& values) : device_(device) {
    if (values.empty()) return;
    memory_ = {device, values.size()};
    write(values);
  }
  void write(const std::vector<T>& values) {
    cuda::PinnedArray<T> copy(device_, values.size());
    const cuda::UniqueStream stream(device_);
    std::ranges::copy(values, copy.data());
    cuda::upload(device_, copy, memory_, values.size(), stream.get());
    device_.wait(stream.get());
  }
  /// Returns what is there when the stream has done what it was given.
  std::vector<T> read(cuda::Stream stream) const {
    const cuda::PinnedArray<T> copy(device_, memory_.size());
    cuda::download(device_, memory_, copy, memory_.size(), stream);
    device_.wait(stream);
    return {copy.data(), copy.data() + memory_.size()};
  }
  T* data() const { return memory_.data(); }

 private:
  cuda::Device& device_;
  cuda::DeviceArray<T> memory_;
};

/// Floats on a device.
struct FloatsOnDevice : ArrayOnDevice<float> {
  using ArrayOnDevice<float>::ArrayOnDevice;
  /// A value that no result has.
  static constexpr float unwritten = -7.0f;
  /// Makes floats that are `unwritten`.
  FloatsOnDevice(cuda::Device& device, std::size_t size)
      : ArrayOnDevice(device, std::vector<float>(size, unwritten)) {}
};

/// Integers of 1, 2, 4 or 8 bytes in host memory: the lowest bytes of each value.
struct HostIntegers {
  std::vector<std::uint8_t> bytes;
  std::uint8_t width = 4;

  HostIntegers() = default;
  HostIntegers(const std::vector<std::int64_t>& values, std::uint8_t width_of_each)
      : bytes(values.size() * width_of_each), width(width_of_each) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      std::memcpy(bytes.data() + k * width, &values[k], width);
    }
  }
  operator Integers() const { return {bytes.data(), width}; }
};

/// The same on a device.
class IntegersOnDevice {
 public:
  IntegersOnDevice(cuda::Device& device, const std::vector<std::int64_t>& values,
                   std::uint8_t width)
      : width_(width), bytes_(device, HostIntegers(values, width).bytes) {}
  void write(const std::vector<std::int64_t>& values) {
    bytes_.write(HostIntegers(values, width_).bytes);
  }
  operator Integers() const { return {bytes_.data(), width_}; }
  const std::uint8_t* bytes() const { return bytes_.data(); }

 private:
  std::uint8_t width_;
  ArrayOnDevice<std::uint8_t> bytes_;
};

}  // namespace warpath::checks
