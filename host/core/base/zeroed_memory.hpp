#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace warpath::base {

/// Gives a vector memory of zeros. New elements are left as they are, so that pages which nobody
/// writes to are never taken.
template <class T>
struct ZeroedMemory {
  using value_type = T;

  ZeroedMemory() = default;
  template <class U>
  ZeroedMemory(const ZeroedMemory<U>&) {}

  /// @throws std::bad_alloc
  T* allocate(std::size_t count) {
    void* const memory = std::calloc(count, sizeof(T));
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  template <class U>
  void construct(U*) {}
  template <class U, class Value>
  void construct(U* element, Value&& value) {
    std::construct_at(element, std::forward<Value>(value));
  }

  bool operator==(const ZeroedMemory&) const = default;
};

/// A vector of numbers: those of a new one are 0 and take no memory before they are written.
template <class T>
using ZeroedVector = std::vector<T, ZeroedMemory<T>>;

}  // namespace warpath::base
