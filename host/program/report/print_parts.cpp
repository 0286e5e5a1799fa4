#include "host/program/report/print_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/core/definitions/presets.hpp"
#include "host/files/evaluation/own_metrics.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::report {

std::string printed_unit(const MetricInfo& metric, const Convention& convention,
                         const NumberStyle& style) {
  if (metric.unit == Unit::fraction && style.percent) return "%";
  return unit_name(metric, convention);
}

std::vector<MetricColumn> metric_columns(const std::vector<Metric>& metrics,
                                         const Convention& convention, const NumberStyle& style) {
  std::vector<MetricColumn> columns;
  for (const Metric m : metrics)
    columns.push_back({info(m), printed_unit(info(m), convention, style)});
  return columns;
}

void add_own_columns(const std::vector<OwnMetric>& own, const Convention& convention,
                     const NumberStyle& style, std::vector<MetricColumn>& columns) {
  for (std::size_t k = 0; k < own.size(); ++k) {
    const MetricInfo metric = evaluation::info_of(own[k]);
    columns.push_back({metric, printed_unit(metric, convention, style), k});
  }
}

std::string convention_note(const Convention& convention) {
  const auto settings = settings_that_differ(convention, find_preset(convention.preset).convention);
  if (settings.empty()) return "preset " + convention.preset;
  return fmt::format("preset {} with {}", convention.preset, fmt::join(settings, ", "));
}

std::string other_task_note(const Convention& convention, std::string_view task) {
  const auto is_of_task = [&](const definitions::PresetUse& use) {
    return std::ranges::find(use.tasks, task) != use.tasks.end();
  };
  const definitions::PresetUse& own = definitions::find_preset_use(convention.preset);
  if (task.empty() || own.tasks.empty() || is_of_task(own)) return "";
  std::vector<std::string_view> others;
  for (const definitions::PresetUse& use : definitions::preset_uses()) {
    if (is_of_task(use) && !use.is_of_tours) others.push_back(use.preset);
  }
  return fmt::format("preset {} is of {}; for {} see {}", convention.preset,
                     fmt::join(own.tasks, ", "), task, fmt::join(others, ", "));
}

std::string precision_note(bool is_double, const ResolvedBackend& backend) {
  const std::string_view precision = is_double ? "double precision" : "single precision";
  if (backend.backend == Backend::automatic) return std::string(precision);
  const bool has_note = !is_double && !backend.note.empty();
  return fmt::format("back end {}, {}{}", name(backend.backend), precision,
                     has_note ? " (" + backend.note + ")" : "");
}

std::string zero_rules_text(const ItemStatistics& counts, std::string_view noun) {
  std::vector<std::string> parts;
  for (const auto& [name, n] : {std::pair("SPL", counts.zero_spl), std::pair("LS", counts.zero_ls),
                                std::pair("SED", counts.zero_sed)}) {
    if (n > 0) parts.push_back(fmt::format("{} in {}", name, io::counted(n, noun)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool has_one_sided_interval(const ItemSummary& summary, const std::vector<Metric>& printed) {
  const auto is_one_sided = [](const Estimate& e) {
    return e.mean && e.ci95 && ((*e.ci95)[0] == *e.mean) != ((*e.ci95)[1] == *e.mean);
  };
  return std::ranges::any_of(printed, [&](Metric m) { return is_one_sided(summary.of(m)); }) ||
         std::ranges::any_of(summary.own, is_one_sided);
}

std::string one_sided_note(std::string_view noun) {
  return fmt::format("+ or − alone: every {0} has 0 or every {0} has 1, and the bound is Wilson's",
                     noun);
}

}  // namespace warpath::report
