#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "host/core/base/suggest.hpp"
#include "host/files/formats/graph_builder.hpp"
#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/text_table.hpp"

namespace warpath::formats {
namespace {

constexpr std::string_view name_of_columns =
    "write from,to,weight, or name the columns in the first line: from (or source), to (or "
    "target), "
    "weight (or distance), scan";

// Says which cell of a line holds what; the defaults are for files without a header.
struct Columns {
  std::optional<std::size_t> from = 0, to = 1, weight = 2, scan;
  std::size_t max_cells = 3;

  std::size_t min_cells() const { return 1 + std::max({*from, *to, scan.value_or(0)}); }
};

// Returns the columns that a header names; nothing if the line is not a header.
std::optional<Columns> read_header(const std::vector<std::string_view>& cells) {
  Columns columns{{}, {}, {}, {}, std::numeric_limits<std::size_t>::max()};
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto is = [&](std::string_view name) { return base::equal_letters(cells[k], name); };
    if (is("from") || is("source")) columns.from = k;
    if (is("to") || is("target")) columns.to = k;
    if (is("weight") || is("distance")) columns.weight = k;
    if (is("scan")) columns.scan = k;
  }
  if (!columns.from || !columns.to) return std::nullopt;
  return columns;
}

class EdgeListReader {
 public:
  explicit EdgeListReader(const std::string& file) : file_(file) {}

  std::map<std::string, GraphBuilder> read(std::string_view text) {
    TextTable table(text);
    std::vector<std::string_view> first;  // the first line, if it may be a header
    std::size_t edges = 0;
    for (bool is_first = true; table.next(); is_first = false) {
      const auto& cells = table.cells();
      if (is_first) {
        if (const auto header = read_header(cells)) {
          columns_ = *header;
          continue;
        }
        if (cells.size() == 2) first = cells;
      } else if (std::ranges::find_first_of(first, cells) != first.end()) {
        first.clear();
      }
      add_edge(table);
      ++edges;
    }
    if (edges > 1 && !first.empty()) refuse_header(first);
    if (graphs_.empty()) {
      throw InputError({file_}, "has no edges", "write from,to,weight on each line");
    }
    return std::move(graphs_);
  }

 private:
  [[noreturn]] void refuse_header(const std::vector<std::string_view>& cells) const {
    throw InputError({file_, "first line"},
                     fmt::format("{} are neither columns that are known nor nodes of other lines",
                                 fmt::join(cells, ", ")),
                     std::string(name_of_columns));
  }

  void add_edge(const TextTable& table) {
    const auto& cells = table.cells();
    const InputError::Where where{file_, fmt::format("line {}", table.line()), {}};
    if (cells.size() < columns_.min_cells() || cells.size() > columns_.max_cells ||
        cells[*columns_.from].empty() || cells[*columns_.to].empty()) {
      throw InputError(where, "is no edge", std::string(name_of_columns));
    }
    if (columns_.scan && cells[*columns_.scan].empty()) {
      throw InputError({file_, where.item, "scan"}, "is empty", "name the scan of each edge");
    }
    const bool has_weight = columns_.weight && *columns_.weight < cells.size();
    GraphBuilder& graph = graphs_[columns_.scan ? std::string(cells[*columns_.scan]) : ""];
    const Node from = graph.find_or_add(cells[*columns_.from]);
    const Node to = graph.find_or_add(cells[*columns_.to]);
    graph.add_edge({from, to, has_weight ? weight(cells[*columns_.weight], where) : std::nullopt},
                   where);
  }

  static std::optional<double> weight(std::string_view cell, InputError::Where where) {
    if (cell.empty()) return std::nullopt;
    where.field = "weight";
    return checked_metres(finite_number(cell, where, name_of_columns), where);
  }

  const std::string& file_;
  Columns columns_;
  std::map<std::string, GraphBuilder> graphs_;  // by scan; "" without such a column
};

}  // namespace

std::map<std::string, GraphBuilder> read_edge_list(const std::string& file, std::string_view text) {
  return EdgeListReader(file).read(text);
}

}  // namespace warpath::formats
