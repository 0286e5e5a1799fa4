#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <span>

#include "host/files/io/json_writer.hpp"
#include "host/program/report/csv_writer.hpp"
#include "host/program/report/reward_report.hpp"
#include "host/program/report/reward_text.hpp"

namespace warpath::report {
namespace {

// Names where a path stands at t: a viewpoint, or a position as "x,y,z".
std::string place(const evaluation::RewardedAgent& agent, std::size_t pair, std::size_t t) {
  if (agent.has_positions()) return position_text(agent.positions[pair][t]);
  const Pair& p = agent.batch.pairs[pair];
  return agent.batch.scans[p.scan]->viewpoint(agent.batch.queries[p.query][t]);
}

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

// The columns that groups add, one value for each path.
struct GroupColumn {
  std::string_view name;
  std::vector<float> evaluation::RewardedAgent::*values;
};
constexpr GroupColumn group_columns[]{{"total", &evaluation::RewardedAgent::total},
                                      {"advantage", &evaluation::RewardedAgent::advantage}};

std::span<const GroupColumn> columns_of_groups(const RewardReport& report) {
  if (report.request.group_by_item) return group_columns;
  return {};
}

void append_object(const evaluation::RewardedAgent& agent, const ItemRow& row,
                   std::span<const GroupColumn> of_groups, std::string& out) {
  fmt::format_to(std::back_inserter(out),
                 R"({{"run": {}, "instr_id": {}, "scan": {}, "status": "{}")",
                 io::json_string(agent.agent.name), io::json_string(row.instr_id),
                 io::json_string(row.scan), info(row.status).name);
  if (row.pair) {
    const std::size_t size = agent.size(*row.pair);
    fmt::format_to(std::back_inserter(out), R"(, "stopped": {}, "{}": [)",
                   agent.stopped[*row.pair] != 0,
                   agent.has_positions() ? "positions" : "viewpoints");
    for (std::size_t t = 0; t < size; ++t) {
      const std::string text = place(agent, *row.pair, t);
      out.append(t == 0 ? "" : ", ");
      out += agent.has_positions() ? fmt::format("[{}]", text) : io::json_string(text);
    }
    out += ']';
    for (const Column& column : step_columns) {
      fmt::format_to(std::back_inserter(out), R"(, "{}": [)", column.json);
      const float* values = (agent.rewards.*column.values).data() + agent.first(*row.pair);
      for (std::size_t t = 0; t < size; ++t) {
        if (t > 0) out += ", ";
        append_json(values[t], out);
      }
      out += ']';
    }
    for (const GroupColumn& column : of_groups) {
      fmt::format_to(std::back_inserter(out), R"(, "{}": )", column.name);
      append_json((agent.*column.values)[*row.pair], out);
    }
  }
  out += "}\n";
}

}  // namespace

std::string reward_csv(const RewardReport& report, const CsvOptions& options) {
  CsvWriter csv(options);
  std::string names(rewards_csv_beginning);
  for (const Column& column : step_columns) {
    names.append(&column == step_columns ? "" : ",").append(column.csv);
  }
  const std::span<const GroupColumn> of_groups = columns_of_groups(report);
  for (const GroupColumn& column : of_groups) names.append(",").append(column.name);
  csv.header(names);
  const auto begin_row = [&](const evaluation::RewardedAgent& agent, const ItemRow& row) {
    csv.text(agent.agent.name);
    csv.text(row.instr_id);
    csv.word(info(row.status).name);
  };
  for (const evaluation::RewardedAgent& agent : report.agents) {
    for (const ItemRow& row : agent.agent.rows) {
      if (!row.pair) {
        begin_row(agent, row);
        csv.missing(3 + std::size(step_columns) + of_groups.size());
        csv.end_row();
        continue;
      }
      const std::size_t size = agent.size(*row.pair);
      for (std::size_t t = 0; t < size; ++t) {
        begin_row(agent, row);
        csv.count(t);
        csv.text(place(agent, *row.pair, t));
        csv.text(t + 1 == size ? "end" : place(agent, *row.pair, t + 1));
        for (const Column& column : step_columns) {
          csv.number((agent.rewards.*column.values)[agent.first(*row.pair) + t], false);
        }
        for (const GroupColumn& column : of_groups) {
          csv.number((agent.*column.values)[*row.pair], false);
        }
        csv.end_row();
      }
    }
  }
  return csv.take();
}

std::string reward_jsonl(const RewardReport& report) {
  std::string out;
  for (const evaluation::RewardedAgent& agent : report.agents) {
    for (const ItemRow& row : agent.agent.rows) {
      append_object(agent, row, columns_of_groups(report), out);
    }
  }
  return out;
}

}  // namespace warpath::report
