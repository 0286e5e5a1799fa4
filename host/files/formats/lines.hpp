#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace warpath::formats {

/// Spaces between the values of JSON.
inline constexpr std::string_view json_spaces = " \t\r\n";

/// Iterates over the lines of a text that contain more than spaces.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {}

  /// Goes to the next line; returns false at the end of the text.
  bool next() {
    while (next_ < text_.size()) {
      begin = next_;
      end = std::min(text_.find('\n', begin), text_.size());
      next_ = end + 1;
      ++number;
      const std::string_view line = text_.substr(begin, end - begin);
      if (line.find_first_not_of(" \t\r") != line.npos) return true;
    }
    return false;
  }

  std::size_t begin = 0, end = 0;  ///< of the line within the text, without its newline
  std::size_t number = 0;          ///< counts from 1

 private:
  std::string_view text_;
  std::size_t next_ = 0;
};

/// Tells whether a text is JSON Lines: no document has a line that ends with } followed by one
/// that begins with {.
inline bool holds_lines(std::string_view text) {
  if (text.substr(std::min(text.find_first_not_of(json_spaces), text.size()), 1) != "{")
    return false;
  Lines lines(text);
  lines.next();
  if (text[text.find_last_not_of(json_spaces, lines.end - 1)] != '}') return false;
  return lines.next() && text[text.find_first_not_of(json_spaces, lines.begin)] == '{';
}

struct Line {
  std::size_t number, begin;  ///< counts from 1; within the text
};

/// Puts commas in the place of the newlines between the lines of a text, and returns the lines.
inline std::vector<Line> join_lines(char* text, std::size_t size) {
  std::vector<Line> found;
  for (Lines lines({text, size}); lines.next();) found.push_back({lines.number, lines.begin});
  for (std::size_t l = 1; l < found.size(); ++l) text[found[l].begin - 1] = ',';
  return found;
}

}  // namespace warpath::formats
