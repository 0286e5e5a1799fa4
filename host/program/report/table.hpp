#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpath::report {

/// Holds a table to print: a header and rows of equally many cells.
struct Table {
  enum class Style { text, markdown, latex };

  /// Says how to lay out a text table; Markdown and LaTeX do that by themselves.
  struct Layout {
    int max_width = 0;    ///< columns of characters; 0: no limit
    bool colour = false;  ///< bold is shown, with terminal codes
  };

  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string align{};  ///< "lrr…" by column; further columns are flush right, "" is "l"
  /// Number of bold bytes at the beginning of a cell, by row and column.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> bold{};
  bool repeats_last = false;  ///< the last column is repeated in every block

  /// Returns the table with every cell cleaned for its style. A text table that is too wide is
  /// folded into blocks of columns; each begins with the first column and has at least one other.
  /// LaTeX is a `tabular` with the rules of booktabs. Every line ends with a newline.
  std::string render(Style style, const Layout& layout) const;
  std::string render(Style style) const { return render(style, Layout()); }

 private:
  bool is_left(std::size_t column) const {
    return column < align.size() ? align[column] == 'l' : align.empty() && column == 0;
  }

  friend class TableWriter;
};

}  // namespace warpath::report
