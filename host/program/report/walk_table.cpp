#include <fmt/format.h>

#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/status_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/report/csv_number.hpp"
#include "host/program/report/metric_table.hpp"
#include "host/program/report/print_parts.hpp"
#include "host/program/report/walk_report.hpp"

namespace warpath::report {
namespace {

std::string row_label(const WalkReport& report) {
  std::string label = "random";
  if (report.shard) label += fmt::format(" (shard {})", shard_text(*report.shard));
  if (!report.is_complete()) label += " (interrupted)";
  return label;
}

std::string steps_text(const WalkReport& report) {
  double sum = 0.0, n = 0.0;
  for (const auto& [number, count] : report.steps) {
    sum += static_cast<double>(number) * static_cast<double>(count);
    n += static_cast<double>(count);
  }
  const bool is_given = report.steps_hash.empty();
  if (is_given) return io::counted(report.steps.begin()->first, "step") + " each";
  return fmt::format("steps drawn from the edges of {}, {:.2f} on average",
                     report.steps_description, sum / n);
}

std::string walks_note(const WalkReport& report) {
  return fmt::format("{} of seed {} against {}{}, {}", io::counted(report.walks, "random walk"),
                     report.seed, io::counted(report.references, "reference"),
                     report.sample == WalkSample::cycle ? " in turn" : " drawn at random",
                     steps_text(report));
}

void add_part_notes(const WalkReport& report, std::vector<std::string>& lines) {
  if (report.shard) {
    lines.push_back(fmt::format("shard {}: {} from walk {} on; warpath merge joins the shards",
                                shard_text(*report.shard), io::counted(report.count(), "walk"),
                                report.first()));
  }
  if (report.is_complete()) return;
  lines.push_back(fmt::format(
      "interrupted: the first {} of {}{}", report.done(), io::counted(report.count(), "walk"),
      report.shard ? "; run the shard again, for it cannot be merged so"
                   : fmt::format(", with the same values as --walks {} has them", report.done())));
}

std::vector<std::string> walk_notes(const WalkReport& report, const ItemSummary& summary,
                                    const PrintOptions& options) {
  std::vector<std::string> lines{convention_note(report.convention), walks_note(report)};
  add_part_notes(report, lines);
  if (options.numbers.intervals) {
    lines.emplace_back(
        report.sample == WalkSample::uniform
            ? "± 95 % interval of the sampling of walks, 1.96 s/√n: what other seeds would give"
            : "± 95 % interval of the sampling of walks, 1.96 s/√n, as if each drew its reference; "
              "other seeds differ by less, because they take the same references in turn");
    if (has_one_sided_interval(summary, report.printed)) lines.push_back(one_sided_note("walk"));
  }
  lines.push_back(precision_note(report.statistics.precision == Precision::double_precision,
                                 report.run_info.backend));
  const std::string rules = zero_rules_text(summary.counts, "walk");
  if (!rules.empty()) lines.push_back(fmt::format("{}: {}", zero_rules_title, rules));
  for (const std::string& warning : report.warnings) lines.push_back("note: " + warning);
  for (int s = 1; s < status_count; ++s) {
    const auto status = static_cast<Status>(s);
    const std::uint64_t n = summary.counts.statuses[s];
    if (n == 0) continue;
    lines.push_back(fmt::format("{}: {} {}; {}", info(status).name, io::counted(n, "walk"),
                                evaluation::describe(status, n), info(status).remedy));
  }
  if (options.style == Table::Style::latex) lines.emplace_back(latex_note);
  return lines;
}

}  // namespace

PrintedReport print_walks(const WalkReport& report, const PrintOptions& options) {
  const ItemSummary summary = evaluation::summarize_independent(report.statistics.summary);
  PrintedReport printed;
  printed.inputs = input_line(report.graphs_path, report.graphs_detection) +
                   input_line(report.dataset_file, report.dataset_description);
  const Table table = make_metric_table(
      "agent", {{row_label(report), summary}},
      metric_columns(report.printed, report.convention, options.numbers), options.numbers);
  printed.tables = table.render(options.style, options.layout);
  for (const std::string& note : walk_notes(report, summary, options)) {
    printed.notes += note_line(note, options);
  }
  return printed;
}

std::string walks_csv(const WalkReport& report) {
  const ItemSummary summary = evaluation::summarize_independent(report.statistics.summary);
  const bool is_double = report.statistics.precision == Precision::double_precision;
  std::string csv(walks_csv_beginning);
  csv += "ci95_high,n,of,minimum,maximum\n";
  for (const Metric m : report.metrics) {
    const Estimate& estimate = summary.of(m);
    const Statistics& values = summary.counts.metrics[m];
    const auto append = [&](std::optional<double> value, bool has_all_digits) {
      csv += ',';
      if (value) append_csv_number(*value, has_all_digits, csv);
    };
    csv.append(info(m).name).append(",").append(unit_name(info(m), report.convention));
    append(estimate.mean, true);
    for (const int bound : {0, 1}) {
      append(estimate.ci95 ? std::optional((*estimate.ci95)[bound]) : std::nullopt, true);
    }
    csv += fmt::format(",{},{}", estimate.n, estimate.of);
    append(values.minimum(), is_double);
    append(values.maximum(), is_double);
    csv += '\n';
  }
  return csv;
}

}  // namespace warpath::report
