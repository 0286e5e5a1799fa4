#pragma once

#include <cstddef>
#include <span>

#include "host/core/cuda/arrays.hpp"

namespace warpath::cuda {

/// Sizes of an arena's two blocks, in bytes.
struct ArenaBytes {
  std::size_t device = 0, pinned = 0;
};

/// Places arrays one after the other in a block of the device's memory and a block of pinned
/// memory, each array 256-byte aligned. Without blocks it only sums the bytes, so that one list of
/// arrays defines both their memory and where each lies.
class ArenaLayout {
 public:
  ArenaLayout() = default;
  /// @pre the blocks have the sizes that the same list sums up to without blocks
  /// @param owner the device of the blocks, told of the gaps between arrays; null: it is not told
  ArenaLayout(char* device_block, char* pinned_block, Device* owner)
      : device_block_(device_block), pinned_block_(pinned_block), owner_(owner) {}

  /// Gives `array` the next `count` elements; an empty array gets no address.
  template <class T>
  void add_device(std::span<T>& array, std::size_t count) {
    array = next<T>(device_block_, bytes_.device, count);
  }
  template <class T>
  void add_pinned(std::span<T>& array, std::size_t count) {
    array = next<T>(pinned_block_, bytes_.pinned, count);
  }
  template <class T>
  void add(HostDeviceSpan<T>& arrays, std::size_t count) {
    add_pinned(arrays.host, count);
    add_device(arrays.device, count);
  }

  /// Returns the bytes of all arrays so far.
  const ArenaBytes& bytes() const { return bytes_; }

 private:
  template <class T>
  std::span<T> next(char* block, std::size_t& used, std::size_t count) {
    constexpr std::size_t alignment = 256;
    static_assert(alignof(T) <= alignment);
    if (count == 0) return {};
    const std::size_t begin = used, end = begin + count * sizeof(T);
    used = (end + alignment - 1) / alignment * alignment;
    if (block == nullptr) return {static_cast<T*>(nullptr), count};
    if (owner_ != nullptr) owner_->forbid(block + end, used - end);
    return {reinterpret_cast<T*>(block + begin), count};
  }

  char *device_block_ = nullptr, *pinned_block_ = nullptr;
  Device* owner_ = nullptr;
  ArenaBytes bytes_;
};

/// Returns the bytes of the arrays that Arrays::list(layout, capacity) adds.
template <class Arrays, class Capacity>
ArenaBytes arena_bytes(const Capacity& capacity) {
  ArenaLayout layout;
  Arrays().list(layout, capacity);
  return layout.bytes();
}

/// Owns the memory of Arrays: one allocation on the device, and one of pinned memory.
template <class Arrays>
class Arena {
 public:
  template <class Capacity>
  Arena(Device& device, const Capacity& capacity)
      : Arena(device, capacity, arena_bytes<Arrays>(capacity)) {}

  Arrays& operator*() { return arrays_; }
  const Arrays& operator*() const { return arrays_; }
  Arrays* operator->() { return &arrays_; }
  const Arrays* operator->() const { return &arrays_; }

 private:
  template <class Capacity>
  Arena(Device& device, const Capacity& capacity, const ArenaBytes& bytes)
      : device_block_(device, bytes.device), pinned_block_(device, bytes.pinned) {
    ArenaLayout layout(device_block_.data(), pinned_block_.data(), &device);
    arrays_.list(layout, capacity);
  }

  DeviceArray<char> device_block_;
  PinnedArray<char> pinned_block_;
  Arrays arrays_;
};

}  // namespace warpath::cuda
