#include "host/program/report/make_report.hpp"

#include <fmt/format.h>
#include <tbb/info.h>

#include <algorithm>
#include <ctime>

#include "host/files/io/input_file.hpp"
#include "host/program/report/every_preset.hpp"
#include "host/tasks/tasks.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

void refuse_without_language(const EvalReport& report) {
  for (const AgentResult& run : report.runs) {
    if (std::ranges::any_of(run.rows, [](const ItemRow& row) { return !row.language.empty(); })) {
      return;
    }
  }
  throw InputError({report.dataset_file}, "no item has a language",
                   "leave --by language away; RxR's annotations have one");
}

// Says why an agent that names no objects lacks metrics; empty: its task never has them.
std::string_view without_objects(std::string_view task_name) {
  for (const tasks::Task* task : tasks::list()) {
    if (task->name == task_name) return task->without_objects;
  }
  return "";
}

void refuse_unavailable(const MetricSet& named, const MetricSet& available,
                        const Evaluator& evaluator) {
  if (std::ranges::all_of(named, [&](Metric m) { return available.contains(m); })) return;
  const InputDescription inputs = evaluator.description();
  constexpr MetricSet of_objects{Metric::RGS, Metric::RGSPL};
  const std::string_view without = without_objects(inputs.task);
  for (const Metric m : named) {
    if (available.contains(m)) continue;
    if (is_of_tours(m) && inputs.tours_file.empty()) {
      throw UsageError(
          fmt::format("--metrics {}: there are no tours: name them by --tours", info(m).name));
    }
    if (of_objects.contains(m) && !without.empty() && inputs.objects_path.empty()) {
      throw UsageError(fmt::format("--metrics {}: {}", info(m).name, without));
    }
    throw UsageError(
        fmt::format("--metrics {}: {} has not what it needs ({}); leave it out, or see "
                    "docs/tasks.md",
                    info(m).name, inputs.dataset_description, info(m).title));
  }
}

std::vector<Metric> those_of(const MetricSet& available, std::vector<Metric> metrics) {
  std::erase_if(metrics, [&](Metric m) { return !available.contains(m); });
  return metrics;
}

}  // namespace

void describe_walks(const RandomBaseline& baseline, WalkReport& report) {
  static_cast<InputDescription&>(report) = baseline.description();
  report.references = baseline.walks().references().size();
  report.steps = baseline.walks().steps();
  report.steps_description = baseline.steps_description();
  report.steps_hash = baseline.steps_hash();
}

RunInfo run_info_now(const std::vector<std::string>& command_line, const ResolvedBackend& backend) {
  return {command_line, utc_now(), static_cast<unsigned>(tbb::info::default_concurrency()),
          backend};
}

EvalReport make_report(Evaluator& evaluator, const ReportRequest& request) {
  EvalReport report;
  report.convention = request.convention;
  report.interval = request.options.interval;
  report.by = request.by;
  report.own = request.options.own.metrics;
  const MetricSet available = evaluator.metrics();
  refuse_unavailable(request.named, available, evaluator);
  report.metrics = those_of(available, request.metrics);
  report.printed =
      request.printed.empty() ? headline_metrics(available) : those_of(available, request.printed);
  const ResolvedBackend chosen = evaluator.resolve(request.options.backend, request.convention);
  report.run_info = run_info_now(request.command_line, chosen);
  EvalOptions options = request.options;
  options.backend = chosen.backend;
  options.metrics = MetricSet(request.metrics);

  report.runs = evaluator.evaluate(request.convention, options);
  report.run_groups = group_runs(report.runs, request.convention, options.interval);
  for (const Convention& other : request.also) {
    report.also.push_back({other, evaluator.evaluate(other, options)});
  }
  static_cast<InputDescription&>(report) = evaluator.description();
  if (request.every_preset) add_every_preset(evaluator, request.every_preset, options, report);
  for (const AgentResult& run : report.runs) {
    if (!run.published.empty()) report.warnings.push_back(run.file + ": " + run.published);
  }
  if (request.by == GroupBy::language) refuse_without_language(report);
  if (request.by != GroupBy::none) {
    for (const AgentResult& run : report.runs) {
      report.groups.push_back(group(run, request.by, request.convention, options.interval));
    }
  }
  return report;
}

}  // namespace warpath::report
