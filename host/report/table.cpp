#include "host/report/table.hpp"

#include <algorithm>

#include "host/io/clean_text.hpp"

namespace warpath {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& cell, std::size_t columns, bool left) {
  const std::string space(columns - width(cell), ' ');
  return left ? cell + space : space + cell;
}

Markup markup_of(Table::Style style) {
  switch (style) {
    case Table::Style::markdown: return Markup::markdown;
    case Table::Style::latex: return Markup::latex;
    default: return Markup::text;
  }
}

struct Frame {
  std::string begin, between, end;
};

Frame frame(Table::Style style) {
  switch (style) {
    case Table::Style::markdown: return {"| ", " | ", " |\n"};
    case Table::Style::latex: return {"  ", " & ", " \\\\\n"};
    default: return {"  ", "   ", "\n"};
  }
}

}  // namespace

std::string Table::render(Style style) const {
  std::vector<std::vector<std::string>> lines{header};
  lines.insert(lines.end(), rows.begin(), rows.end());
  std::vector<std::size_t> widths(header.size(), 0);
  for (auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      line[c] = clean_text(line[c], markup_of(style));
      widths[c] = std::max(widths[c], width(line[c]));
    }
  }

  const Frame f = frame(style);
  std::string out;
  if (style == Style::latex) {
    std::string columns;
    for (std::size_t c = 0; c < header.size(); ++c) columns += is_left(c) ? 'l' : 'r';
    out = "\\begin{tabular}{" + columns + "}\n  \\hline\n";
  }
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string line = f.begin;
    for (std::size_t c = 0; c < lines[l].size(); ++c) {
      line += (c > 0 ? f.between : "") + padded(lines[l][c], widths[c], is_left(c));
    }
    if (style == Style::text) line.erase(line.find_last_not_of(' ') + 1);
    out += line + f.end;
    if (l > 0) continue;
    if (style == Style::latex) out += "  \\hline\n";
    if (style != Style::markdown) continue;
    out += "|";
    for (std::size_t c = 0; c < widths.size(); ++c) {
      out += (is_left(c) ? ":" : "-") + std::string(widths[c], '-') + (is_left(c) ? "-|" : ":|");
    }
    out += "\n";
  }
  if (style == Style::latex) out += "  \\hline\n\\end{tabular}\n";
  return out;
}

}  // namespace warpath
