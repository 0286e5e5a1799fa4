#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/formats/text_hash.hpp"

namespace warpath::formats {

/// Number of a viewpoint's name; equal names have the same token in all files of a run.
using Token = std::uint32_t;

/// Numbers strings in the order of their first occurrence. A look-up is one probe into a flat
/// table: reading a prediction file spends its time in the JSON parser, not here.
class StringTable {
 public:
  StringTable() = default;
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;
  StringTable(const StringTable&) = delete;  // slots say where the strings lie

  Token intern(std::string_view text) {
    if (2 * strings_.size() >= slots_.size()) grow();
    const std::uint64_t hash = text_hash(text);
    for (std::size_t s = hash & mask();; s = (s + 1) & mask()) {
      const Slot& slot = slots_[s];
      if (slot.text == nullptr) return add(text, hash, s);
      if (slot.tag == tag_of(hash) && slot.size == size_of(text) && is_in(slot, text))
        return slot.token;
    }
  }

  const std::string& operator[](Token token) const { return strings_[token]; }
  std::size_t size() const { return strings_.size(); }

  /// Forgets all strings, and keeps memory for new ones.
  void clear() {
    strings_.clear();
    std::ranges::fill(slots_, Slot{});
  }

 private:
  // Small, since each look-up goes to another one.
  struct Slot {
    const char* text = nullptr;  // of strings_, which stay where they are; null: it is free
    Token token = 0;
    std::uint16_t size = 0, tag = 0;  // at most max_size; a part of the hash
  };
  static constexpr std::uint16_t max_size = 0xffff;

  static std::uint16_t tag_of(std::uint64_t hash) { return static_cast<std::uint16_t>(hash >> 48); }
  static std::uint16_t size_of(std::string_view text) {
    return static_cast<std::uint16_t>(std::min<std::size_t>(text.size(), max_size));
  }
  std::size_t mask() const { return slots_.size() - 1; }

  bool is_in(const Slot& slot, std::string_view text) const {
    if (slot.size == max_size) return strings_[slot.token] == text;
    return equal_texts(slot.text, text.data(), text.size());
  }

  Token add(std::string_view text, std::uint64_t hash, std::size_t slot) {
    const auto token = static_cast<Token>(strings_.size());
    slots_[slot] = {strings_.emplace_back(text).data(), token, size_of(text), tag_of(hash)};
    return token;
  }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.text == nullptr) continue;
      std::size_t s = text_hash(strings_[slot.token]) & mask();
      while (slots_[s].text != nullptr) s = (s + 1) & mask();
      slots_[s] = slot;
    }
  }

  std::deque<std::string> strings_;
  std::vector<Slot> slots_;
};

}  // namespace warpath::formats
