#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/files/evaluation/reward_agents.hpp"
#include "host/program/report/report.hpp"
#include "host/program/report/table.hpp"

// Lays out the rewards of prediction files.

namespace warpath::report {

/// Holds the rewards of all agents, and how they came about. The inputs must outlive it.
struct RewardReport : InputDescription {
  evaluation::RewardRequest request;
  GroupBy by = GroupBy::none;
  std::vector<evaluation::RewardedAgent> agents;
  bool have_stops = false;  ///< files of predictions may say where the agent stops
};

/// Returns the signature of each agent's rewards.
std::vector<AgentSignature> signatures_of(const RewardReport& report);

/// How the files that reward_csv() and reward_jsonl() return begin.
inline constexpr std::string_view rewards_csv_beginning = "run,instr_id,status,t,viewpoint,next,";
inline constexpr std::string_view rewards_jsonl_beginning = R"({"run": ")";

/// Returns a row for each move and each end. Groups add the path's total and advantage. An item
/// without rewards has one row, with its status and nothing behind it; a number that does not exist
/// is left empty.
std::string reward_csv(const RewardReport& report, const CsvOptions& options = {});

/// Returns an object for each item in a line of its own: JSON Lines. An item without rewards has no
/// arrays; a number that does not exist is null.
std::string reward_jsonl(const RewardReport& report);

/// Returns a table of means over items for each agent, and for each group of items if the report
/// has any, with notes that name the items without rewards.
std::string reward_summary(const RewardReport& report, const Table::Layout& layout);

}  // namespace warpath::report
