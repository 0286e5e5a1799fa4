#include <fmt/format.h>

#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/status_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/report/csv_writer.hpp"
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
  for (const std::string& line :
       signature_notes({{"", signature_of(report)}}, SignatureForm::shorter))
    lines.push_back(line);
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
  return lines;
}

}  // namespace

Document report_document(const WalkReport& report, const PrintOptions& options) {
  const ItemSummary summary = evaluation::summarize_independent(report.statistics.summary);
  Document document;
  document.add_input(report.graphs_path, report.graphs_detection);
  document.add_input(report.dataset_file, report.dataset_description);
  document.tables.push_back(make_metric_table(
      "agent", {{row_label(report), summary}},
      metric_columns(report.printed, report.convention, options.numbers), options.numbers));
  document.notes = walk_notes(report, summary, options);
  document.comments = signature_notes({{"", signature_of(report)}}, SignatureForm::full);
  return document;
}

std::string report_csv(const WalkReport& report, const CsvOptions& options) {
  const ItemSummary summary = evaluation::summarize_independent(report.statistics.summary);
  const bool is_double = report.statistics.precision == Precision::double_precision;
  CsvWriter csv(options);
  csv.header(std::string(walks_csv_beginning) + "ci95_high,n,of,minimum,maximum");
  for (const Metric m : report.metrics) {
    const Estimate& estimate = summary.of(m);
    const Statistics& values = summary.counts.metrics[m];
    csv.word(info(m).name);
    csv.word(unit_name(info(m), report.convention));
    csv.number(estimate.mean, true);
    for (const int bound : {0, 1}) {
      csv.number(estimate.ci95 ? std::optional((*estimate.ci95)[bound]) : std::nullopt, true);
    }
    csv.count(estimate.n);
    csv.count(estimate.of);
    csv.number(values.minimum(), is_double);
    csv.number(values.maximum(), is_double);
    csv.end_row();
  }
  return csv.take();
}

}  // namespace warpath::report
