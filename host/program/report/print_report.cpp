#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "host/files/io/wrap.hpp"
#include "host/program/report/metric_table.hpp"
#include "host/program/report/print_parts.hpp"
#include "host/program/report/report.hpp"
#include "host/program/report/report_notes.hpp"

namespace warpath::report {
namespace {

class DocumentMaker {
 public:
  DocumentMaker(const EvalReport& report, const PrintOptions& options)
      : report_(report), options_(options), labels_(agent_labels()) {}

  Document document() {
    add_inputs();
    add_agents();
    if (report_.has_every_preset)
      add_every_preset();
    else
      for (const AlsoResult& also : report_.also) add_also(also);
    add_groups();
    out_.notes = report_notes(report_, options_);
    out_.comments = signature_notes(signatures_of(report_), SignatureForm::full);
    out_.notes.insert(out_.notes.end(), also_notes_.begin(), also_notes_.end());
    return std::move(out_);
  }

 private:
  // Returns the names of agents, and of those with several runs, shortened if a text table has no
  // room for them, unless two would become equal.
  std::vector<std::string> agent_labels() const {
    std::vector<std::string> names, labels;
    for (const AgentResult& run : report_.runs) names.push_back(run.name);
    for (const RunGroup& group : report_.run_groups) names.push_back(name_of(group));
    for (const std::string& name : names) labels.push_back(shortened(name));
    const bool is_text = options_.style == Table::Style::text;
    const bool is_unique = std::set(labels.begin(), labels.end()).size() == labels.size();
    return is_text && is_unique ? labels : names;
  }

  static std::string name_of(const RunGroup& group) {
    return group.reference.empty() ? group.agent
                                   : fmt::format("{} [{}]", group.agent, group.reference);
  }

  std::string shortened(const std::string& name) const {
    return io::shortened_to_width(
        name, static_cast<std::size_t>(std::max(12, options_.layout.max_width / 3)));
  }

  void add_inputs() {
    if (!report_.graphs_path.empty()) out_.add_input(report_.graphs_path, report_.graphs_detection);
    out_.add_input(report_.dataset_file, report_.dataset_description);
    if (!report_.objects_path.empty()) {
      out_.add_input(report_.objects_path, report_.objects_description);
    }
    if (!report_.tours_file.empty()) out_.add_input(report_.tours_file, report_.tours_description);
    if (!report_.is_pairs) add_prediction_files();
    for (const std::string& file : report_.task_success_files) {
      out_.add_input(file, "task success, which SDTW takes for SR");
    }
  }

  // Names the files. Agents whose files were read in the same way share a line.
  void add_prediction_files() {
    std::vector<std::string> said;
    for (const AgentResult& run : report_.runs) {
      if (std::ranges::find(said, run.format_description) != said.end()) continue;
      said.push_back(run.format_description);
      std::vector<std::string> alike;
      for (const AgentResult& other : report_.runs) {
        if (other.format_description == run.format_description) alike.push_back(other.name);
      }
      out_.add_input(alike.size() == 1 ? run.file : fmt::format("{}", fmt::join(alike, ", ")),
                     run.format_description + (alike.size() == 1 ? "" : " each"));
    }
  }

  // Returns the columns of the table of agents.
  std::vector<MetricColumn> all_columns() const {
    std::vector<MetricColumn> columns =
        metric_columns(report_.printed, report_.convention, options_.numbers);
    add_own_columns(report_.own, report_.convention, options_.numbers, columns);
    return columns;
  }

  // Returns those of them for which a mean or count differs under one of these presets.
  std::vector<MetricColumn> differing_columns(const std::vector<const AlsoResult*>& others) const {
    MetricSet metrics;
    std::set<std::size_t> own;
    for (const AlsoResult* other : others) {
      for (const Metric m : differing(report_, *other, report_.printed)) metrics.insert(m);
      for (const std::size_t k : own_differing(report_, *other)) own.insert(k);
    }
    std::vector<MetricColumn> columns = all_columns();
    std::erase_if(columns, [&](const MetricColumn& c) {
      return c.own ? !own.contains(*c.own) : !metrics.contains(c.metric.metric);
    });
    return columns;
  }

  void add_agents() {
    const std::vector<MetricColumn> columns = all_columns();
    std::vector<MetricRow> rows;
    std::deque<ItemSummary> deviations;  // rows refer to them
    for (std::size_t r = 0; r < report_.runs.size(); ++r) {
      if (report_.runs[r].run_of.empty())
        rows.push_back({labels_[r], report_.runs[r].summary, report_.runs[r].reference});
      for (std::size_t g = 0; g < report_.run_groups.size(); ++g) {
        if (report_.run_groups[g].runs.front() == r) add_run_group(g, rows, deviations);
      }
    }
    const bool has_references = !report_.runs.front().reference.empty();
    Table table = make_metric_table(has_references ? "agent [reference]" : "agent", rows, columns,
                                    options_.numbers);
    mark_best(table, rows, columns, options_.numbers);
    out_.tables.push_back(std::move(table));
  }

  // Adds the means of an agent's runs, and below them the deviations of the runs from each other.
  void add_run_group(std::size_t number, std::vector<MetricRow>& rows,
                     std::deque<ItemSummary>& deviations) const {
    const RunGroup& group = report_.run_groups[number];
    const std::string& label = labels_[report_.runs.size() + number];
    rows.push_back(
        {fmt::format("{}, {} runs", label, group.runs.size()), group.summary, group.reference});
    ItemSummary& deviation = deviations.emplace_back();
    for (const Metric m : report_.printed) {
      const std::size_t n = group.deviations[m] ? group.runs.size() : 0;
      deviation.estimates[m] = {group.deviations[m], std::nullopt, n, group.runs.size(), n};
    }
    for (const std::optional<double>& own : group.own_deviations) {
      const std::size_t n = own ? group.runs.size() : 0;
      deviation.own.push_back({own, std::nullopt, n, group.runs.size(), n});
    }
    rows.push_back({"  SD over runs", deviation, group.reference, true});
  }

  void add_also(const AlsoResult& also) {
    const std::string& preset = also.convention.preset;
    std::vector<MetricColumn> columns = differing_columns({&also});
    if (columns.empty()) {
      also_notes_.push_back(fmt::format("also {}: every mean is the same", preset));
      return;
    }
    add_preset_table(std::move(columns), {&also});
    const auto settings = settings_that_differ(also.convention, report_.convention);
    also_notes_.push_back(fmt::format("{} differs from {} in: {}", preset,
                                      report_.convention.preset, fmt::join(settings, ", ")));
  }

  // Adds a table with rows of each agent under the report's own preset and under others.
  void add_preset_table(std::vector<MetricColumn> columns,
                        const std::vector<const AlsoResult*>& others) {
    for (MetricColumn& column : columns) {
      for (const AlsoResult* other : others) {
        const std::string its = printed_unit(column.metric, other->convention, options_.numbers);
        if (!its.empty() && column.unit.find(its) == std::string::npos)
          column.unit += fmt::format(" | {}", its);
      }
    }
    std::vector<MetricRow> rows;
    for (std::size_t r = 0; r < report_.runs.size(); ++r) {
      rows.push_back(
          {fmt::format("{} [{}]", labels_[r], report_.convention.preset), report_.runs[r].summary});
      for (const AlsoResult* other : others) {
        rows.push_back(
            {fmt::format("{} [{}]", labels_[r], other->convention.preset), other->runs[r].summary});
      }
    }
    out_.tables.push_back(make_metric_table("agent [preset]", rows, columns, options_.numbers));
  }

  // Adds one table of all presets under which a mean differs, and says which settings make it so.
  void add_every_preset() {
    std::vector<const AlsoResult*> others;
    std::vector<std::string_view> equal;
    for (const AlsoResult& also : report_.also) {
      const std::vector<Metric> differ = differing(report_, also, report_.printed);
      const std::vector<std::size_t> own = own_differing(report_, also);
      if (differ.empty() && own.empty()) {
        equal.push_back(also.convention.preset);
        continue;
      }
      others.push_back(&also);
      also_notes_.push_back(
          fmt::format("{}: {}", also.convention.preset, text_of_causes(also, differ, own)));
    }
    if (!others.empty()) add_preset_table(differing_columns(others), others);
    if (!equal.empty()) {
      also_notes_.push_back(
          fmt::format("every mean of the table is the same under {}", fmt::join(equal, ", ")));
    }
    for (const RefusingPreset& refusing : report_.refusing) {
      also_notes_.push_back(fmt::format("{} refuses the files: {}", refusing.preset, refusing.why));
    }
  }

  // Returns "SR, SPL by success=lt; CLS by several settings together".
  // Of metrics of the caller, whose functions are not called for every setting, no cause is known.
  std::string text_of_causes(const AlsoResult& also, const std::vector<Metric>& differ,
                             const std::vector<std::size_t>& own) const {
    std::vector<std::pair<std::string, std::string>> parts;  // settings, and metrics
    for (const Metric m : differ) {
      std::vector<std::string_view> settings;
      for (const Cause& cause : also.causes) {
        if (std::ranges::find(cause.metrics, m) != cause.metrics.end())
          settings.push_back(cause.setting);
      }
      if (settings.empty()) settings.push_back("several settings together");
      const std::string by = fmt::format("{}", fmt::join(settings, ", "));
      const auto part = std::ranges::find(parts, by, &std::pair<std::string, std::string>::first);
      if (part == parts.end())
        parts.emplace_back(by, info(m).name);
      else
        part->second += fmt::format(", {}", info(m).name);
    }
    std::string text;
    for (const auto& [by, metrics] : parts)
      text += fmt::format("{}{} by {}", text.empty() ? "" : "; ", metrics, by);
    for (const std::size_t k : own)
      text += fmt::format("{}{}, causes not sought", text.empty() ? "" : "; ", report_.own[k].name);
    return text;
  }

  void add_groups() {
    const std::string_view key = group_key(report_.by);
    for (std::size_t r = 0; r < report_.groups.size(); ++r) {
      std::vector<MetricRow> rows;
      for (const Group& g : report_.groups[r]) {
        rows.push_back({g.name.empty() ? "(none)" : g.name, g.summary});
      }
      const std::string corner =
          report_.runs.size() > 1 ? fmt::format("{} by {}", labels_[r], key) : std::string(key);
      out_.tables.push_back(make_metric_table(corner, rows, all_columns(), options_.numbers));
    }
  }

  const EvalReport& report_;
  const PrintOptions& options_;
  std::vector<std::string> labels_;
  std::vector<std::string> also_notes_;
  Document out_;
};

}  // namespace

Document report_document(const EvalReport& report, const PrintOptions& options) {
  return DocumentMaker(report, options).document();
}

}  // namespace warpath::report
