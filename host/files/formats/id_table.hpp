#pragma once

#include <tbb/parallel_for.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/files/formats/text_hash.hpp"

namespace warpath::formats {

/// Finds numbers by ids that somebody else holds: `id_of(number)` returns them. Of equal ids the
/// lowest number is found.
class IdTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// @param ids how many are expected
  explicit IdTable(std::size_t ids = 0) : slots_(std::bit_ceil(2 * ids + 16)) {}

  /// Adds a number higher than those before. Returns false if one of these has its id.
  template <class IdOf>
  bool add(std::uint32_t number, const IdOf& id_of) {
    if (2 * size_ >= slots_.size()) grow();
    ++size_;
    return insert(number, id_of);
  }

  /// Adds the numbers below `count` to an empty table for so many, on all cores. Returns false if
  /// two have one id.
  template <class IdOf>
  bool add_all(std::uint32_t count, const IdOf& id_of) {
    std::atomic<bool> are_different = true;
    tbb::parallel_for(std::uint32_t{0}, count, [&](std::uint32_t number) {
      if (!insert(number, id_of)) are_different = false;
    });
    size_ = count;
    return are_different;
  }

  /// Returns the number that has an id; `none` if there is none.
  template <class IdOf>
  std::uint32_t find(std::string_view id, const IdOf& id_of) const {
    const std::uint32_t hash = hash_of(id);
    for (std::size_t s = hash & mask();; s = (s + 1) & mask()) {
      if (slots_[s] == 0) return none;
      if (hash_in(slots_[s]) == hash && id_of(number_in(slots_[s])) == id) {
        return number_in(slots_[s]);
      }
    }
  }

  /// Does the same where ids are asked for in about the order of their numbers. @pre all differ
  /// @param next the likely number; becomes the one behind that which is found
  template <class IdOf>
  std::uint32_t find_next(std::string_view id, const IdOf& id_of, std::uint32_t& next) const {
    if (next >= size_ || id_of(next) != id) {
      const std::uint32_t found = find(id, id_of);
      if (found == none) return none;
      next = found;
    }
    return next++;
  }

 private:
  // A slot has a hash in its upper half, and the number + 1 in the lower one; 0: it is free.
  static std::uint64_t slot_with(std::uint32_t hash, std::uint32_t number) {
    return std::uint64_t{hash} << 32 | (std::uint64_t{number} + 1);
  }
  static std::uint32_t hash_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot >> 32);
  }
  static std::uint32_t number_in(std::uint64_t slot) {
    return static_cast<std::uint32_t>(slot) - 1;
  }
  static std::uint32_t hash_of(std::string_view id) {
    return static_cast<std::uint32_t>(text_hash(id));
  }
  std::size_t mask() const { return slots_.size() - 1; }

  // Several threads may insert numbers at the same time.
  template <class IdOf>
  bool insert(std::uint32_t number, const IdOf& id_of) {
    const std::string_view id = id_of(number);
    const std::uint32_t hash = hash_of(id);
    const std::uint64_t wanted = slot_with(hash, number);
    for (std::size_t s = hash & mask();; s = (s + 1) & mask()) {
      const std::atomic_ref slot(slots_[s]);
      std::uint64_t found = slot.load(std::memory_order_relaxed);
      if (found == 0 && slot.compare_exchange_strong(found, wanted)) return true;
      if (hash_in(found) != hash || id_of(number_in(found)) != id) continue;
      while (number_in(found) > number && !slot.compare_exchange_strong(found, wanted)) {
      }
      return false;
    }
  }

  void grow() {
    std::vector<std::uint64_t> old(2 * slots_.size());
    old.swap(slots_);
    for (const std::uint64_t slot : old) {
      if (slot == 0) continue;
      std::size_t s = hash_in(slot) & mask();
      while (slots_[s] != 0) s = (s + 1) & mask();
      slots_[s] = slot;
    }
  }

  std::vector<std::uint64_t> slots_;
  std::size_t size_ = 0;
};

}  // namespace warpath::formats
