#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/json_writer.hpp"
#include "host/program/report/csv_cell.hpp"
#include "host/program/report/csv_number.hpp"
#include "host/program/report/reward_report.hpp"

namespace warpath::report {
namespace {

// Names where a path stands at t, and where it goes from there.
struct Step {
  const std::string& viewpoint;
  std::string_view next;
};

class Steps {
 public:
  Steps(const evaluation::RewardedAgent& agent, std::size_t pair)
      : scan_(*agent.batch.scans[agent.batch.pairs[pair].scan]),
        path_(agent.batch.queries[agent.batch.pairs[pair].query]) {}

  Step operator[](std::size_t t) const {
    const bool is_end = t + 1 == path_.size();
    return {scan_.viewpoint(path_[t]),
            is_end ? std::string_view("end") : std::string_view(scan_.viewpoint(path_[t + 1]))};
  }
  std::size_t size() const { return path_.size(); }

 private:
  const Scan& scan_;
  std::span<const Node> path_;
};

// The columns of numbers of a step, as the files name them.
struct Column {
  std::string_view csv, json;
  std::vector<float> evaluation::PairRewards::*values;
};
constexpr Column step_columns[]{
    {"reward", "reward", &evaluation::PairRewards::reward},
    {"return", "return", &evaluation::PairRewards::returns},
    {"distance_to_goal", "distance_to_goal", &evaluation::PairRewards::distance_to_goal},
    {"nDTW", "ndtw", &evaluation::PairRewards::ndtw},
    {"CLS", "cls", &evaluation::PairRewards::cls}};

void append_json(float value, std::string& out) {
  if (std::isfinite(value))
    fmt::format_to(std::back_inserter(out), "{}", value);
  else
    out += "null";
}

void append_object(const evaluation::RewardedAgent& agent, const ItemRow& row, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"run": {}, "instr_id": {}, "scan": {}, "status": "{}")",
                 io::json_string(agent.agent.name), io::json_string(row.instr_id),
                 io::json_string(row.scan), info(row.status).name);
  if (row.pair) {
    const Steps steps(agent, *row.pair);
    fmt::format_to(std::back_inserter(out), R"(, "stopped": {}, "viewpoints": [)",
                   agent.stopped[*row.pair] != 0);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      out.append(t == 0 ? "" : ", ").append(io::json_string(steps[t].viewpoint));
    }
    out += ']';
    for (const Column& column : step_columns) {
      fmt::format_to(std::back_inserter(out), R"(, "{}": [)", column.json);
      const float* values = (agent.rewards.*column.values).data() + agent.first(*row.pair);
      for (std::size_t t = 0; t < steps.size(); ++t) {
        if (t > 0) out += ", ";
        append_json(values[t], out);
      }
      out += ']';
    }
  }
  out += "}\n";
}

}  // namespace

std::string reward_csv(const RewardReport& report, const CsvOptions& options) {
  const auto cell = [&](const std::string& text) {
    return csv_cell(options.is_terminal ? base::clean_text(text) : text);
  };
  std::string csv(rewards_csv_beginning);
  for (const Column& column : step_columns) {
    csv.append(&column == step_columns ? "" : ",").append(column.csv);
  }
  csv += '\n';
  for (const evaluation::RewardedAgent& agent : report.agents) {
    for (const ItemRow& row : agent.agent.rows) {
      const std::string beginning = fmt::format("{},{},{},", cell(agent.agent.name),
                                                cell(row.instr_id), info(row.status).name);
      if (!row.pair) {
        csv.append(beginning).append(2 + std::size(step_columns), ',').append("\n");
        continue;
      }
      const Steps steps(agent, *row.pair);
      for (std::size_t t = 0; t < steps.size(); ++t) {
        fmt::format_to(std::back_inserter(csv), "{}{},{},{}", beginning, t,
                       cell(steps[t].viewpoint), cell(std::string(steps[t].next)));
        for (const Column& column : step_columns) {
          const float value = (agent.rewards.*column.values)[agent.first(*row.pair) + t];
          csv += ',';
          if (std::isfinite(value)) append_csv_number(value, false, csv);
        }
        csv += '\n';
      }
    }
  }
  return csv;
}

std::string reward_jsonl(const RewardReport& report) {
  std::string out;
  for (const evaluation::RewardedAgent& agent : report.agents) {
    for (const ItemRow& row : agent.agent.rows) append_object(agent, row, out);
  }
  return out;
}

}  // namespace warpath::report
