#include <fmt/format.h>

#include <algorithm>

#include "host/report/report.hpp"

namespace warpath {
namespace {

class Printer {
 public:
  Printer(const EvalReport& report, const PrintOptions& options)
      : report_(report), options_(options) {}

  std::string print() {
    inputs();
    out_ += '\n' + main_table().render(options_.style) + '\n';
    for (const AlsoResult& also : report_.also) also_table(also);
    if (report_.by != GroupBy::none) group_tables();
    conventions();
    trouble();
    return std::move(out_);
  }

 private:
  void line(std::string_view text) { out_.append(text).append("\n"); }

  void inputs() {
    const EvalFiles& files = report_.evaluator.files();
    line(fmt::format("{}: {}", files.pairs.empty() ? files.dataset : files.pairs,
                     report_.evaluator.dataset_detection()));
    if (files.pairs.empty()) {
      for (const Run& run : report_.runs) line(fmt::format("{}: {}", run.file, run.detection));
    }
  }

  std::string number(double value, const MetricInfo& m) const {
    if (m.unit == Unit::fraction) {
      return options_.percent ? fmt::format("{:.2f}", 100.0 * value) : fmt::format("{:.4f}", value);
    }
    return fmt::format("{:.3f}", value);
  }

  std::string cell(const Estimate& e, const MetricInfo& m) const {
    if (!e.mean) return "-";
    if (!e.ci95) return number(*e.mean, m);
    return fmt::format("{} ± {}", number(*e.mean, m), number((*e.ci95)[1] - *e.mean, m));
  }

  // One number where all agents have as many items with a value, else one for each agent.
  static std::string counts(const std::vector<Run>& runs, Metric m) {
    std::string all;
    bool equal = true;
    for (const Run& run : runs) {
      const std::uint64_t n = run.summary.of(m).n;
      equal &= n == runs.front().summary.of(m).n;
      all += fmt::format("{}{}", all.empty() ? "" : "/", n);
    }
    return equal ? fmt::format("{}", runs.front().summary.of(m).n) : all;
  }

  std::string unit(const MetricInfo& m) const {
    if (m.unit == Unit::fraction && options_.percent) return "%";
    return unit_name(m, report_.convention);
  }

  Table main_table() const {
    Table table{{"metric"}, {}};
    for (const Run& run : report_.runs) table.header.push_back(run.name);
    table.header.insert(table.header.end(), {"unit", "n"});
    for (const Metric metric : report_.printed) {
      const MetricInfo& m = info(metric);
      std::vector<std::string> row{std::string(m.name)};
      for (const Run& run : report_.runs) row.push_back(cell(run.summary.of(metric), m));
      row.insert(row.end(), {unit(m), counts(report_.runs, metric)});
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  void also_table(const AlsoResult& also) {
    const std::string& preset = also.convention.preset;
    const std::vector<Metric> metrics = differing(report_, also, report_.printed);
    if (metrics.empty()) {
      line(fmt::format("also {}: every mean is the same\n", preset));
      return;
    }
    Table table{{fmt::format("also {}", preset)}, {}};
    for (const Run& run : report_.runs) {
      table.header.push_back(fmt::format("{} [{}]", run.name, report_.convention.preset));
      table.header.push_back(fmt::format("[{}]", preset));
    }
    table.header.insert(table.header.end(), {"unit", "n"});
    for (const Metric metric : metrics) {
      const MetricInfo& m = info(metric);
      std::vector<std::string> row{std::string(m.name)};
      for (std::size_t r = 0; r < report_.runs.size(); ++r) {
        row.push_back(cell(report_.runs[r].summary.of(metric), m));
        row.push_back(cell(also.runs[r].summary.of(metric), m));
      }
      row.push_back(both(unit(m), unit_name(m, also.convention)));
      row.push_back(both(counts(report_.runs, metric), counts(also.runs, metric)));
      table.rows.push_back(std::move(row));
    }
    out_ += table.render(options_.style);
    wrapped(fmt::format("{} differs in:", preset), knob_words(also.convention, &report_.convention));
    line("");
  }

  static std::string both(const std::string& a, const std::string& b) {
    return a == b || b.empty() ? a : fmt::format("{} | {}", a, b);
  }

  void group_tables() {
    const char* key = report_.by == GroupBy::scan ? "scan" : "n_ref";
    for (const Run& run : report_.runs) {
      Table table{{report_.runs.size() > 1 ? fmt::format("{} by {}", run.name, key) : key}, {}};
      for (const Metric m : report_.printed) table.header.emplace_back(info(m).name);
      table.header.emplace_back("items");
      for (const Group& g : group(run, report_.by, report_.convention, report_.interval)) {
        std::vector<std::string> row{g.name};
        for (const Metric m : report_.printed) {
          const auto mean = g.summary.of(m).mean;
          row.push_back(mean ? number(*mean, info(m)) : "-");
        }
        row.push_back(fmt::format("{}", g.summary.counts.items));
        table.rows.push_back(std::move(row));
      }
      out_ += table.render(options_.style) + '\n';
    }
  }

  void conventions() {
    wrapped("preset " + report_.convention.preset + ":", knob_words(report_.convention));
    const Chosen& chosen = report_.backend;
    line(fmt::format("mean ± 1.96 s/√n; back end {}{}", name(chosen.backend),
                     chosen.note.empty() ? "" : " (" + chosen.note + ")"));
    for (const std::string& file : report_.evaluator.files().task_success) {
      line("SDTW takes its success from " + file);
    }
    for (const Run& run : report_.runs) zero_rules(run);
  }

  void wrapped(std::string text, const std::vector<std::string>& words) {
    std::size_t width = text.size();
    for (const std::string& word : words) {
      const bool breaks = width + 1 + word.size() > 100;
      text += (breaks ? "\n  " : " ") + word;
      width = (breaks ? 2 : width + 1) + word.size();
    }
    line(text);
  }

  void zero_rules(const Run& run) {
    const Summary& s = run.summary.counts;
    if (s.zero_spl + s.zero_ls + s.zero_sed == 0) return;
    line(fmt::format("0/0 decided by rule{}: SPL in {} items, LS in {}, SED in {}", in_brackets(run),
                     s.zero_spl, s.zero_ls, s.zero_sed));
  }

  std::string in_brackets(const Run& run) const {
    return report_.runs.size() > 1 ? fmt::format(" ({})", run.name) : "";
  }

  void trouble() {
    for (const std::string& notice : report_.evaluator.notices()) line("note: " + notice);
    for (const Run& run : report_.runs) {
      for (int s = 1; s < status_count; ++s) {
        const std::uint64_t count = run.summary.counts.statuses[s];
        if (count == 0) continue;
        const StatusInfo& status = info(static_cast<Status>(s));
        line(fmt::format("{}{}: {} item(s) {}, first {}; {}", status.name, in_brackets(run), count,
                         status.problem, first_with(run, static_cast<Status>(s)), status.remedy));
      }
    }
  }

  static const std::string& first_with(const Run& run, Status status) {
    return std::ranges::find(run.rows, status, &ItemRow::status)->instr_id;
  }

  const EvalReport& report_;
  const PrintOptions& options_;
  std::string out_;
};

}  // namespace

std::string print_report(const EvalReport& report, const PrintOptions& options) {
  return Printer(report, options).print();
}

std::string unit_name(const MetricInfo& metric, const Convention& convention) {
  const bool ratio =
      metric.metric == Metric::DTW && convention.dtw_norm == DtwNorm::reference_length;
  if (metric.unit != Unit::length || ratio) return "";
  return convention.distance == Distance::hops ? "edges" : "m";
}

std::vector<std::string> knob_words(const Convention& convention, const Convention* other) {
  std::vector<std::string> words;
  for (const Knob& knob : knobs()) {
    const std::string value = knob.get(convention);
    if (other == nullptr || value != knob.get(*other)) {
      words.push_back(fmt::format("{}={}", knob.name, value));
    }
  }
  return words;
}

std::vector<Metric> differing(const EvalReport& report, const AlsoResult& also,
                              const std::vector<Metric>& among) {
  std::vector<Metric> metrics;
  for (const Metric m : among) {
    bool differs = false;
    for (std::size_t r = 0; r < report.runs.size(); ++r) {
      const Estimate& a = report.runs[r].summary.of(m);
      const Estimate& b = also.runs[r].summary.of(m);
      differs |= a.n != b.n || a.of != b.of || a.mean != b.mean;
    }
    if (differs) metrics.push_back(m);
  }
  return metrics;
}

}  // namespace warpath
