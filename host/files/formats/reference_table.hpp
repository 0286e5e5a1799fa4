#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/files/formats/text_hash.hpp"
#include "host/files/formats/trajectory.hpp"

namespace warpath::formats {

/// Stores equal references once: they share a distance table and are one cluster of a confidence
/// interval.
class ReferenceTable {
 public:
  /// @param paths the references; nothing else may append to them.
  explicit ReferenceTable(NamedPaths& paths) : paths_(paths) {}

  /// Returns the number of the path that was appended last. If the same scan has an equal path, the
  /// new one is removed and the number of the old one returned.
  std::uint32_t share_last(std::uint32_t scan) {
    if (2 * paths_.size() >= slots_.size()) grow();
    const auto last = static_cast<std::uint32_t>(paths_.size() - 1);
    scans_.push_back(scan);
    const std::uint32_t hash = hash_of(last);
    Slot& slot = slot_of(hash, last);
    if (slot.path == empty) {
      slot = {hash, last};
      return last;
    }
    scans_.pop_back();
    paths_.offsets.pop_back();
    paths_.elements.resize(paths_.offsets.back());
    return slot.path;
  }

  std::uint32_t scan_of(std::uint32_t path) const { return scans_[path]; }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t path = empty;
  };

  std::uint32_t hash_of(std::uint32_t path) const {
    const auto nodes = paths_[path];
    const std::string_view bytes(reinterpret_cast<const char*>(nodes.data()), nodes.size_bytes());
    return static_cast<std::uint32_t>(text_hash(bytes)) + scans_[path];
  }

  bool is_same(std::uint32_t a, std::uint32_t b) const {
    return scans_[a] == scans_[b] && std::ranges::equal(paths_[a], paths_[b]);
  }

  // Returns the slot of the path, or the free slot for it.
  Slot& slot_of(std::uint32_t hash, std::uint32_t path) {
    std::size_t s = hash & (slots_.size() - 1);
    while (slots_[s].path != empty && !(slots_[s].hash == hash && is_same(slots_[s].path, path))) {
      s = (s + 1) & (slots_.size() - 1);
    }
    return slots_[s];
  }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.path != empty) slot_of(slot.hash, slot.path) = slot;
    }
  }

  NamedPaths& paths_;
  std::vector<std::uint32_t> scans_;  // by path
  std::vector<Slot> slots_;
};

}  // namespace warpath::formats
