#pragma once

#include <algorithm>
#include <array>
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

/// Keeps where a writer wrote its last numbers.
class RecentNumbers {
 public:
  struct Place {
    std::uint64_t bits = 0;  ///< of the number
    std::size_t begin = 0, size = 0;
  };

  /// Returns the place of a number, or of another one.
  Place& likely(std::uint64_t bits) { return places_[bits * 0x9e3779b97f4a7c15u >> 56]; }

 private:
  std::array<Place, 256> places_{};
};

/// Writes a CSV cell by cell. Parts of a table can be written at the same time, each by its own
/// writer.
class CsvWriter {
 public:
  /// @param bytes how many are expected
  explicit CsvWriter(const CsvOptions& options = {}, std::size_t bytes = 0)
      : options_(options), csv_(bytes, '\0') {}

  /// Writes the names of the columns. @param names with commas between them
  void header(std::string_view names) {
    rows(names);
    rows("\n");
  }

  /// Writes a text: cleaned for a terminal, in quotes where it needs them.
  void text(std::string_view cell);
  /// Writes a text that needs no quotes, such as a metric's name.
  void word(std::string_view cell) {
    char* const to = room(cell.size() + 1);
    std::copy(cell.begin(), cell.end(), to);
    to[cell.size()] = ',';
    size_ += cell.size() + 1;
  }
  void count(std::uint64_t cell) { word(std::to_string(cell)); }
  /// Writes a number as append_csv_number() does; one that is absent or not finite is left empty.
  void number(std::optional<double> cell, bool is_double);
  /// The same where numbers often equal one of the last: items of a reference or of a tour stand
  /// together, and metrics of an item agree. @param recent of this writer and `is_double`
  void number(double cell, bool is_double, RecentNumbers& recent);
  /// Leaves cells empty.
  void missing(std::size_t cells = 1) {
    std::fill_n(room(cells), cells, ',');
    size_ += cells;
  }
  /// Ends a row, which has at least one cell.
  void end_row() { csv_[size_ - 1] = '\n'; }

  /// Adds rows that another writer wrote.
  void rows(std::string_view csv) {
    std::copy(csv.begin(), csv.end(), room(csv.size()));
    size_ += csv.size();
  }
  std::string take() {
    csv_.resize(size_);
    return std::move(csv_);
  }

 private:
  // Returns the end of what was written, with room for so many characters behind it.
  char* room(std::size_t bytes) {
    if (csv_.size() - size_ < bytes) csv_.resize(2 * csv_.size() + bytes);
    return csv_.data() + size_;
  }

  CsvOptions options_;
  std::string csv_;  // with room at its end
  std::size_t size_ = 0;
};

}  // namespace warpath::report
