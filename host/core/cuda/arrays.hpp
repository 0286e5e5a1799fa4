#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "host/core/cuda/device.hpp"

// Arrays and streams of a device. Their destructors release them; those of arrays wait for nothing.
// So a stream, or a WaitAtEnd, is declared behind the arrays that its work uses.

namespace warpath::cuda {

/// Says where an array lies: in the device's memory, or in pinned host memory, which the device can
/// copy.
enum class Memory { device, pinned };

template <class T, Memory memory>
class Array {
 public:
  Array() = default;
  Array(Device& device, std::size_t size)
      : device_(&device),
        data_(static_cast<T*>(memory == Memory::device ? device.allocate(size * sizeof(T))
                                                       : device.allocate_pinned(size * sizeof(T)))),
        size_(size) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  ~Array() {
    if (data_ == nullptr) return;
    memory == Memory::device ? device_->release(data_) : device_->release_pinned(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const requires(memory == Memory::pinned) { return data_[i]; }

 private:
  void swap(Array& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class T>
using DeviceArray = Array<T, Memory::device>;
template <class T>
using PinnedArray = Array<T, Memory::pinned>;

/// Copies the first `count` elements of pinned memory to the device's memory.
template <class Host, class OnDevice>
void upload(Device& device, const Host& from, const OnDevice& to, std::size_t count,
            Stream stream) {
  if (count > 0) device.upload(to.data(), from.data(), count * sizeof(*to.data()), stream);
}
/// Copies the first `count` elements of the device's memory to pinned memory.
template <class OnDevice, class Host>
void download(Device& device, const OnDevice& from, const Host& to, std::size_t count,
              Stream stream) {
  if (count > 0) device.download(to.data(), from.data(), count * sizeof(*to.data()), stream);
}

/// Owns an array of the device's memory and one of pinned memory to copy from or to.
template <class T>
struct HostDeviceArray {
  PinnedArray<T> host;
  DeviceArray<T> device;

  HostDeviceArray() = default;
  HostDeviceArray(Device& on, std::size_t size) : host(on, size), device(on, size) {}
  void upload(Device& on, std::size_t count, Stream stream) {
    cuda::upload(on, host, device, count, stream);
  }
  void download(Device& on, std::size_t count, Stream stream) {
    cuda::download(on, device, host, count, stream);
  }
};

/// Names an array of the device's memory and one of pinned memory that another object owns.
template <class T>
struct HostDeviceSpan {
  std::span<T> host, device;

  void upload(Device& on, std::size_t count, Stream stream) {
    cuda::upload(on, host, device, count, stream);
  }
  void download(Device& on, std::size_t count, Stream stream) {
    cuda::download(on, device, host, count, stream);
  }
};

class UniqueStream {
 public:
  explicit UniqueStream(Device& device) : device_(device), stream_(device.make_stream()) {}
  UniqueStream(const UniqueStream&) = delete;
  UniqueStream& operator=(const UniqueStream&) = delete;
  ~UniqueStream() { device_.release_stream(stream_); }

  Stream get() const { return stream_; }

 private:
  Device& device_;
  Stream stream_;
};

/// Owns streams beside another one, for kernels that may run at the same time.
class SideStreams {
 public:
  explicit SideStreams(Device& device)
      : first_(device),
        second_(device),
        third_(device),
        all_{first_.get(), second_.get(), third_.get()} {}

  std::span<const Stream> get() const { return all_; }

 private:
  UniqueStream first_, second_, third_;
  std::array<Stream, 3> all_;
};

/// Waits for a stream at the end of its scope, also if an error ends it.
class WaitAtEnd {
 public:
  WaitAtEnd(Device& device, Stream stream) : device_(device), stream_(stream) {}
  WaitAtEnd(const WaitAtEnd&) = delete;
  WaitAtEnd& operator=(const WaitAtEnd&) = delete;
  ~WaitAtEnd() { device_.wait_quietly(stream_); }

 private:
  Device& device_;
  Stream stream_;
};

/// Copies values to the device through pinned memory, which is released afterwards.
template <class T>
DeviceArray<T> uploaded(Device& device, const auto& values, Stream stream) {
  HostDeviceArray<T> copy(device, std::size(values));
  const WaitAtEnd wait(device, stream);
  std::ranges::transform(values, copy.host.data(), [](const auto& v) { return static_cast<T>(v); });
  copy.upload(device, std::size(values), stream);
  device.wait(stream);
  return std::move(copy.device);
}

}  // namespace warpath::cuda
