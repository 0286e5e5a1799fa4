#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace warpath::formats {

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

}  // namespace warpath::formats
