#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace warpath::formats {

/// Finds numbers by ids that somebody else holds: `id_of(number)` returns them.
class IdTable {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// @param ids how many are expected
  explicit IdTable(std::size_t ids = 0) : slots_(std::bit_ceil(2 * ids + 16)) {}

  /// Adds a number. Returns false if an earlier one has its id, which stays.
  template <class IdOf>
  bool add(std::uint32_t number, const IdOf& id_of) {
    if (2 * size_ >= slots_.size()) grow();
    const std::uint32_t hash = hash_of(id_of(number));
    Slot& slot = slots_[slot_of(hash, id_of(number), id_of)];
    if (slot.number != none) return false;
    slot = {hash, number};
    ++size_;
    return true;
  }

  /// Returns the number that has an id; `none` if there is none.
  template <class IdOf>
  std::uint32_t find(std::string_view id, const IdOf& id_of) const {
    return slots_[slot_of(hash_of(id), id, id_of)].number;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0, number = none;
  };

  static std::uint32_t hash_of(std::string_view id) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(id));
  }

  // Returns the slot of an id, or the free one for it.
  template <class IdOf>
  std::size_t slot_of(std::uint32_t hash, std::string_view id, const IdOf& id_of) const {
    std::size_t s = hash & (slots_.size() - 1);
    while (slots_[s].number != none &&
           !(slots_[s].hash == hash && std::string_view(id_of(slots_[s].number)) == id)) {
      s = (s + 1) & (slots_.size() - 1);
    }
    return s;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number == none) continue;
      std::size_t s = slot.hash & (slots_.size() - 1);
      while (slots_[s].number != none) s = (s + 1) & (slots_.size() - 1);
      slots_[s] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace warpath::formats
