#include <algorithm>

#include "host/io/json_writer.hpp"
#include "host/report/metric_table.hpp"
#include "host/report/report.hpp"
#include "warpath/version.hpp"

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

class JsonReport {
 public:
  JsonReport(const EvalReport& report, const JsonOptions& options)
      : report_(report), options_(options) {}

  std::string write() {
    json_.open("", '{');
    json_.text("warpath", WARPATH_VERSION);
    write_inputs();
    write_convention(report_.convention);
    json_.text("precision", is_double_precision(report_) ? "double" : "single");
    write_interval();
    write_also_conventions();
    json_.open("runs", '[');
    for (std::size_t r = 0; r < report_.runs.size(); ++r) {
      json_.open("", '{');
      if (options_.flat_names)
        write_flat_run(r);
      else
        write_run(r);
      json_.close('}');
    }
    json_.close(']');
    if (options_.has_run_info) write_run_info();
    json_.close('}');
    return json_.take();
  }

 private:
  void write_inputs() {
    json_.open("dataset", '{');
    json_.text("file", report_.dataset_file);
    json_.text("hash", report_.dataset_hash);
    json_.text("format_description", report_.dataset_description);
    json_.close('}');
    json_.open("graphs", '{');
    json_.text("path", report_.graphs_path);
    json_.text("hash", report_.graphs_hash);
    json_.text("format_description", report_.graphs_detection);
    json_.close('}');
  }

  void write_convention(const Convention& convention) {
    json_.text("preset", convention.preset);
    json_.open("convention", '{');
    for (const Setting& setting : settings()) {
      if (setting.values == "NUMBER")
        json_.raw(setting.name, setting.get(convention));
      else
        json_.text(setting.name, setting.get(convention));
    }
    json_.close('}');
  }

  void write_interval() {
    json_.open("interval", '{');
    json_.number("level", 0.95);
    json_.text("ci", name(report_.interval));
    json_.close('}');
  }

  void write_also_conventions() {
    if (report_.also.empty()) return;
    json_.open("also", '[');
    for (const AlsoResult& also : report_.also) {
      json_.open("", '{');
      write_convention(also.convention);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_run(std::size_t r) {
    const AgentResult& run = report_.runs[r];
    json_.text("name", run.name);
    json_.text("file", run.file);
    json_.text("hash", run.hash);
    json_.text("format", run.format);
    json_.text("format_description", run.format_description);
    if (!run.task_success_hash.empty()) json_.text("task_success_hash", run.task_success_hash);
    write_metrics(run.summary, report_.metrics, report_.convention);
    write_counts(run.summary.counts);
    if (!report_.groups.empty()) write_groups(report_.groups[r]);
    if (report_.also.empty()) return;
    json_.open("also", '[');
    for (const AlsoResult& also : report_.also) {
      json_.open("", '{');
      json_.text("preset", also.convention.preset);
      write_metrics(also.runs[r].summary, differing(report_, also, report_.metrics),
                    also.convention);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_metrics(const ItemSummary& summary, const std::vector<Metric>& metrics,
                     const Convention& convention) {
    json_.open("metrics", '{');
    for (const Metric metric : metrics) {
      const MetricInfo& m = info(metric);
      const Estimate& estimate = summary.of(metric);
      json_.open(m.name, '{');
      json_.number("mean", estimate.mean);
      if (estimate.ci95)
        json_.numbers("ci95", {(*estimate.ci95)[0], (*estimate.ci95)[1]});
      else
        json_.null("ci95");
      json_.integer("n", estimate.n);
      json_.integer("of", estimate.of);
      json_.integer("clusters", estimate.clusters);
      json_.text("unit", json_unit(m, convention));
      json_.close('}');
    }
    json_.close('}');
  }

  void write_counts(const ItemStatistics& summary) {
    json_.integer("items", summary.items);
    json_.open("status", '{');
    for (int s = 0; s < status_count; ++s) {
      const std::uint64_t n = summary.statuses[s];
      if (n > 0) json_.integer(info(static_cast<Status>(s)).name, n);
    }
    json_.close('}');
    json_.open("zero_rules", '{');
    json_.integer("SPL", summary.zero_spl);
    json_.integer("LS", summary.zero_ls);
    json_.integer("SED", summary.zero_sed);
    json_.close('}');
  }

  void write_groups(const std::vector<Group>& groups) {
    json_.open("groups", '[');
    for (const Group& g : groups) {
      json_.open("", '{');
      json_.text(group_key(report_.by), g.name);
      if (options_.flat_names) {
        write_flat(g.summary);
      } else {
        write_metrics(g.summary, report_.metrics, report_.convention);
        write_counts(g.summary.counts);
      }
      json_.close('}');
    }
    json_.close(']');
  }

  void write_flat_run(std::size_t r) {
    json_.text("name", report_.runs[r].name);
    write_flat(report_.runs[r].summary);
    if (!report_.groups.empty()) write_groups(report_.groups[r]);
  }

  // A mean over fewer items than the others is followed by its own number of items.
  void write_flat(const ItemSummary& summary) {
    const std::uint64_t n = max_n(summary, report_.metrics);
    for (const Metric metric : report_.metrics) {
      const MetricInfo& m = info(metric);
      const Estimate& e = summary.of(metric);
      const double scale = m.unit == Unit::fraction ? 100.0 : 1.0;
      json_.number(flat_name(m), e.mean ? std::optional(scale * *e.mean) : std::nullopt);
      if (e.n != n) json_.integer(std::string(flat_name(m)) + "_n", e.n);
    }
    json_.integer("n", n);
    json_.integer("of", summary.counts.items);
  }

  void write_run_info() {
    const RunInfo& run_info = report_.run_info;
    json_.open("run_info", '{');
    json_.open("command_line", '[');
    for (const std::string& word : run_info.command_line) json_.text("", word);
    json_.close(']');
    json_.text("date", run_info.date);
    json_.integer("threads", run_info.threads);
    json_.text("backend", name(run_info.backend.backend));
    if (!run_info.backend.note.empty()) json_.text("backend_note", run_info.backend.note);
    json_.close('}');
  }

  const EvalReport& report_;
  const JsonOptions& options_;
  JsonWriter json_;
};

}  // namespace

std::string report_json(const EvalReport& report, const JsonOptions& options) {
  return JsonReport(report, options).write();
}

}  // namespace warpath
