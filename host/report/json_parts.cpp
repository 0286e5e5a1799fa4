#include "host/report/json_parts.hpp"

#include "host/report/metric_table.hpp"

namespace warpath {
namespace {

std::string json_unit(const MetricInfo& m, const Convention& convention) {
  if (m.unit == Unit::fraction) return "fraction";
  if (m.unit == Unit::count) return "count";
  const std::string unit = unit_name(m, convention);
  return unit.empty() ? "ratio" : unit;
}

// Returns the metric's name as training code and dashboards spell it.
std::string_view flat_name(const MetricInfo& m) {
  switch (m.metric) {
    case Metric::SR:
      return "sr";
    case Metric::OSR:
      return "oracle_sr";
    case Metric::SPL:
      return "spl";
    case Metric::PL:
      return "lengths";
    case Metric::NE:
      return "nav_error";
    case Metric::ONE:
      return "oracle_error";
    case Metric::GP:
      return "gp";
    default:
      return m.name;
  }
}

}  // namespace

void write_inputs(const ReportInputs& inputs, JsonWriter& json) {
  json.open("dataset", '{');
  json.text("file", inputs.dataset_file);
  json.text("hash", inputs.dataset_hash);
  json.text("format_description", inputs.dataset_description);
  json.close('}');
  json.open("graphs", '{');
  json.text("path", inputs.graphs_path);
  json.text("hash", inputs.graphs_hash);
  json.text("format_description", inputs.graphs_detection);
  json.close('}');
}

void write_convention(const Convention& convention, JsonWriter& json) {
  json.text("preset", convention.preset);
  json.open("convention", '{');
  for (const Setting& setting : settings()) {
    if (setting.values == "NUMBER")
      json.raw(setting.name, setting.get(convention));
    else
      json.text(setting.name, setting.get(convention));
  }
  json.close('}');
}

void write_estimate(const Estimate& estimate, const MetricInfo& m, const Convention& convention,
                    JsonWriter& json) {
  json.number("mean", estimate.mean);
  if (estimate.ci95)
    json.numbers("ci95", {(*estimate.ci95)[0], (*estimate.ci95)[1]});
  else
    json.null("ci95");
  json.integer("n", estimate.n);
  json.integer("of", estimate.of);
  json.integer("clusters", estimate.clusters);
  json.text("unit", json_unit(m, convention));
}

void write_counts(const ItemStatistics& summary, JsonWriter& json) {
  json.integer("items", summary.items);
  json.open("status", '{');
  for (int s = 0; s < status_count; ++s) {
    const std::uint64_t n = summary.statuses[s];
    if (n > 0) json.integer(info(static_cast<Status>(s)).name, n);
  }
  json.close('}');
  json.open("zero_rules", '{');
  json.integer("SPL", summary.zero_spl);
  json.integer("LS", summary.zero_ls);
  json.integer("SED", summary.zero_sed);
  json.close('}');
}

void write_flat(const ItemSummary& summary, const std::vector<Metric>& metrics, JsonWriter& json) {
  const std::uint64_t n = max_n(summary, metrics);
  for (const Metric metric : metrics) {
    const MetricInfo& m = info(metric);
    const Estimate& e = summary.of(metric);
    const double scale = m.unit == Unit::fraction ? 100.0 : 1.0;
    json.number(flat_name(m), e.mean ? std::optional(scale * *e.mean) : std::nullopt);
    if (e.n != n) json.integer(std::string(flat_name(m)) + "_n", e.n);
  }
  json.integer("n", n);
  json.integer("of", summary.counts.items);
}

void write_run_info(const RunInfo& run_info, JsonWriter& json) {
  json.open("run_info", '{');
  json.open("command_line", '[');
  for (const std::string& word : run_info.command_line) json.text("", word);
  json.close(']');
  json.text("date", run_info.date);
  json.integer("threads", run_info.threads);
  if (run_info.backend.backend != Backend::automatic) {
    json.text("backend", name(run_info.backend.backend));
  }
  if (!run_info.backend.note.empty()) json.text("backend_note", run_info.backend.note);
  json.close('}');
}

}  // namespace warpath
