#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpath {

/// A table to print: a header and rows of equally many cells.
struct Table {
  enum class Style { text, markdown, latex };

  /// How a text is laid out; Markdown and LaTeX do that by themselves.
  struct Layout {
    int max_width = 0;    ///< columns, or 0: as many as it takes
    bool colour = false;  ///< bold is shown, by the terminal's own codes
  };

  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string align{};  ///< "lrr…" by column; a column behind its end is flush right, "" is "l"
  /// How many bytes at the beginning of a cell are bold, by row and column.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> bold{};
  bool repeats_last = false;  ///< the last column stands in every block, too

  /// Returns the table with every cell cleaned for its style. A text that is too wide is folded
  /// into blocks of columns, each of which begins with the first column and has at least one other.
  /// LaTeX is a `tabular` with the rules of booktabs. Every line ends with a newline.
  std::string render(Style style, const Layout& layout) const;
  std::string render(Style style) const { return render(style, Layout()); }

 private:
  bool is_left(std::size_t column) const {
    return column < align.size() ? align[column] == 'l' : align.empty() && column == 0;
  }

  friend class TableWriter;
};

}  // namespace warpath
