#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "host/formats/graph_builder.hpp"
#include "host/formats/graph_file.hpp"
#include "host/formats/text_table.hpp"

namespace warpath {
namespace {

constexpr double max_metres = 1e7;

// Which cell of a line holds what; without a header these.
struct Columns {
  std::optional<std::size_t> from = 0, to = 1, weight = 2, scan;
  std::size_t max_cells = 3;

  std::size_t min_cells() const { return 1 + std::max({*from, *to, scan.value_or(0)}); }
};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// The columns that a header names; nothing where the line is none.
std::optional<Columns> read_header(const std::vector<std::string_view>& cells) {
  Columns columns{{}, {}, {}, {}, std::numeric_limits<std::size_t>::max()};
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string name = in_lower_case(cells[k]);
    if (name == "from" || name == "source") columns.from = k;
    if (name == "to" || name == "target") columns.to = k;
    if (name == "weight" || name == "distance") columns.weight = k;
    if (name == "scan") columns.scan = k;
  }
  if (!columns.from || !columns.to) return std::nullopt;
  return columns;
}

class EdgeListReader {
 public:
  explicit EdgeListReader(const std::string& file) : file_(file) {}

  std::map<std::string, GraphBuilder> read(std::string_view text) {
    TextTable table(text);
    for (bool is_first = true; table.next(); is_first = false) {
      const auto header = is_first ? read_header(table.cells()) : std::nullopt;
      if (header) columns_ = *header;
      else add_edge(table);
    }
    if (graphs_.empty()) {
      throw InputError({file_}, "has no edges", "write from,to,weight on each line");
    }
    return std::move(graphs_);
  }

 private:
  void add_edge(const TextTable& table) {
    const auto& cells = table.cells();
    const InputError::Where where{file_, fmt::format("line {}", table.line()), {}};
    if (cells.size() < columns_.min_cells() || cells.size() > columns_.max_cells ||
        cells[*columns_.from].empty() || cells[*columns_.to].empty()) {
      throw InputError(where, "is no edge",
                       "write from,to,weight, or name the columns in the first line: "
                       "from, to, weight, scan");
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
    const double metres = number_in(cell, where);
    if (metres > max_metres) {
      throw InputError(where, fmt::format("is {}, which is beyond {} m", metres, max_metres),
                       "weights are lengths in metres");
    }
    return metres;
  }

  const std::string& file_;
  Columns columns_;
  std::map<std::string, GraphBuilder> graphs_;  // by scan; "" where there is no such column
};

}  // namespace

std::map<std::string, GraphBuilder> read_edge_list(const std::string& file, std::string_view text) {
  return EdgeListReader(file).read(text);
}

}  // namespace warpath
