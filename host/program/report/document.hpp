#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/program/report/estimate_text.hpp"
#include "host/program/report/table.hpp"

namespace warpath::report {

struct PrintOptions {
  Table::Style style = Table::Style::text;
  Table::Layout layout{80, false};
  NumberStyle numbers{};
  bool is_terminal = false;  ///< notes are folded; otherwise one line each
};

/// Holds a report for people, each text as it was read: render() cleans it.
struct Document {
  std::vector<std::string> inputs;  ///< the files that were read
  std::vector<Table> tables;
  std::vector<std::string> notes;     ///< the convention, problems with their remedies
  std::vector<std::string> comments;  ///< below tables of LaTeX, whose notes are not copied

  /// Adds the line that says how a file was read.
  void add_input(std::string_view file, std::string_view description);
};

/// Holds a rendered document in three parts of whole lines; a paper takes only the tables.
struct PrintedReport {
  std::string inputs, tables, notes;
};

/// Lays a document out: an empty line stands between tables, and LaTeX is told its package.
PrintedReport render(const Document& document, const PrintOptions& options);

/// Returns notes as lines, folded if the width is not 0.
std::string note_lines(const std::vector<std::string>& notes, int width);

}  // namespace warpath::report
