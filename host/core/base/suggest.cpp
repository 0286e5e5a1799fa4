#include "host/core/base/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace warpath::base {
namespace {

char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Counts the edits between two words: letters added, left out, replaced or swapped with the next.
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last, row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower_letter(a[i - 1]) == lower_letter(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower_letter(a[i - 1]) == lower_letter(b[j - 2]) &&
                           lower_letter(a[i - 2]) == lower_letter(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

// Tells whether the word is the beginning of a name, as if typed half.
bool begins(std::string_view name, std::string_view wanted) {
  return wanted.size() >= 3 && name.size() > wanted.size() &&
         equal_letters(name.substr(0, wanted.size()), wanted);
}

}  // namespace

bool equal_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower_letter, lower_letter);
}

std::string_view suggest(std::string_view wanted, std::span<const std::string_view> names) {
  constexpr std::size_t max_letters = 64;  // names are shorter
  if (wanted.size() > max_letters) return {};
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(wanted.size(), 3) / 3 + 1;
  for (const std::string_view name : names) {
    if (begins(name, wanted)) return name;
    const std::size_t edits = edits_between(wanted, name);
    if (edits < fewest && edits < wanted.size()) {
      fewest = edits;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string_view meant = suggest(wanted, names);
  return meant.empty() ? "" : fmt::format("did you mean {}?", meant);
}

std::string no_such(std::string_view kind, std::string_view wanted,
                    std::span<const std::string_view> names) {
  const std::string question = did_you_mean(wanted, names);
  return fmt::format("no {} '{}'; {}{}there are {}", kind, wanted, question,
                     question.empty() ? "" : " ", fmt::join(names, ", "));
}

}  // namespace warpath::base
