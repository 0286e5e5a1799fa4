#pragma once

#include <string>
#include <vector>

namespace warpath {

/// A table to print: a header and rows of equally many cells.
struct Table {
  enum class Style { text, markdown, latex };

  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  /// The first column is flush left, the others right. Every line ends with a newline.
  std::string render(Style style) const;
};

}  // namespace warpath
