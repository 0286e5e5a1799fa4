#pragma once

#include <cstdint>
#include <vector>

#include "host/files/formats/episode_data.hpp"
#include "host/files/formats/string_table.hpp"
#include "warpath/paths.hpp"

namespace warpath::formats {

template <class T>
void append_paths(PathStore<T>& paths, const PathStore<T>& more) {
  const std::uint64_t before = paths.elements.size();
  paths.elements.insert(paths.elements.end(), more.elements.begin(), more.elements.end());
  for (std::size_t p = 1; p < more.offsets.size(); ++p) {
    paths.offsets.push_back(before + more.offsets[p]);
  }
}

inline void append_to(PositionData& data, const PositionData& more) {
  append_paths(data.points, more.points);
  append_paths(data.distances, more.distances);
  data.paths.insert(data.paths.end(), more.paths.begin(), more.paths.end());
}

/// Numbers the strings of another table, and returns the number of each.
inline std::vector<Token> intern_all(const StringTable& more, StringTable& table) {
  std::vector<Token> numbers;
  numbers.reserve(more.size());
  for (Token t = 0; t < more.size(); ++t) numbers.push_back(table.intern(more[t]));
  return numbers;
}

/// Replaces the numbers of one table by those of another.
inline void renumber(const std::vector<Token>& numbers, PathStore<Token>& paths) {
  for (Token& token : paths.elements) token = numbers[token];
}

}  // namespace warpath::formats
