#include <fmt/compile.h>
#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "host/report/json_writer.hpp"
#include "host/report/report.hpp"

namespace warpath {
namespace {

std::string json_unit(const MetricInfo& m, const Convention& convention) {
  if (m.unit == Unit::fraction) return "fraction";
  if (m.unit == Unit::count) return "count";
  const std::string unit = unit_name(m, convention);
  return unit.empty() ? "ratio" : unit;
}

void write_metrics(JsonWriter& json, const ItemSummary& summary, const std::vector<Metric>& metrics,
                   const Convention& convention) {
  json.open("metrics", '{');
  for (const Metric metric : metrics) {
    const MetricInfo& m = info(metric);
    const Estimate& estimate = summary.of(metric);
    json.open(m.name, '{');
    json.number("mean", estimate.mean);
    if (estimate.ci95) json.numbers("ci95", {(*estimate.ci95)[0], (*estimate.ci95)[1]});
    else json.null("ci95");
    json.integer("n", estimate.n);
    json.integer("of", estimate.of);
    json.text("unit", json_unit(m, convention));
    json.close('}');
  }
  json.close('}');
}

void write_counts(JsonWriter& json, const Summary& summary) {
  json.integer("items", summary.items);
  json.open("status", '{');
  for (int s = 0; s < status_count; ++s) {
    if (summary.statuses[s] > 0) json.integer(info(static_cast<Status>(s)).name, summary.statuses[s]);
  }
  json.close('}');
  json.open("zero_rules", '{');
  json.integer("SPL", summary.zero_spl);
  json.integer("LS", summary.zero_ls);
  json.integer("SED", summary.zero_sed);
  json.close('}');
}

void write_convention(JsonWriter& json, const Convention& convention) {
  json.text("preset", convention.preset);
  json.open("convention", '{');
  for (const Knob& knob : knobs()) {
    if (knob.values == "NUMBER") json.raw(knob.name, knob.get(convention));
    else json.text(knob.name, knob.get(convention));
  }
  json.close('}');
}

void write_run(JsonWriter& json, const EvalReport& report, std::size_t number) {
  const Run& run = report.runs[number];
  json.text("run", run.name);
  write_metrics(json, run.summary, report.metrics, report.convention);
  write_counts(json, run.summary.counts);
  if (report.by != GroupBy::none) {
    json.open("groups", '[');
    for (const Group& g : group(run, report.by, report.convention, report.interval)) {
      json.open("", '{');
      json.text(report.by == GroupBy::scan ? "scan" : "n_ref", g.name);
      write_metrics(json, g.summary, report.metrics, report.convention);
      write_counts(json, g.summary.counts);
      json.close('}');
    }
    json.close(']');
  }
  for (const AlsoResult& also : report.also) {
    if (&also == &report.also.front()) json.open("also", '[');
    json.open("", '{');
    write_convention(json, also.convention);
    write_metrics(json, also.runs[number].summary, differing(report, also, report.metrics),
                  also.convention);
    json.close('}');
    if (&also == &report.also.back()) json.close(']');
  }
  json.open("provenance", '{');
  json.text("warpath", WARPATH_VERSION);
  write_convention(json, report.convention);
  json.text("backend", name(report.backend.backend));
  json.null("seed");  // nothing here is drawn at random
  json.text("graphs_hash", report.evaluator.graph_hash());
  json.text("dataset_hash", report.evaluator.dataset_hash());
  json.text("predictions_hash", run.hash);
  json.text("predictions_format", run.format);
  json.text("dataset", report.evaluator.dataset_detection());
  if (!run.task_success_hash.empty()) json.text("task_success_hash", run.task_success_hash);
  json.close('}');
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string out = "\"";
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void append_rows(const EvalReport& report, const Run& run, std::size_t begin, std::size_t end,
                 std::string& csv) {
  const std::string name = quoted(run.name);
  for (std::size_t r = begin; r < end; ++r) {
    const ItemRow& row = run.rows[r];
    csv.append(name).append(",").append(quoted(row.instr_id)).append(",");
    csv.append(quoted(row.scan)).append(",").append(info(row.status).name);
    for (const Metric m : report.metrics) {
      csv += ',';
      if (!row.pair) continue;
      const double value = run.scores.at(m, *row.pair);
      if (std::isfinite(value)) fmt::format_to(std::back_inserter(csv), FMT_COMPILE("{}"), value);
    }
    csv += '\n';
  }
}

}  // namespace

std::string report_json(const EvalReport& report) {
  JsonWriter json;
  json.open("", '{');
  if (report.runs.size() == 1) {
    write_run(json, report, 0);
  } else {
    json.open("runs", '[');
    for (std::size_t r = 0; r < report.runs.size(); ++r) {
      json.open("", '{');
      write_run(json, report, r);
      json.close('}');
    }
    json.close(']');
  }
  json.close('}');
  return json.take();
}

std::string report_csv(const EvalReport& report) {
  constexpr std::size_t chunk = 4096;
  std::string csv = "run,instr_id,scan,status";
  for (const Metric m : report.metrics) csv.append(",").append(info(m).name);
  csv += '\n';
  for (const Run& run : report.runs) {
    std::vector<std::string> parts((run.rows.size() + chunk - 1) / chunk);
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t k) {
      const std::size_t begin = k * chunk;
      append_rows(report, run, begin, std::min(begin + chunk, run.rows.size()), parts[k]);
    });
    for (const std::string& part : parts) csv += part;
  }
  return csv;
}

}  // namespace warpath
