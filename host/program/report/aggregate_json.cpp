#include <algorithm>
#include <cmath>

#include "host/program/report/aggregate_report.hpp"
#include "host/program/report/json_parts.hpp"
#include "warpath/version.hpp"

namespace warpath::report {
namespace {

std::string_view word(Invalid invalid) {
  return invalid == Invalid::error ? "error" : invalid == Invalid::skip ? "skip" : "zero";
}
std::string_view word(Missing missing) {
  return missing == Missing::error ? "error" : missing == Missing::skip ? "skip" : "zero";
}

std::string_view unit_word(const formats::DumpMeasure& measure) {
  if (!measure.is_known) return "unknown";
  return measure.unit == Unit::fraction ? "fraction" : measure.unit == Unit::length ? "m" : "count";
}

void write_mean(const aggregate::RuleMean& mean, const formats::DumpMeasure& measure,
                io::JsonWriter& json) {
  json.open(mean.measure, '{');
  const bool is_finite = mean.mean && std::isfinite(*mean.mean);
  json.number("mean", is_finite ? mean.mean : std::nullopt);
  if (mean.mean && !is_finite) {
    json.text("not_finite", std::isnan(*mean.mean) ? "NaN"
                            : *mean.mean > 0       ? "Infinity"
                                                   : "-Infinity");
  }
  json.integer("n", mean.n);
  json.integer("zeroed", mean.zeroed);
  json.integer("dropped", mean.dropped);
  if (mean.divisor && std::isfinite(*mean.divisor)) json.number("divisor", mean.divisor);
  json.text("unit", unit_word(measure));
  json.close('}');
}

void write_means(const AggregateReport& report, const std::vector<aggregate::RuleMean>& means,
                 io::JsonWriter& json) {
  json.open("means", '{');
  for (const formats::DumpMeasure* measure : report.measures()) {
    const auto mean = std::ranges::find(means, measure->name, &aggregate::RuleMean::measure);
    if (mean != means.end()) write_mean(*mean, *measure, json);
  }
  json.close('}');
}

void write_rule(const AggregateReport& report, const aggregate::AggregateRule& rule,
                const aggregate::RuleResult& result, io::JsonWriter& json) {
  json.open("", '{');
  json.text("name", rule.name);
  if (!rule.source.empty()) json.text("source", rule.source);
  json.text("rule", rule.text);
  if (result.refusal) json.text("refused", result.refusal->what());
  if (!result.failure.empty()) {
    json.text("exception", result.failure.substr(0, result.failure.find(':')));
    json.text("failure", result.failure);
  }
  write_means(report, result.has_failed() ? std::vector<aggregate::RuleMean>{} : result.means,
              json);
  if (!result.groups.empty()) json.open("groups", '{');
  for (const aggregate::RuleGroup& group : result.groups) {
    json.open(group.name, '{');
    write_means(report, group.means, json);
    json.close('}');
  }
  if (!result.groups.empty()) json.close('}');
  json.close('}');
}

void write_files(const formats::ResultDump& dump, io::JsonWriter& json) {
  json.open("files", '[');
  for (const formats::DumpFile& file : dump.files) {
    json.open("", '{');
    json.text("file", file.name);
    json.text("hash", file.hash);
    json.text("form", file.form);
    json.integer("episodes", file.episodes);
    json.close('}');
  }
  json.close(']');
}

void write_texts(std::string_view key, const std::vector<std::string>& texts,
                 io::JsonWriter& json) {
  json.open(key, '[');
  for (const std::string& text : texts) json.text("", text);
  json.close(']');
}

void write_compared(const aggregate::ComparedMeasure& compared, io::JsonWriter& json) {
  json.open(compared.name, '{');
  json.integer("n", compared.compared);
  json.integer("different", compared.different);
  json.integer("finite", compared.finite);
  const auto number = [&](std::string_view key, double value) {
    json.number(key, compared.finite > 0 ? std::optional(value) : std::nullopt);
  };
  number("files_mean", compared.given_mean);
  number("mean", compared.mean);
  number("max_difference", compared.max_difference);
  if (!compared.max_episode.empty()) json.text("max_episode", compared.max_episode);
  json.close('}');
}

void write_recomputed(const aggregate::Recomputed& recomputed, io::JsonWriter& json) {
  json.open("recomputed", '{');
  // The rules have their own of these, which stand above.
  write_convention(recomputed.convention, recomputed.inputs.task, json,
                   {"missing", "invalid", "duplicates"});
  write_input({.key = "dataset",
               .path_key = "file",
               .path = recomputed.inputs.dataset_file,
               .hash = recomputed.inputs.dataset_hash,
               .format_key = "format_description",
               .format = recomputed.inputs.dataset_description},
              json);
  json.text("format_description", recomputed.predictions);
  if (recomputed.distances) write_distances(*recomputed.distances, json);
  json.open("measures", '{');
  for (const aggregate::ComparedMeasure& compared : recomputed.measures)
    write_compared(compared, json);
  json.close('}');
  write_texts("kept", recomputed.kept, json);
  json.open("status", '{');
  for (int s = 0; s < status_count; ++s) {
    const std::size_t n = recomputed.statuses[static_cast<std::size_t>(s)].count;
    if (n > 0) json.integer(info(static_cast<Status>(s)).name, n);
  }
  json.close('}');
  json.integer("unscored", recomputed.unscored.count);
  write_texts("warnings", recomputed.inputs.warnings, json);
  json.close('}');
}

}  // namespace

std::string report_json(const AggregateReport& report, const JsonOptions& options) {
  io::JsonWriter json;
  json.open("", '{');
  json.text("warpath", WARPATH_VERSION);
  json.text("signature", signature_of(report).text());
  write_files(report.dump, json);
  json.integer("episodes", report.dump.episodes.size());
  if (report.options.episodes > 0) json.integer("episodes_of_the_run", report.options.episodes);
  json.text("invalid", word(report.options.invalid));
  json.text("missing", word(report.options.missing));
  write_texts("missing_files", report.dump.missing_files, json);
  write_texts("warnings", report.dump.notes, json);
  if (report.recomputed) write_recomputed(*report.recomputed, json);
  json.open("rules", '[');
  for (const auto& [rule, result] : report.rules) write_rule(report, *rule, result, json);
  json.close(']');
  return close_report(report.run_info, options, json);
}

}  // namespace warpath::report
