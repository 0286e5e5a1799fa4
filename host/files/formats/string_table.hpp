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
    for (std::size_t s = hash & (slots_.size() - 1);; s = (s + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[s];
      if (slot.token == empty) {
        const auto token = static_cast<Token>(strings_.size());
        slot = {hash, strings_.emplace_back(text).data(), text.size(), token};
        return token;
      }
      const bool is_same = slot.hash == hash && slot.size == text.size() &&
                           equal_texts(slot.text, text.data(), text.size());
      if (is_same) return slot.token;
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
  static constexpr Token empty = ~Token{0};
  struct Slot {
    std::uint64_t hash = 0;
    const char* text = nullptr;  // of strings_, which stay where they are
    std::size_t size = 0;
    Token token = empty;
  };

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(1024, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.token == empty) continue;
      std::size_t s = slot.hash & (slots_.size() - 1);
      while (slots_[s].token != empty) s = (s + 1) & (slots_.size() - 1);
      slots_[s] = slot;
    }
  }

  std::deque<std::string> strings_;
  std::vector<Slot> slots_;
};

}  // namespace warpath::formats
