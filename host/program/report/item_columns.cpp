#include "host/program/report/item_columns.hpp"

#include <tbb/parallel_for.h>

#include <cmath>

#include "host/files/evaluation/item_summary.hpp"
#include "host/program/report/csv_writer.hpp"

namespace warpath::report {
namespace {

// Returns "[…]" with what `append` adds for each row.
template <class Append>
std::string column(const std::vector<ItemRow>& rows, const Append& append) {
  std::string out = "[";
  for (const ItemRow& row : rows) {
    if (out.size() > 1) out += ", ";
    append(row, out);
  }
  return out += ']';
}

// Returns what scored items count; `counted(row)` says it of one.
template <class Counted>
std::string values(const AgentResult& run, bool is_double, const Counted& counted) {
  return column(run.rows, [&](const ItemRow& row, std::string& out) {
    const double value = evaluation::is_scored_row(row) ? counted(row) : std::nan("");
    if (std::isfinite(value))
      append_csv_number(value, is_double, out);
    else
      out += "null";
  });
}

void write_own_values(const AgentResult& run, const Convention& convention, io::JsonWriter& json) {
  if (run.own.empty()) return;
  json.open("own_values", '{');
  for (std::size_t k = 0; k < run.own.size(); ++k) {
    const auto counted = [&](const ItemRow& row) {
      const auto number = static_cast<std::size_t>(&row - run.rows.data());
      return evaluation::counted_value(run, number, k, convention);
    };
    json.raw(run.own[k].metric.name, values(run, true, counted));
  }
  json.close('}');
}

}  // namespace

void write_item_columns(const AgentResult& run, const std::vector<Metric>& metrics,
                        const Convention& convention, bool is_double, io::JsonWriter& json) {
  const auto write = [&](std::string_view key, const auto& append) {
    json.raw(key, column(run.rows, append));
  };
  json.open("per_item", '{');
  write("instr_id", [](const ItemRow& row, auto& out) { out += io::json_string(row.instr_id); });
  write("scan", [](const ItemRow& row, auto& out) { out += io::json_string(row.scan); });
  write("language", [](const ItemRow& row, auto& out) { out += io::json_string(row.language); });
  write("path", [](const ItemRow& row, auto& out) {
    out += row.in_dataset ? std::to_string(row.reference) : "null";
  });
  if (!run.tours.empty()) {
    write("tour", [](const ItemRow& row, auto& out) {
      out += row.tour ? std::to_string(*row.tour) : "null";
    });
  }
  write("length", [](const ItemRow& row, auto& out) {
    out += row.in_dataset ? std::to_string(row.n_reference) : "null";
  });
  write("status",
        [](const ItemRow& row, auto& out) { out += io::json_string(info(row.status).name); });
  write("scored", [](const ItemRow& row, auto& out) {
    out += evaluation::is_scored_row(row) ? "true" : "false";
  });
  json.open("values", '{');
  std::vector<std::string> columns(metrics.size());
  tbb::parallel_for(std::size_t{0}, metrics.size(), [&](std::size_t m) {
    columns[m] = values(run, is_double, [&](const ItemRow& row) {
      return evaluation::counted_value(run, row, info(metrics[m]), convention);
    });
  });
  for (std::size_t m = 0; m < metrics.size(); ++m) json.raw(info(metrics[m]).name, columns[m]);
  json.close('}');
  write_own_values(run, convention, json);
  json.close('}');
}

}  // namespace warpath::report
