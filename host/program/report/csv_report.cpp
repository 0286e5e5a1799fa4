#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "host/core/base/clean_text.hpp"
#include "host/program/report/csv_cell.hpp"
#include "host/program/report/csv_number.hpp"
#include "host/program/report/report.hpp"

namespace warpath::report {
namespace {

void append_rows(const EvalReport& report, const AgentResult& run, const CsvOptions& options,
                 std::size_t begin, std::size_t end, std::string& csv) {
  const auto cell = [&](const std::string& text) {
    return csv_cell(options.is_terminal ? base::clean_text(text) : text);
  };
  const std::string name = cell(run.name);
  const bool is_double = is_double_precision(report);
  for (std::size_t r = begin; r < end; ++r) {
    const ItemRow& row = run.rows[r];
    csv.append(name).append(",").append(cell(row.instr_id)).append(",");
    csv.append(cell(row.scan)).append(",").append(info(row.status).name);
    for (const Metric m : report.metrics) {
      csv += ',';
      if (!row.pair) continue;
      const double value = run.scores.at(m, *row.pair);
      if (std::isfinite(value)) append_csv_number(value, is_double, csv);
    }
    csv += '\n';
  }
}

}  // namespace

std::string report_csv(const EvalReport& report, const CsvOptions& options) {
  constexpr std::size_t chunk = 4096;
  std::string csv(csv_report_beginning);
  for (const Metric m : report.metrics) csv.append(",").append(info(m).name);
  csv += '\n';
  for (const AgentResult& run : report.runs) {
    std::vector<std::string> parts((run.rows.size() + chunk - 1) / chunk);
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t k) {
      const std::size_t begin = k * chunk;
      const std::size_t end = std::min(begin + chunk, run.rows.size());
      append_rows(report, run, options, begin, end, parts[k]);
    });
    for (const std::string& part : parts) csv += part;
  }
  return csv;
}

}  // namespace warpath::report
