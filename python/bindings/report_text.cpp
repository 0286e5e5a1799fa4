#include "python/bindings/report_text.hpp"

#include <algorithm>

#include "warpath/error.hpp"

namespace warpath::python {

report::PrintOptions print_options(const std::string& style, int width, bool percent, int digits,
                                   bool intervals) {
  report::PrintOptions options;
  if (style == "markdown") {
    options.style = report::Table::Style::markdown;
  } else if (style == "latex") {
    options.style = report::Table::Style::latex;
  } else if (style != "text") {
    throw UsageError("no style '" + style + "'; there are text, markdown, latex");
  }
  if (digits < 0 || digits > 15) throw UsageError("digits lie between 0 and 15");
  options.layout.max_width = std::max(width, 0);
  options.numbers = {digits, percent, intervals};
  return options;
}

}  // namespace warpath::python
