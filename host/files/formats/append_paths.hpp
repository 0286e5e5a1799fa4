#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "host/core/base/large_pages.hpp"
#include "host/files/formats/episode_data.hpp"
#include "host/files/formats/string_table.hpp"
#include "warpath/paths.hpp"

namespace warpath::formats {

/// Makes room in a list that grows by a part of a file after the other: once for what the whole
/// file will have, and half as much again, of which nothing is used. A list that doubles its room
/// would be in memory twice.
/// @param part_read which part of the file the list has with `more` elements, above 0 to 1
template <class T>
void make_room(std::vector<T>& list, std::size_t more, double part_read) {
  const std::size_t size = list.size() + more;
  if (size <= list.capacity()) return;
  try {
    list.reserve(static_cast<std::size_t>(1.5 * static_cast<double>(size) / part_read));
    base::take_large_pages(list);
  } catch (const std::bad_alloc&) {
    // It was only an estimate.
  }
}

template <class T>
void append_paths(PathStore<T>& paths, const PathStore<T>& more, double part_read = 1.0) {
  const std::uint64_t before = paths.elements.size();
  make_room(paths.elements, more.elements.size(), part_read);
  make_room(paths.offsets, more.offsets.size(), part_read);
  paths.elements.insert(paths.elements.end(), more.elements.begin(), more.elements.end());
  for (std::size_t p = 1; p < more.offsets.size(); ++p) {
    paths.offsets.push_back(before + more.offsets[p]);
  }
}

inline void append_to(PositionData& data, const PositionData& more, double part_read = 1.0) {
  append_paths(data.points, more.points, part_read);
  append_paths(data.distances, more.distances, part_read);
  make_room(data.paths, more.paths.size(), part_read);
  data.paths.insert(data.paths.end(), more.paths.begin(), more.paths.end());
}

/// Numbers the strings of another table, which has grown since.
/// @param numbers of its strings, of those that had none by then at the end
inline void intern_new(const StringTable& more, StringTable& table, std::vector<Token>& numbers) {
  numbers.reserve(more.size());
  for (auto t = static_cast<Token>(numbers.size()); t < more.size(); ++t) {
    numbers.push_back(table.intern(more[t]));
  }
}

/// Numbers the strings of another table, and returns the number of each.
inline std::vector<Token> intern_all(const StringTable& more, StringTable& table) {
  std::vector<Token> numbers;
  intern_new(more, table, numbers);
  return numbers;
}

/// Replaces the numbers of one table by those of another.
inline void renumber(const std::vector<Token>& numbers, PathStore<Token>& paths) {
  for (Token& token : paths.elements) token = numbers[token];
}

}  // namespace warpath::formats
