#pragma once

#include <string_view>
#include <vector>

#include "warpath/error.hpp"

namespace warpath::formats {

/// Splits the lines of a text into cells: at commas, or at spaces in a line without a comma. Spaces
/// and quotation marks around a cell are removed.
class TextTable {
 public:
  explicit TextTable(std::string_view text) : rest_(text) {}

  /// Goes to the next line that is not empty; returns false at the end.
  bool next();
  const std::vector<std::string_view>& cells() const { return cells_; }
  std::size_t line() const { return line_; }

 private:
  void split(std::string_view row);

  std::string_view rest_;
  std::vector<std::string_view> cells_;
  std::size_t line_ = 0;
};

/// Returns a finite number. @throws InputError
double finite_number(std::string_view cell, const InputError::Where& where,
                     std::string_view remedy);

}  // namespace warpath::formats
