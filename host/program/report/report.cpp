#include "host/program/report/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace warpath::report {

Signature signature_of(const EvalReport& report, const AgentResult& run,
                       const Convention& convention) {
  Signature signature;
  signature.add_convention(convention);
  signature.add_dataset(report, run.reference.empty() ? report.reference : run.reference);
  signature.add_graphs(report);
  signature.add_hash("objects", report.objects_hash);
  signature.add_hash("task_success", run.task_success_hash);
  signature.add_distances(run.distances);
  signature.add_counts(run.summary.counts);
  std::vector<std::string_view> own;
  for (const OwnMetric& metric : report.own) own.push_back(metric.name);
  signature.add("own_metrics", fmt::format("{}", fmt::join(own, ",")));
  signature.add_version();
  return signature;
}

std::vector<AgentSignature> signatures_of(const EvalReport& report) {
  std::vector<AgentSignature> signatures;
  for (const AgentResult& run : report.runs)
    signatures.push_back({run.name, signature_of(report, run, report.convention)});
  return signatures;
}

std::string unit_name(const MetricInfo& metric, const Convention& convention) {
  const bool is_ratio =
      metric.metric == Metric::DTW && convention.dtw_norm == DtwNorm::reference_length;
  const bool is_of_viewpoints =
      metric.metric == Metric::EPL && convention.cls_length == ClsLength::nodes;
  if (metric.unit == Unit::angle) return "turns";
  if (metric.unit != Unit::length || is_ratio || is_of_viewpoints) return "";
  return convention.distance == Distance::hops ? "edges" : "m";
}

std::vector<std::string> settings_that_differ(const Convention& convention,
                                              const Convention& from) {
  std::vector<std::string> words;
  for (const Setting& setting : settings()) {
    const std::string value = setting.get(convention);
    if (value != setting.get(from)) words.push_back(fmt::format("{}={}", setting.name, value));
  }
  return words;
}

std::vector<Metric> headline_metrics(const MetricSet& among) {
  std::vector<Metric> metrics;
  for (const MetricInfo& m : metric_table()) {
    const bool is_of_region = m.metric == Metric::GP && among.contains(Metric::OGP);
    if ((m.headline || is_of_region) && among.contains(m.metric)) metrics.push_back(m.metric);
  }
  return metrics;
}

namespace {

// Tells whether some agent's estimate differs between the two conventions.
template <class EstimateIn>
bool differs(const EvalReport& report, const AlsoResult& also, const EstimateIn& estimate_in) {
  for (std::size_t r = 0; r < report.runs.size(); ++r) {
    const Estimate& a = estimate_in(report.runs[r].summary);
    const Estimate& b = estimate_in(also.runs[r].summary);
    if (a.n != b.n || a.of != b.of || a.mean != b.mean) return true;
  }
  return false;
}

}  // namespace

std::vector<Metric> differing(const EvalReport& report, const AlsoResult& also,
                              const std::vector<Metric>& among) {
  std::vector<Metric> metrics;
  for (const Metric m : among) {
    const auto of = [m](const ItemSummary& s) -> const Estimate& { return s.of(m); };
    if (differs(report, also, of)) metrics.push_back(m);
  }
  return metrics;
}

std::vector<std::size_t> own_differing(const EvalReport& report, const AlsoResult& also) {
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < report.own.size(); ++k) {
    const auto of = [k](const ItemSummary& s) -> const Estimate& { return s.own[k]; };
    if (differs(report, also, of)) numbers.push_back(k);
  }
  return numbers;
}

std::string_view group_key(GroupBy by) {
  switch (by) {
    case GroupBy::scan:
      return "scan";
    case GroupBy::length:
      return "n_ref";
    case GroupBy::language:
      return "language";
    default:
      return "";
  }
}

bool clusters_tours(Interval interval) {
  return interval == Interval::path || interval == Interval::bootstrap;
}

std::string tours_csv(const EvalReport& report, const CsvOptions& options) {
  CsvWriter csv(options);
  csv.header("run,tour,scan,episodes,weight,n_query,n_ref,DTW,t-nDTW,t-SR,t-SPL,t-SDTW");
  for (const AgentResult& run : report.runs) {
    for (const TourRow& tour : run.tours) {
      for (const std::string* text : {&run.name, &tour.name, &tour.scan}) csv.text(*text);
      csv.count(tour.episodes);
      csv.number(tour.weight, true);
      csv.count(tour.n_query);
      csv.count(tour.n_ref);
      csv.number(tour.dtw, true);
      for (const MetricInfo& m : metric_table()) {
        if (is_of_tours(m.metric)) csv.number(tour.values[m.metric], true);
      }
      csv.end_row();
    }
  }
  return csv.take();
}

bool is_double_precision(const EvalReport& report) {
  return report.run_info.backend.backend == Backend::reference;
}

}  // namespace warpath::report
