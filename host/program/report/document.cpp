#include "host/program/report/document.hpp"

#include <fmt/format.h>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/wrap.hpp"

namespace warpath::report {

void Document::add_input(std::string_view file, std::string_view description) {
  inputs.push_back(fmt::format("{}: {}", file, description));
}

std::string note_lines(const std::vector<std::string>& notes, int width) {
  std::string lines;
  for (const std::string& note : notes) {
    const std::string line = base::clean_text(note);
    lines += width > 0 ? io::wrap(line, width, "", "  ") : line + '\n';
  }
  return lines;
}

PrintedReport render(const Document& document, const PrintOptions& options) {
  PrintedReport printed;
  printed.inputs = note_lines(document.inputs, 0);
  for (const Table& table : document.tables) {
    if (!printed.tables.empty()) printed.tables += '\n';
    printed.tables += table.render(options.style, options.layout);
  }
  const int width = options.is_terminal ? options.layout.max_width : 0;
  printed.notes = note_lines(document.notes, width);
  if (options.style == Table::Style::latex) {
    for (const std::string& comment : document.comments)
      printed.tables += fmt::format("% warpath {}\n", base::clean_text(comment));
    printed.notes += note_lines({"LaTeX: \\usepackage{booktabs}"}, width);
  }
  return printed;
}

}  // namespace warpath::report
