#include "host/program/report/table.hpp"

#include <algorithm>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/wrap.hpp"

namespace warpath::report {
namespace {

struct Frame {
  std::string begin, between, end;
};

Frame frame_of(Table::Style style) {
  switch (style) {
    case Table::Style::markdown:
      return {"| ", " | ", " |\n"};
    case Table::Style::latex:
      return {"  ", " & ", " \\\\\n"};
    default:
      return {"  ", "  ", "\n"};
  }
}

base::Markup markup_of(Table::Style style) {
  switch (style) {
    case Table::Style::markdown:
      return base::Markup::markdown;
    case Table::Style::latex:
      return base::Markup::latex;
    default:
      return base::Markup::text;
  }
}

std::pair<std::string, std::string> bold_marks(Table::Style style, bool colour) {
  switch (style) {
    case Table::Style::markdown:
      return {"**", "**"};
    case Table::Style::latex:
      return {"\\textbf{", "}"};
    default:
      return colour ? std::pair<std::string, std::string>{"\x1b[1m", "\x1b[0m"}
                    : std::pair<std::string, std::string>{};
  }
}

// Holds a cell as it is printed; codes for bold take no columns on a terminal.
struct Printed {
  std::string text;
  std::size_t width;
};

}  // namespace

/// Renders one table in one style.
class TableWriter {
 public:
  TableWriter(const Table& table, Table::Style style, const Table::Layout& layout)
      : table_(table), style_(style), layout_(layout), frame_(frame_of(style)) {
    widths_.resize(table.header.size(), 0);
    add_line(table.header, 0);
    for (std::size_t r = 0; r < table.rows.size(); ++r) add_line(table.rows[r], r + 1);
  }

  std::string write() {
    if (style_ == Table::Style::latex) begin_latex();
    const bool folds = style_ == Table::Style::text && layout_.max_width > 0;
    const auto max_width = static_cast<std::size_t>(layout_.max_width);
    for (const Block& block : folds ? even_blocks(max_width) : blocks(unlimited)) {
      if (!out_.empty() && style_ == Table::Style::text) out_ += '\n';
      write_block(block);
    }
    if (style_ == Table::Style::latex) out_ += "  \\bottomrule\n\\end{tabular}\n";
    return std::move(out_);
  }

 private:
  using Block = std::vector<std::size_t>;
  static constexpr std::size_t unlimited = ~std::size_t{0};

  std::size_t width_with_space(std::size_t column) const {
    return frame_.between.size() + widths_[column];
  }

  // Returns blocks with as many columns as fit, and at least one beside those that stand in every
  // block.
  std::vector<Block> blocks(std::size_t max_width) const {
    const std::size_t end = widths_.size() - (table_.repeats_last ? 1 : 0);
    std::size_t common = frame_.begin.size() + widths_[0];
    if (table_.repeats_last) common += width_with_space(end);
    std::vector<Block> all(1, Block{0});
    std::size_t width = common;
    for (std::size_t c = 1; c < end; ++c) {
      if (all.back().size() > 1 && width + width_with_space(c) > max_width) {
        all.push_back({0});
        width = common;
      }
      width += width_with_space(c);
      all.back().push_back(c);
    }
    if (table_.repeats_last) {
      for (Block& block : all) block.push_back(end);
    }
    return all;
  }

  std::size_t whole_width() const {
    std::size_t width = frame_.begin.size() + widths_[0];
    for (std::size_t c = 1; c < widths_.size(); ++c) width += width_with_space(c);
    return width;
  }

  // Returns as few blocks as possible, of similar widths.
  std::vector<Block> even_blocks(std::size_t max_width) const {
    std::vector<Block> best = blocks(max_width);
    for (std::size_t width = std::min(max_width, whole_width()); width > 0; --width) {
      std::vector<Block> narrower = blocks(width);
      if (narrower.size() > best.size()) break;
      best = std::move(narrower);
    }
    return best;
  }

  void add_line(const std::vector<std::string>& cells, std::size_t line) {
    std::vector<Printed>& printed = lines_.emplace_back();
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const auto bold = line == 0 ? table_.bold.end() : table_.bold.find({line - 1, c});
      printed.push_back(print(cells[c], bold == table_.bold.end() ? 0 : bold->second));
      widths_[c] = std::max(widths_[c], printed.back().width);
    }
  }

  Printed print(const std::string& cell, std::size_t bold_bytes) const {
    const base::Markup markup = markup_of(style_);
    const std::string bold = base::clean_text(cell.substr(0, bold_bytes), markup);
    const std::string rest = base::clean_text(cell.substr(bold_bytes), markup);
    if (bold.empty()) return {rest, io::columns(rest)};
    const auto [begin, end] = bold_marks(style_, layout_.colour);
    const std::string text = begin + bold + end + rest;
    return {text, style_ == Table::Style::text ? io::columns(bold) + io::columns(rest)
                                               : io::columns(text)};
  }

  void begin_latex() {
    std::string alignment;
    for (std::size_t c = 0; c < widths_.size(); ++c) alignment += table_.is_left(c) ? 'l' : 'r';
    out_ = "\\begin{tabular}{" + alignment + "}\n  \\toprule\n";
  }

  void write_block(const Block& block) {
    for (std::size_t l = 0; l < lines_.size(); ++l) {
      std::string line = frame_.begin;
      for (std::size_t k = 0; k < block.size(); ++k) {
        line += (k > 0 ? frame_.between : "") + padded(lines_[l][block[k]], block[k]);
      }
      if (style_ == Table::Style::text) line.erase(line.find_last_not_of(' ') + 1);
      out_ += line + frame_.end;
      if (l == 0) write_rule();
    }
  }

  std::string padded(const Printed& cell, std::size_t column) const {
    const std::string space(widths_[column] - cell.width, ' ');
    return table_.is_left(column) ? cell.text + space : space + cell.text;
  }

  void write_rule() {
    if (style_ == Table::Style::latex) out_ += "  \\midrule\n";
    if (style_ != Table::Style::markdown) return;
    out_ += "|";
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      const std::string dashes(widths_[c], '-');
      out_ += table_.is_left(c) ? ":" + dashes + "-|" : "-" + dashes + ":|";
    }
    out_ += "\n";
  }

  const Table& table_;
  Table::Style style_;
  Table::Layout layout_;
  Frame frame_;
  std::vector<std::vector<Printed>> lines_;
  std::vector<std::size_t> widths_;
  std::string out_;
};

std::string Table::render(Style style, const Layout& layout) const {
  return TableWriter(*this, style, layout).write();
}

}  // namespace warpath::report
