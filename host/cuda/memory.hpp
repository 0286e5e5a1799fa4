#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "host/cuda/device.hpp"

// What a device gives is given back, whatever happens.

namespace warpath::cuda {

/// An array in the device's memory.
template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Device& device, std::size_t size)
      : device_(&device), data_(static_cast<T*>(device.allocate(size * sizeof(T)))), size_(size) {}
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    DeviceArray(std::move(other)).swap(*this);
    return *this;
  }
  ~DeviceArray() {
    if (data_ != nullptr) device_->release(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(DeviceArray& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An array in the host's memory, pinned.
template <class T>
class PinnedArray {
 public:
  PinnedArray() = default;
  PinnedArray(Device& device, std::size_t size)
      : device_(&device),
        data_(static_cast<T*>(device.allocate_pinned(size * sizeof(T)))),
        size_(size) {}
  PinnedArray(PinnedArray&& other) noexcept { swap(other); }
  PinnedArray& operator=(PinnedArray&& other) noexcept {
    PinnedArray(std::move(other)).swap(*this);
    return *this;
  }
  ~PinnedArray() {
    if (data_ != nullptr) device_->release_pinned(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  void swap(PinnedArray& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Both sides of what is uploaded.
template <class T>
struct Mirror {
  PinnedArray<T> host;
  DeviceArray<T> device;

  Mirror() = default;
  Mirror(Device& on, std::size_t size) : host(on, size), device(on, size) {}
  void upload(Device& on, std::size_t count, Stream stream) {
    if (count > 0) on.upload(device.data(), host.data(), count * sizeof(T), stream);
  }
  void download(Device& on, std::size_t count, Stream stream) {
    if (count > 0) on.download(host.data(), device.data(), count * sizeof(T), stream);
  }
};

class OwnedStream {
 public:
  explicit OwnedStream(Device& device) : device_(device), stream_(device.make_stream()) {}
  OwnedStream(const OwnedStream&) = delete;
  OwnedStream& operator=(const OwnedStream&) = delete;
  ~OwnedStream() { device_.release_stream(stream_); }

  Stream get() const { return stream_; }

 private:
  Device& device_;
  Stream stream_;
};

}  // namespace warpath::cuda
