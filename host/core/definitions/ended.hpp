#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "host/core/base/suggest.hpp"
#include "warpath/convention.hpp"

namespace warpath::definitions {

/// Holds the setting `ended`: which endings of episodes are scored, and what becomes of others.
struct Ended {
  std::string names;  ///< with commas between them; empty: any
  Missing others = Missing::skip;

  bool takes(std::string_view ending) const {
    std::string_view rest = names;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      if (rest.substr(0, end) == ending) return true;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return names.empty();
  }
  /// Returns the text that read_ended() reads.
  std::string text() const {
    if (names.empty()) return "any";
    return names + (others == Missing::zero ? ":zero" : others == Missing::error ? ":error" : "");
  }
};

/// Tells whether a text can name an ending: one without `any`, blanks around it, control characters
/// and the signs that separate names elsewhere.
inline bool is_ending(std::string_view name) {
  const auto is_refused = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '|' || c == ':';
  };
  return !name.empty() && name.front() != ' ' && name.back() != ' ' &&
         std::ranges::none_of(name, is_refused) && !base::equal_letters(name, "any");
}

/// Reads "any", or names and what becomes of others. Returns nothing for any other text.
inline std::optional<Ended> read_ended(std::string_view text) {
  if (base::equal_letters(text, "any")) return Ended{};
  Ended ended;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view others = text.substr(colon + 1);
    if (base::equal_letters(others, "zero")) {
      ended.others = Missing::zero;
    } else if (base::equal_letters(others, "error")) {
      ended.others = Missing::error;
    } else if (!base::equal_letters(others, "skip")) {
      return std::nullopt;
    }
    text = text.substr(0, colon);
  }
  ended.names = text;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    if (!is_ending(text.substr(0, end))) return std::nullopt;
    if (end == text.size()) return ended;
    text.remove_prefix(end + 1);
  }
}

}  // namespace warpath::definitions
