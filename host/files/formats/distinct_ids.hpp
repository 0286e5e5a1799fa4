#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace warpath::formats {

/// Tells whether ids are distinct, of which nobody keeps the text: 11 to 22 bytes are kept of each.
class DistinctIds {
 public:
  /// Adds ids 0 to `count` − 1, on all cores. Returns false if two of all that were added are equal
  /// or, rarely, only have the same hash of 64 bits.
  template <class IdOf>
  bool add_all(std::size_t count, const IdOf& id_of) {
    reserve(size_ + count);
    size_ += count;
    std::atomic<bool> are_distinct = true;
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t k) {
      // 0 is a free slot, so one hash in 2^64 is moved.
      const std::uint64_t hash = std::hash<std::string_view>{}(id_of(k));
      if (!insert(std::max<std::uint64_t>(hash, 1))) are_distinct = false;
    });
    return are_distinct;
  }

 private:
  bool insert(std::uint64_t hash) {
    for (std::size_t s = hash & mask();; s = (s + 1) & mask()) {
      std::uint64_t found = 0;
      if (std::atomic_ref(slots_[s]).compare_exchange_strong(found, hash)) return true;
      if (found == hash) return false;
    }
  }

  // Keeps a quarter of the slots free.
  void reserve(std::size_t ids) {
    std::size_t slots = std::max<std::size_t>(1024, slots_.size());
    while (4 * ids > 3 * slots) slots *= 2;
    if (slots == slots_.size()) return;
    std::vector<std::uint64_t> old(slots);
    old.swap(slots_);
    for (const std::uint64_t hash : old) {
      if (hash != 0) insert(hash);
    }
  }

  std::size_t mask() const { return slots_.size() - 1; }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace warpath::formats
