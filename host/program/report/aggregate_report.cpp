#include "host/program/report/aggregate_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "host/files/evaluation/status_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "host/files/io/input_file.hpp"
#include "host/program/report/csv_writer.hpp"
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
    const Unit unit = measure.is_known ? measure.unit : Unit::count;  // as the header has it
    const MetricInfo metric{Metric::SR, "", "", unit, measure.better, "", false};
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

// Returns the results by the name of their row: of each rule, and of its groups.
std::vector<std::pair<std::string, aggregate::RuleResult>> rows_of(const AggregateReport& report) {
  std::vector<std::pair<std::string, aggregate::RuleResult>> rows;
  for (const auto& [rule, result] : report.rules) {
    if (!result.means.empty() || result.groups.empty()) rows.emplace_back(rule->name, result);
    for (const aggregate::RuleGroup& group : result.groups) {
      rows.emplace_back(fmt::format("{} {}", rule->name, group.name), aggregate::RuleResult{});
      rows.back().second.means = group.means;
    }
  }
  return rows;
}

Table make_table(const AggregateReport& report, const NumberStyle& style) {
  const auto measures = report.measures();
  Table table{{"rule"}, {}, {}, {}};
  for (const formats::DumpMeasure* measure : measures)
    table.header.push_back(header(*measure, style));
  table.header.emplace_back("n");
  for (const auto& [name, result] : rows_of(report)) {
    std::vector<std::string> cells{name};
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

// Compares what was recomputed with what the files have.
Table recomputed_table(const AggregateReport& report, const NumberStyle& style) {
  Table table{{"recomputed", "in the files", "recomputed", "n", "differ", "at most by", "episode"},
              {},
              "lrrrrrl",
              {}};
  for (const aggregate::ComparedMeasure& compared : report.recomputed->measures) {
    const formats::DumpMeasure& measure = *report.dump.find(compared.name);
    const auto number = [&](double value) {
      const aggregate::RuleMean mean{compared.name, value, compared.finite, 0, 0};
      return compared.finite == 0 ? "–" : cell(&mean, measure, style);
    };
    table.rows.push_back({header(measure, style), number(compared.given_mean),
                          number(compared.mean),
                          count_text(compared.finite, report.dump.episodes.size()),
                          fmt::format("{}", compared.different), number(compared.max_difference),
                          compared.max_episode});
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
  const auto& files = report.dump.missing_files;
  return fmt::format("by the names of the files, {} of the run {} missing: {}",
                     io::counted(files.size(), "file"), files.size() == 1 ? "is" : "are",
                     io::first_ids(files));
}

void add_recomputed_notes(const aggregate::Recomputed& recomputed,
                          std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const aggregate::ComparedMeasure& measure : recomputed.measures)
    names.push_back(measure.name);
  lines.push_back(fmt::format(
      "recomputed from positions, by preset {}: {}{}", recomputed.convention.preset,
      fmt::join(names, ", "),
      recomputed.kept.empty()
          ? ""
          : fmt::format("; as the files give them: {}", fmt::join(recomputed.kept, ", "))));
  for (int s = 0; s < status_count; ++s) {
    const auto status = static_cast<Status>(s);
    const io::CountedIds& entries = recomputed.statuses[static_cast<std::size_t>(s)];
    if (status == Status::ok || entries.count == 0) continue;
    lines.push_back(fmt::format("note: of the entries {} {} ({}): {}", entries.count,
                                evaluation::describe(status, entries.count), info(status).name,
                                entries.examples));
  }
  if (recomputed.unscored.count > 0) {
    const std::string& fault = recomputed.first_fault;
    lines.push_back(fmt::format("note: {} without recomputed values: {}{}",
                                io::counted(recomputed.unscored.count, "episode"),
                                recomputed.unscored.examples,
                                fault.empty() ? "" : "; the first malformed: " + fault));
  }
  for (const std::string& warning : recomputed.inputs.warnings) lines.push_back("note: " + warning);
}

std::vector<std::string> notes(const AggregateReport& report) {
  std::vector<std::string> lines;
  add_rule_notes(report, lines);
  if (report.recomputed) add_recomputed_notes(*report.recomputed, lines);
  for (const std::string& note : report.dump.notes) lines.push_back("note: " + note);
  if (!report.dump.missing_files.empty()) lines.push_back("note: " + gap_note(report));
  const std::uint64_t there = report.dump.episodes.size(), wanted = report.options.episodes;
  if (wanted > there) {
    lines.push_back(fmt::format("note: {} of {} are not there", wanted - there,
                                io::counted(wanted, "episode")));
  }
  for (const std::string& line :
       signature_notes({{"", signature_of(report)}}, SignatureForm::shorter))
    lines.push_back(line);
  return lines;
}

// Returns the hash of all files. Their order does not count, unless it says which entry counts.
std::string hash_of_files(const AggregateReport& report) {
  std::vector<std::string> hashes;
  for (const formats::DumpFile& file : report.dump.files) hashes.push_back(file.hash);
  if (hashes.size() == 1) return hashes.front();
  if (report.duplicates != "first" && report.duplicates != "last") std::ranges::sort(hashes);
  return io::content_hash(fmt::format("{}", fmt::join(hashes, "+")));
}

// Adds what `ours` does where a result is not there.
void add_ours(const aggregate::OursOptions& options, Signature& signature) {
  Convention convention;
  convention.invalid = options.invalid;
  convention.missing = options.missing;
  signature.add_settings(convention, Convention{});
}

void add_recomputed(const aggregate::Recomputed& recomputed, Signature& signature) {
  // The others of these are those that each entry is scored by.
  signature.add_convention(recomputed.convention,
                           {"instructions", "missing", "invalid", "duplicates"});
  signature.add_dataset(recomputed.inputs, "");
  signature.add_distances(recomputed.distances);
}

void add_inputs(const AggregateReport& report, Document& document) {
  constexpr std::size_t max_files = 5;
  const auto& files = report.dump.files;
  for (std::size_t k = 0; k < std::min(files.size(), max_files); ++k) {
    document.add_input(
        files[k].name,
        fmt::format("{}, {}", io::counted(files[k].episodes, "episode"), files[k].form));
  }
  if (files.size() > max_files) {
    document.inputs.push_back("and " + io::counted(files.size() - max_files, "more file"));
  }
  if (!report.recomputed) return;
  const aggregate::Recomputed& recomputed = *report.recomputed;
  document.add_input(recomputed.inputs.dataset_file, recomputed.inputs.dataset_description);
  document.add_input("positions of the results", recomputed.predictions);
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

Signature signature_of(const AggregateReport& report) {
  std::vector<std::string_view> rules;
  for (const auto& [rule, result] : report.rules) rules.push_back(rule->name);
  Signature signature;
  signature.add("rules", fmt::format("{}", fmt::join(rules, ",")));
  if (std::ranges::find(rules, "ours") != rules.end()) add_ours(report.options, signature);
  signature.add("duplicates", std::string(report.duplicates));
  signature.add_hash("results", hash_of_files(report));
  if (report.recomputed) add_recomputed(*report.recomputed, signature);
  if (report.options.episodes > 0)
    signature.add("episodes", fmt::format("{}", report.options.episodes));
  ItemStatistics counts;
  counts.items = report.dump.episodes.size();
  for (std::size_t s = 0; report.recomputed && s < counts.statuses.size(); ++s)
    counts.statuses[s] = report.recomputed->statuses[s].count;
  signature.add_counts(counts);
  signature.add_version();
  return signature;
}

Document report_document(const AggregateReport& report, const PrintOptions& options) {
  Document document;
  add_inputs(report, document);
  document.tables.push_back(make_table(report, options.numbers));
  if (report.recomputed) document.tables.push_back(recomputed_table(report, options.numbers));
  document.notes = notes(report);
  document.comments = signature_notes({{"", signature_of(report)}}, SignatureForm::full);
  return document;
}

std::string report_csv(const AggregateReport& report, const CsvOptions& options) {
  CsvWriter csv(options);
  csv.header("rule,measure,unit,mean,n,of,zeroed,dropped,failure");
  for (const auto& [name, result] : rows_of(report)) {
    if (result.has_failed()) {
      csv.text(name);
      csv.missing(4);
      csv.count(report.dump.episodes.size());
      csv.missing(2);
      csv.text(result.refusal ? result.refusal->what() : result.failure);
      csv.end_row();
      continue;
    }
    for (const formats::DumpMeasure* measure : report.measures()) {
      const aggregate::RuleMean* mean = result.find(measure->name);
      if (mean == nullptr) continue;
      csv.text(name);
      csv.text(measure->name);
      csv.word(unit_of(*measure));
      if (mean->mean && !std::isfinite(*mean->mean))
        csv.word(not_finite_text(*mean->mean));
      else
        csv.number(mean->mean, true);
      csv.count(mean->n);
      csv.count(report.dump.episodes.size());
      csv.count(mean->zeroed);
      csv.count(mean->dropped);
      csv.missing();
      csv.end_row();
    }
  }
  return csv.take();
}

}  // namespace warpath::report
