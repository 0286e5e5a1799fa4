#include "host/program/report/aggregate_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/report/csv_cell.hpp"
#include "host/program/report/csv_number.hpp"
#include "host/program/report/print_parts.hpp"

namespace warpath::report {
namespace {

std::string unit_of(const formats::DumpMeasure& measure) {
  return measure.is_known && measure.unit == Unit::length ? "m" : "";
}

std::string header(const formats::DumpMeasure& measure, const NumberStyle& style) {
  const bool is_percent = style.percent && measure.is_known && measure.unit == Unit::fraction;
  const std::string unit = is_percent ? "%" : unit_of(measure);
  return fmt::format("{}{}{}", measure.name, unit.empty() ? "" : fmt::format(" ({})", unit),
                     measure.better == Better::higher  ? " ↑"
                     : measure.better == Better::lower ? " ↓"
                                                       : "");
}

// Python's words; fmt writes the sign of NaN, which means nothing.
std::string not_finite_text(double value) {
  return std::isnan(value) ? "nan" : value > 0.0 ? "inf" : "-inf";
}

// Returns a mean as its program prints it, with marks.
std::string cell(const aggregate::RuleMean* mean, const formats::DumpMeasure& measure,
                 const NumberStyle& style) {
  if (mean == nullptr) return "–";
  std::string text = "N/A";
  if (mean->mean && std::isfinite(*mean->mean)) {
    const MetricInfo metric{Metric::SR, "", "", measure.unit, measure.better, "", false};
    Estimate estimate;
    estimate.mean = mean->mean;
    NumberStyle alone = style;
    alone.intervals = false;
    text = estimate_text(estimate, metric, alone).mean;
  } else if (mean->mean) {
    text = not_finite_text(*mean->mean);
  }
  if (mean->zeroed > 0) text += fmt::format(" z{}", mean->zeroed);
  if (mean->dropped > 0) text += fmt::format(" d{}", mean->dropped);
  return text;
}

// Returns how many episodes the means of a rule are over: the largest n of its means.
std::string n_text(const AggregateReport& report, const aggregate::RuleResult& result) {
  std::uint64_t n = 0;
  for (const formats::DumpMeasure* measure : report.measures()) {
    if (const aggregate::RuleMean* mean = result.find(measure->name)) n = std::max(n, mean->n);
  }
  return count_text(n, std::max<std::uint64_t>(report.dump.episodes.size(), n));
}

Table make_table(const AggregateReport& report, const NumberStyle& style) {
  const auto measures = report.measures();
  Table table{{"rule"}, {}, {}, {}};
  for (const formats::DumpMeasure* measure : measures)
    table.header.push_back(header(*measure, style));
  table.header.emplace_back("n");
  for (const auto& [rule, result] : report.rules) {
    std::vector<std::string> cells{std::string(rule->name)};
    for (const formats::DumpMeasure* measure : measures) {
      cells.push_back(result.refusal ? "refused"
                      : !result.failure.empty()
                          ? "fails"
                          : cell(result.find(measure->name), *measure, style));
    }
    cells.push_back(result.has_failed() ? "–" : n_text(report, result));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Tells whether a rule does not count every value as it is.
bool is_remarkable(const AggregateReport& report, const aggregate::RuleResult& result) {
  return std::ranges::any_of(report.measures(), [&](const formats::DumpMeasure* measure) {
    const aggregate::RuleMean* mean = result.find(measure->name);
    return mean != nullptr &&
           (mean->zeroed > 0 || mean->dropped > 0 || !mean->mean || !std::isfinite(*mean->mean));
  });
}

void add_rule_notes(const AggregateReport& report, std::vector<std::string>& lines) {
  bool has_zeroed = false, has_dropped = false;
  for (const auto& [rule, result] : report.rules) {
    for (const aggregate::RuleMean& mean : result.means) {
      has_zeroed |= !result.has_failed() && mean.zeroed > 0;
      has_dropped |= !result.has_failed() && mean.dropped > 0;
    }
  }
  if (has_zeroed)
    lines.emplace_back("z: so many values count 0 in place of what the episodes have");
  if (has_dropped) lines.emplace_back("d: so many values are left out of the mean");
  for (const auto& [rule, result] : report.rules) {
    const std::string source = rule->source.empty() ? "" : fmt::format(" ({})", rule->source);
    if (!result.failure.empty()) {
      lines.push_back(fmt::format("{}{} fails with {}", rule->name, source, result.failure));
    } else if (is_remarkable(report, result) && !rule->source.empty()) {
      lines.push_back(fmt::format("{}{}: {}", rule->name, source, rule->text));
    }
  }
}

std::string gap_note(const AggregateReport& report) {
  constexpr std::size_t max_named = 3;
  const auto& files = report.dump.missing_files;
  std::string names;
  for (std::size_t k = 0; k < std::min(files.size(), max_named); ++k) {
    names += (k > 0 ? ", " : "") + files[k];
  }
  return fmt::format("by the names of the files, {} of the run {} missing: {}{}",
                     io::counted(files.size(), "file"), files.size() == 1 ? "is" : "are", names,
                     files.size() > max_named ? ", …" : "");
}

std::vector<std::string> notes(const AggregateReport& report) {
  std::vector<std::string> lines;
  add_rule_notes(report, lines);
  for (const std::string& note : report.dump.notes) lines.push_back("note: " + note);
  if (!report.dump.missing_files.empty()) lines.push_back("note: " + gap_note(report));
  const std::uint64_t there = report.dump.episodes.size(), wanted = report.options.episodes;
  if (wanted > there) {
    lines.push_back(fmt::format("note: {} of {} are not there", wanted - there,
                                io::counted(wanted, "episode")));
  }
  return lines;
}

std::string input_lines(const AggregateReport& report) {
  constexpr std::size_t max_files = 5;
  const auto& files = report.dump.files;
  std::string lines;
  for (std::size_t k = 0; k < std::min(files.size(), max_files); ++k) {
    lines +=
        input_line(files[k].name,
                   fmt::format("{}, {}", io::counted(files[k].episodes, "episode"), files[k].form));
  }
  if (files.size() > max_files) {
    lines += fmt::format("and {}\n", io::counted(files.size() - max_files, "more file"));
  }
  return lines;
}

}  // namespace

std::vector<const formats::DumpMeasure*> AggregateReport::measures() const {
  std::vector<const formats::DumpMeasure*> chosen;
  for (const formats::DumpMeasure& measure : dump.measures) {
    if (!options.measures.empty() &&
        std::ranges::find(options.measures, measure.name) == options.measures.end()) {
      continue;
    }
    chosen.push_back(&measure);
  }
  return chosen;
}

PrintedReport print_aggregate(const AggregateReport& report, const PrintOptions& options) {
  PrintedReport printed;
  printed.inputs = input_lines(report);
  printed.tables = make_table(report, options.numbers).render(options.style, options.layout);
  for (const std::string& note : notes(report)) printed.notes += note_line(note, options);
  if (options.style == Table::Style::latex) printed.notes += note_line(latex_note, options);
  return printed;
}

std::string aggregate_csv(const AggregateReport& report, const CsvOptions& options) {
  const auto text = [&](const std::string& cell) {
    return csv_cell(options.is_terminal ? base::clean_text(cell) : cell);
  };
  std::string csv = "rule,measure,unit,mean,n,of,zeroed,dropped,failure\n";
  for (const auto& [rule, result] : report.rules) {
    if (result.has_failed()) {
      const std::string failure = result.refusal ? result.refusal->what() : result.failure;
      csv +=
          fmt::format("{},,,,,{},,,{}\n", rule->name, report.dump.episodes.size(), text(failure));
      continue;
    }
    for (const formats::DumpMeasure* measure : report.measures()) {
      const aggregate::RuleMean* mean = result.find(measure->name);
      if (mean == nullptr) continue;
      csv += fmt::format("{},{},{},", rule->name, text(measure->name), unit_of(*measure));
      if (mean->mean && std::isfinite(*mean->mean)) {
        append_csv_number(*mean->mean, true, csv);
      } else if (mean->mean) {
        csv += not_finite_text(*mean->mean);
      }
      csv += fmt::format(",{},{},{},{},\n", mean->n, report.dump.episodes.size(), mean->zeroed,
                         mean->dropped);
    }
  }
  return csv;
}

}  // namespace warpath::report
