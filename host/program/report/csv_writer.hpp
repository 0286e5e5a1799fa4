#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace warpath::report {

struct CsvOptions {
  bool is_terminal = false;  ///< control characters are removed from cells
};

/// Appends a number in the shortest form that reads back the same in the precision that it was
/// computed in: more digits than a float has would suggest a precision that was not computed.
void append_csv_number(double value, bool is_double, std::string& csv);

/// Keeps where a writer wrote the last number of a column.
struct NumberAbove {
  std::uint64_t bits = 0;  ///< of the number
  std::size_t begin = 0, size = 0;
};

/// Writes a CSV cell by cell. Parts of a table can be written at the same time, each by its own
/// writer.
class CsvWriter {
 public:
  /// @param bytes how many are expected
  explicit CsvWriter(const CsvOptions& options = {}, std::size_t bytes = 0) : options_(options) {
    csv_.reserve(bytes);
  }

  /// Writes the names of the columns. @param names with commas between them
  void header(std::string_view names) { csv_.append(names) += '\n'; }

  /// Writes a text: cleaned for a terminal, in quotes where it needs them.
  void text(std::string_view cell);
  /// Writes a text that needs no quotes, such as a metric's name.
  void word(std::string_view cell) { csv_.append(cell) += ','; }
  void count(std::uint64_t cell) { word(std::to_string(cell)); }
  /// Writes a number as append_csv_number() does; one that is absent or not finite is left empty.
  void number(std::optional<double> cell, bool is_double);
  /// The same of a column whose numbers often equal the one above: items of a reference or of a
  /// tour stand together. Equal ones are made once. @param above of this writer and column
  void number(double cell, bool is_double, NumberAbove& above);
  /// Leaves cells empty.
  void missing(std::size_t cells = 1) { csv_.append(cells, ','); }
  /// Ends a row, which has at least one cell.
  void end_row() { csv_.back() = '\n'; }

  /// Adds rows that another writer wrote.
  void rows(std::string_view csv) { csv_ += csv; }
  std::string take() { return std::move(csv_); }

 private:
  CsvOptions options_;
  std::string csv_;
};

}  // namespace warpath::report
