#include <tbb/parallel_for.h>

#include <algorithm>

#include "host/program/report/csv_writer.hpp"
#include "host/program/report/report.hpp"

namespace warpath::report {
namespace {

std::string rows_of(const EvalReport& report, const AgentResult& run, const CsvOptions& options,
                    std::size_t begin, std::size_t end) {
  CsvWriter csv(options);
  const bool is_double = is_double_precision(report);
  for (std::size_t r = begin; r < end; ++r) {
    const ItemRow& row = run.rows[r];
    for (const std::string* text : {&run.name, &row.instr_id, &row.scan}) csv.text(*text);
    csv.word(info(row.status).name);
    if (!row.pair)
      csv.missing(report.metrics.size());
    else
      for (const Metric m : report.metrics) csv.number(run.scores.at(m, *row.pair), is_double);
    csv.end_row();
  }
  return csv.take();
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
      parts[k] = rows_of(report, run, options, begin, end);
    });
    for (const std::string& part : parts) csv += part;
  }
  return csv;
}

}  // namespace warpath::report
