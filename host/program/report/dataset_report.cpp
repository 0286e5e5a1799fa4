#include "host/program/report/dataset_report.hpp"

#include <fmt/format.h>

#include <array>

#include "host/files/io/json_writer.hpp"
#include "host/program/report/histogram_table.hpp"
#include "host/program/report/json_parts.hpp"
#include "warpath/version.hpp"

namespace warpath::report {
namespace {

using Count = evaluation::DatasetStatistics::Count;
using Quantity = evaluation::DatasetStatistics::Quantity;

// Names a property of references, for tables and for JSON.
struct CountName {
  std::string_view key, text;
  Count evaluation::DatasetStatistics::*member;
};
constexpr std::array<CountName, 9> count_names{{
    {"not_shortest", "longer than a shortest path", &evaluation::DatasetStatistics::not_shortest},
    {"round_trip", "start = goal", &evaluation::DatasetStatistics::round_trips},
    {"revisiting", "come back to a viewpoint", &evaluation::DatasetStatistics::revisiting},
    {"repeating", "repeat a viewpoint at once", &evaluation::DatasetStatistics::repeating},
    {"off_edges", "have a move that is no edge", &evaluation::DatasetStatistics::off_edges},
    {"cut_off", "have no way along or to the goal", &evaluation::DatasetStatistics::cut_off},
    {"unknown_viewpoint", "name a viewpoint not in the graph",
     &evaluation::DatasetStatistics::unknown},
    {"single", "have one viewpoint", &evaluation::DatasetStatistics::single},
    {"empty", "are empty", &evaluation::DatasetStatistics::empty},
}};

struct QuantityName {
  std::string_view key, text;
  bool is_length;
  Quantity evaluation::DatasetStatistics::*member;
};
constexpr std::array<QuantityName, 3> quantity_names{{
    {"steps", "steps", false, &evaluation::DatasetStatistics::steps},
    {"length", "PL(R)", true, &evaluation::DatasetStatistics::length},
    {"shortest", "d(r1,r|R|)", true, &evaluation::DatasetStatistics::shortest},
}};

std::uint64_t isolated(const evaluation::DatasetStatistics& statistics) {
  std::uint64_t sum = 0;
  for (const auto& [scan, viewpoints] : statistics.isolated) sum += viewpoints;
  return sum;
}

// Names the sizes, for tables and for JSON.
std::vector<std::pair<std::string, std::uint64_t>> sizes(const evaluation::DatasetStatistics& s) {
  return {{"entries", s.entries}, {"items", s.items},           {"paths", s.paths},
          {"scans", s.scans},     {"viewpoints", s.viewpoints}, {"edges", s.edges},
          {"visited", s.visited}, {"isolated", isolated(s)}};
}

Table size_table(const evaluation::DatasetStatistics& statistics) {
  Table table{{}, {{}}, "rrrrrrrr"};
  for (const auto& [name, value] : sizes(statistics)) {
    table.header.push_back(name);
    table.rows.front().push_back(fmt::format("{}", value));
  }
  return table;
}

std::string unit_of(const QuantityName& name, Distance distance) {
  return name.is_length && distance != Distance::hops ? ", m" : "";
}

Table quantity_table(const evaluation::DatasetStatistics& statistics, Distance distance) {
  Table table{{"reference", "min", "mean", "max", "mean over items", "paths"}, {}};
  for (const QuantityName& name : quantity_names) {
    const Quantity& quantity = statistics.*name.member;
    const auto cell = [&](std::optional<double> value) {
      return value ? fmt::format("{:.3f}", *value) : "";
    };
    table.rows.push_back({std::string(name.text) + unit_of(name, distance),
                          cell(quantity.by_path.minimum()), cell(quantity.by_path.mean()),
                          cell(quantity.by_path.maximum()), cell(quantity.by_item.mean()),
                          fmt::format("{}", quantity.by_path.n())});
  }
  return table;
}

Table count_table(const evaluation::DatasetStatistics& statistics) {
  Table table{{"references that", "paths", "items", "first"}, {}, "lrrl"};
  for (const CountName& name : count_names) {
    const Count& count = statistics.*name.member;
    table.rows.push_back({std::string(name.text), fmt::format("{}", count.paths),
                          fmt::format("{}", count.items), count.first});
  }
  return table;
}

Table language_table(const evaluation::DatasetStatistics& statistics) {
  Table table{{"language", "items"}, {}};
  for (const auto& [language, items] : statistics.languages) {
    table.rows.push_back({language.empty() ? "(none)" : language, fmt::format("{}", items)});
  }
  return table;
}

void write_statistics(io::JsonWriter& json, std::string_view key, const Statistics& statistics,
                      const Histogram& histogram) {
  json.open(key, '{');
  json.integer("n", statistics.n());
  json.number("mean", statistics.mean());
  json.number("min", statistics.minimum());
  json.number("max", statistics.maximum());
  json.open("histogram", '{');
  json.number("bin_width", histogram.width());
  int bins = histogram.bins();
  while (bins > 0 && histogram.count(bins - 1) == 0) --bins;
  std::string counts;
  for (int b = 0; b < bins; ++b) {
    counts += fmt::format("{}{}", b == 0 ? "" : ", ", histogram.count(b));
  }
  json.raw("counts", fmt::format("[{}]", counts));
  json.integer("overflow", histogram.overflow());
  json.close('}');
  json.close('}');
}

void write_inputs(io::JsonWriter& json, const DatasetDescription& description) {
  json.text("warpath", WARPATH_VERSION);
  write_input({.key = "dataset",
               .path_key = "file",
               .path = description.file,
               .hash = description.hash,
               .format_key = "format",
               .format = description.format},
              json);
  write_input({.key = "graphs",
               .path_key = "path",
               .path = description.graphs,
               .hash = description.graphs_hash},
              json);
  json.text("length_unit", description.distance == Distance::hops ? "edges" : "m");
}

}  // namespace

std::string dataset_tables(const evaluation::DatasetStatistics& statistics, Distance distance,
                           Table::Style style, const Table::Layout& layout) {
  std::vector<Table> tables{size_table(statistics), quantity_table(statistics, distance),
                            count_table(statistics)};
  const bool has_languages =
      statistics.languages.size() > 1 ||
      (statistics.languages.size() == 1 && !statistics.languages.begin()->first.empty());
  if (has_languages) tables.push_back(language_table(statistics));
  for (const QuantityName& name : quantity_names) {
    const Quantity& quantity = statistics.*name.member;
    if (quantity.by_path.n() == 0) continue;
    const NamedHistogram histograms[]{{"paths", &quantity.path_bins},
                                      {"items", &quantity.item_bins}};
    const bool is_metres = name.is_length && distance != Distance::hops;
    tables.push_back(histogram_table(std::string(name.text) + unit_of(name, distance), histograms,
                                     is_metres ? 2 : 1));
  }
  std::string text;
  for (const Table& table : tables) {
    if (!text.empty()) text += '\n';
    text += table.render(style, layout);
  }
  return text;
}

std::vector<std::string> dataset_notes(const evaluation::DatasetStatistics& statistics,
                                       const DatasetDescription& description) {
  std::vector<std::string> notes{
      "paths: equal references of a scan count once; visited: viewpoints on any reference; "
      "isolated: viewpoints without any edge",
      fmt::format("longer than a shortest path: PL(R) > d(r1,r|R|) + {}{}",
                  evaluation::DatasetStatistics::shortest_tolerance,
                  description.distance == Distance::hops ? "" : " m")};
  std::string list;
  for (const auto& [scan, viewpoints] : statistics.isolated) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", scan, viewpoints);
  }
  if (!list.empty()) notes.push_back("isolated viewpoints: " + list);
  notes.insert(notes.end(), description.notes.begin(), description.notes.end());
  return notes;
}

std::string dataset_json(const evaluation::DatasetStatistics& statistics,
                         const DatasetDescription& description) {
  io::JsonWriter json;
  json.open("", '{');
  write_inputs(json, description);
  for (const auto& [name, value] : sizes(statistics)) json.integer(name, value);
  for (const QuantityName& name : quantity_names) {
    const Quantity& quantity = statistics.*name.member;
    json.open(name.key, '{');
    write_statistics(json, "by_path", quantity.by_path, quantity.path_bins);
    write_statistics(json, "by_item", quantity.by_item, quantity.item_bins);
    json.close('}');
  }
  json.open("references", '{');
  json.number("shortest_tolerance", evaluation::DatasetStatistics::shortest_tolerance);
  for (const CountName& name : count_names) {
    const Count& count = statistics.*name.member;
    json.open(name.key, '{');
    json.integer("paths", count.paths);
    json.integer("items", count.items);
    json.text("first", count.first);
    json.close('}');
  }
  json.close('}');
  json.open("isolated_by_scan", '{');
  for (const auto& [scan, viewpoints] : statistics.isolated) json.integer(scan, viewpoints);
  json.close('}');
  json.open("languages", '{');
  for (const auto& [language, items] : statistics.languages) {
    if (!language.empty()) json.integer(language, items);
  }
  json.close('}');
  json.close('}');
  return json.take();
}

}  // namespace warpath::report
