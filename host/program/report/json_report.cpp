#include <numeric>
#include <optional>

#include "host/files/evaluation/own_metrics.hpp"
#include "host/files/io/json_writer.hpp"
#include "host/program/report/item_columns.hpp"
#include "host/program/report/json_parts.hpp"
#include "host/program/report/metric_table.hpp"
#include "host/program/report/report.hpp"

namespace warpath::report {
namespace {

class JsonReport {
 public:
  JsonReport(const EvalReport& report, const JsonOptions& options)
      : report_(report), options_(options) {}

  std::string write() {
    open_report(report_, report_.convention, is_double_precision(report_), json_);
    const bool is_by_tour = clusters_tours(report_.interval) && !report_.tours_file.empty();
    write_interval(report_.interval, is_by_tour ? "tours" : "", json_);
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
    if (!report_.run_groups.empty()) write_run_groups();
    return close_report(report_.run_info, options_, json_);
  }

 private:
  void write_also_conventions() {
    if (!report_.also.empty()) write_also_list();
    if (report_.refusing.empty()) return;
    json_.open("refusing_presets", '{');
    for (const RefusingPreset& refusing : report_.refusing)
      json_.text(refusing.preset, refusing.why);
    json_.close('}');
  }

  void write_also_list() {
    json_.open("also", '[');
    for (const AlsoResult& also : report_.also) {
      json_.open("", '{');
      write_convention(also.convention, report_.task, json_);
      if (report_.has_every_preset) write_causes(also.causes);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_causes(const std::vector<Cause>& causes) {
    json_.open("changed_by", '{');
    for (const Cause& cause : causes) {
      json_.open(cause.setting, '[');
      for (const Metric m : cause.metrics) json_.text("", info(m).name);
      json_.close(']');
    }
    json_.close('}');
  }

  void write_run(std::size_t r) {
    const AgentResult& run = report_.runs[r];
    json_.text("name", run.name);
    if (!run.reference.empty()) json_.text("reference", run.reference);
    json_.text("file", run.file);
    json_.text("hash", run.hash);
    json_.text("signature", signature_of(report_, run, report_.convention).text());
    json_.text("format", run.format);
    json_.text("format_description", run.format_description);
    if (!run.task_success_hash.empty()) json_.text("task_success_hash", run.task_success_hash);
    if (run.distances) write_distances(*run.distances, json_);
    write_metrics(run.summary, report_.metrics, report_.convention);
    write_own(run.summary, all_own(), report_.convention);
    write_counts(run.summary.counts, json_);
    if (!report_.groups.empty()) write_groups(report_.groups[r]);
    if (options_.has_items) {
      write_item_columns(run, report_.metrics, report_.convention, is_double_precision(report_),
                         json_);
    }
    if (report_.also.empty()) return;
    json_.open("also", '[');
    for (const AlsoResult& also : report_.also) {
      json_.open("", '{');
      json_.text("preset", also.convention.preset);
      json_.text("signature", signature_of(report_, also.runs[r], also.convention).text());
      write_metrics(also.runs[r].summary, differing(report_, also, report_.metrics),
                    also.convention);
      write_own(also.runs[r].summary, own_differing(report_, also), also.convention);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_run_groups() {
    json_.open("agents", '[');
    for (const RunGroup& group : report_.run_groups) {
      json_.open("", '{');
      json_.text("name", group.agent);
      if (!group.reference.empty()) json_.text("reference", group.reference);
      json_.open("runs", '[');
      for (const std::size_t r : group.runs) json_.text("", report_.runs[r].name);
      json_.close(']');
      json_.open("metrics", '{');
      for (const Metric metric : report_.metrics) {
        const MetricInfo& m = info(metric);
        json_.open(m.name, '{');
        write_estimate(group.summary.of(metric), m, report_.convention, json_);
        json_.number("sd_over_runs", group.deviations[metric]);
        json_.close('}');
      }
      json_.close('}');
      write_own(group.summary, all_own(), report_.convention, &group.own_deviations);
      json_.close('}');
    }
    json_.close(']');
  }

  void write_metrics(const ItemSummary& summary, const std::vector<Metric>& metrics,
                     const Convention& convention) {
    json_.open("metrics", '{');
    for (const Metric metric : metrics) {
      const MetricInfo& m = info(metric);
      json_.open(m.name, '{');
      write_estimate(summary.of(metric), m, convention, json_);
      json_.close('}');
    }
    json_.close('}');
  }

  std::vector<std::size_t> all_own() const {
    std::vector<std::size_t> numbers(report_.own.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    return numbers;
  }

  // Writes metrics of the caller. @param deviations over runs; null: it is no group of runs
  void write_own(const ItemSummary& summary, const std::vector<std::size_t>& numbers,
                 const Convention& convention,
                 const std::vector<std::optional<double>>* deviations = nullptr) {
    if (numbers.empty()) return;
    json_.open("own_metrics", '{');
    for (const std::size_t k : numbers) {
      const MetricInfo m = evaluation::info_of(report_.own[k]);
      json_.open(m.name, '{');
      write_estimate(summary.own[k], m, convention, json_);
      json_.text("better", m.better == Better::higher  ? "higher"
                           : m.better == Better::lower ? "lower"
                                                       : "neither");
      if (deviations != nullptr) json_.number("sd_over_runs", (*deviations)[k]);
      json_.close('}');
    }
    json_.close('}');
  }

  void write_groups(const std::vector<Group>& groups) {
    json_.open("groups", '[');
    for (const Group& g : groups) {
      json_.open("", '{');
      json_.text(group_key(report_.by), g.name);
      if (options_.flat_names) {
        write_flat_summary(g.summary);
      } else {
        write_metrics(g.summary, report_.metrics, report_.convention);
        write_own(g.summary, all_own(), report_.convention);
        write_counts(g.summary.counts, json_);
      }
      json_.close('}');
    }
    json_.close(']');
  }

  void write_flat_run(std::size_t r) {
    json_.text("name", report_.runs[r].name);
    write_flat_summary(report_.runs[r].summary);
    if (!report_.groups.empty()) write_groups(report_.groups[r]);
  }

  void write_flat_summary(const ItemSummary& summary) {
    write_flat(summary, report_.metrics, json_);
    for (std::size_t k = 0; k < report_.own.size(); ++k) {
      write_flat_own(summary.own[k], evaluation::info_of(report_.own[k]),
                     max_n(summary, report_.metrics), json_);
    }
  }

  const EvalReport& report_;
  const JsonOptions& options_;
  io::JsonWriter json_;
};

}  // namespace

std::string report_json(const EvalReport& report, const JsonOptions& options) {
  return JsonReport(report, options).write();
}

}  // namespace warpath::report
