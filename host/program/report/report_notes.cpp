#include "host/program/report/report_notes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/core/means/cluster_interval.hpp"
#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/status_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/program/report/print_parts.hpp"

namespace warpath::report {
namespace {

// Collects lines about agents, each line once with the agents that it applies to.
class AgentNotes {
 public:
  void add(const std::string& title, const std::string& text, const std::string& agent) {
    for (Note& note : notes_) {
      if (note.title != title || note.text != text) continue;
      note.agents.push_back(agent);
      return;
    }
    notes_.push_back({title, text, {agent}});
  }

  void append_to(std::vector<std::string>& lines, std::size_t n_agents) const {
    for (const Note& note : notes_) {
      const bool is_of_all = note.agents.size() == n_agents;
      lines.push_back(fmt::format(
          "{}{}: {}", note.title,
          is_of_all ? "" : fmt::format(" ({})", fmt::join(note.agents, ", ")), note.text));
    }
  }

 private:
  struct Note {
    std::string title, text;
    std::vector<std::string> agents;
  };
  std::vector<Note> notes_;
};

// Returns "340 paths", or "12 to 340 paths" if agents or metrics have values in different numbers.
std::string cluster_count(const EvalReport& report, std::string_view noun) {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  for (const AgentResult& run : report.runs) {
    for (const Metric m : report.printed) {
      const Estimate& e = run.summary.of(m);
      if (e.n == 0) continue;
      least = std::min(least, e.clusters);
      most = std::max(most, e.clusters);
    }
  }
  return least < most ? fmt::format("{} to {}", least, io::counted(most, noun))
                      : io::counted(most, noun);
}

std::string interval_note(const EvalReport& report) {
  const bool is_by_tour = !report.tours_file.empty();
  switch (report.interval) {
    case Interval::path:
      if (is_by_tour) {
        return "± 95 % interval, clustered by tour, " + cluster_count(report, "tour");
      }
      return "± 95 % interval, clustered by reference path, " + cluster_count(report, "path");
    case Interval::scan:
      return "± 95 % interval, clustered by scan, " + cluster_count(report, "scan");
    case Interval::none:
      return "± 95 % interval, every item taken for independent";
    case Interval::bootstrap:
      return fmt::format("95 % interval by bootstrap ({},{:03} draws of {}), {}",
                         means::bootstrap_draws / 1000, means::bootstrap_draws % 1000,
                         is_by_tour ? "tours" : "reference paths",
                         cluster_count(report, is_by_tour ? "tour" : "path"));
  }
  return "";
}

void add_warping_notes(const Convention& convention, std::vector<std::string>& lines) {
  if (convention.dtw_radius > 0) {
    lines.push_back(fmt::format(
        "DTW, nDTW and SDTW by FastDTW of radius {}, not exact, as {} of fastdtw 0.3.4 finds it",
        convention.dtw_radius,
        convention.dtw_build == FastDtw::pure ? "the pure Python" : "the compiled build"));
  }
  if (convention.ndtw == Ndtw::gaussian) {
    lines.emplace_back("nDTW, and so SDTW, by a mean of Gaussians of d(q, R), which is no DTW");
  }
}

// Names the metrics of the caller, and items for which they are not defined.
void add_own_notes(const EvalReport& report, std::vector<std::string>& lines) {
  if (report.own.empty()) return;
  std::vector<std::string_view> names;
  for (const OwnMetric& metric : report.own) names.push_back(metric.name);
  lines.push_back(
      fmt::format("own metrics, by functions of the caller: {}", fmt::join(names, ", ")));
  AgentNotes notes;
  for (std::size_t k = 0; k < report.own.size(); ++k) {
    for (const AgentResult& run : report.runs) {
      const evaluation::OwnGaps gaps = evaluation::gaps_of(run, k);
      if (gaps.n == 0) continue;
      notes.add(report.own[k].name,
                fmt::format("{} without a value, {}{}, in no mean", io::counted(gaps.n, "item"),
                            gaps.n == 1 ? "" : "first ", gaps.first),
                run.name);
    }
  }
  notes.append_to(lines, report.runs.size());
}

void add_other_tasks(const EvalReport& report, std::vector<std::string>& lines) {
  const auto add = [&](const Convention& convention) {
    const std::string note = other_task_note(convention, report.task);
    if (!note.empty()) lines.push_back("note: " + note);
  };
  add(report.convention);
  for (const AlsoResult& also : report.also) add(also.convention);
}

bool has_some_one_sided_interval(const EvalReport& report) {
  const auto of_agent = [&](const AgentResult& run) {
    return has_one_sided_interval(run.summary, report.printed);
  };
  const auto of_group = [&](const Group& group) {
    return has_one_sided_interval(group.summary, report.printed);
  };
  return std::ranges::any_of(report.runs, of_agent) ||
         std::ranges::any_of(
             report.also,
             [&](const auto& also) { return std::ranges::any_of(also.runs, of_agent); }) ||
         std::ranges::any_of(report.groups, [&](const auto& groups) {
           return std::ranges::any_of(groups, of_group);
         });
}

void add_zero_rules(const EvalReport& report, std::vector<std::string>& lines) {
  AgentNotes notes;
  for (const AgentResult& run : report.runs) {
    const std::string text = zero_rules_text(run.summary.counts, "item");
    if (!text.empty()) notes.add(std::string(zero_rules_title), text, run.name);
  }
  notes.append_to(lines, report.runs.size());
}

void add_problems(const EvalReport& report, std::vector<std::string>& lines) {
  AgentNotes notes;
  for (int s = 1; s < status_count; ++s) {
    const StatusInfo& status = info(static_cast<Status>(s));
    for (const AgentResult& run : report.runs) {
      const std::uint64_t n = run.summary.counts.statuses[s];
      if (n == 0) continue;
      const auto first = std::ranges::find(run.rows, static_cast<Status>(s), &ItemRow::status);
      notes.add(std::string(status.name),
                fmt::format("{} {}, {}{}; {}", io::counted(n, "item"),
                            evaluation::describe(static_cast<Status>(s), n), n == 1 ? "" : "first ",
                            first->instr_id, status.remedy),
                run.name);
    }
  }
  notes.append_to(lines, report.runs.size());
}

}  // namespace

std::vector<std::string> report_notes(const EvalReport& report, const PrintOptions& options) {
  std::vector<std::string> lines{convention_note(report.convention)};
  if (options.numbers.intervals) {
    lines.push_back(interval_note(report));
    if (has_some_one_sided_interval(report)) {
      lines.push_back(one_sided_note("item"));
    }
  }
  if (!report.run_groups.empty()) {
    lines.push_back(fmt::format(
        "of several runs: an item counts once in each, items of one {} are one cluster in all; "
        "SD over runs: standard deviation of the runs' means, by n − 1",
        report.tours_file.empty() ? "path" : "tour"));
  }
  lines.push_back(precision_note(is_double_precision(report), report.run_info.backend));
  const std::vector<std::string> signatures =
      signature_notes(signatures_of(report), SignatureForm::shorter);
  lines.insert(lines.end(), signatures.begin(), signatures.end());
  add_warping_notes(report.convention, lines);
  add_own_notes(report, lines);
  add_zero_rules(report, lines);
  add_other_tasks(report, lines);
  for (const std::string& notice : report.warnings) lines.push_back("note: " + notice);
  add_problems(report, lines);
  return lines;
}

}  // namespace warpath::report
