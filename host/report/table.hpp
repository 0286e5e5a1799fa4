#pragma once

#include <string>
#include <vector>

namespace warpath {

/// A table to print: a header and rows of equally many cells.
struct Table {
  enum class Style { text, markdown, latex };

  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string align{};  ///< "lrr…" by column; a column behind its end is flush right, "" is "l"

  /// Every line ends with a newline.
  std::string render(Style style) const;

 private:
  bool is_left(std::size_t column) const {
    return column < align.size() ? align[column] == 'l' : align.empty() && column == 0;
  }
};

}  // namespace warpath
