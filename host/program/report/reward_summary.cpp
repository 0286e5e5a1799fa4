#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/status_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "host/files/io/input_file.hpp"
#include "host/program/report/reward_report.hpp"
#include "host/program/report/reward_text.hpp"
#include "warpath/statistics.hpp"

namespace warpath::report {
namespace {

// Holds the sums of some items of an agent.
struct Sums {
  std::uint64_t items = 0;  // that the convention scores
  Statistics returns{Unit::length}, moves{Unit::length}, distance{Unit::length};
  Statistics successes, ndtw, cls;

  void add(const evaluation::RewardedAgent& agent, std::size_t pair,
           const RewardSettings& settings) {
    const evaluation::PairRewards& rewards = agent.rewards;
    const std::size_t last = agent.last(pair);
    returns.add(static_cast<double>(rewards.returns[agent.first(pair)]));
    successes.add(evaluation::is_success(agent, pair, settings) ? 1.0 : 0.0);
    moves.add(static_cast<double>(agent.size(pair) - 1));
    distance.add(static_cast<double>(rewards.distance_to_goal[last]));
    ndtw.add(static_cast<double>(rewards.ndtw[last]));
    cls.add(static_cast<double>(rewards.cls[last]));
  }
};

std::string mean_text(const Statistics& values) {
  const auto mean = values.mean();
  return mean ? fmt::format("{:.4f}", *mean) : "—";
}

std::vector<std::string> row_of(const std::string& label, const Sums& sums) {
  return {label,
          fmt::format("{}", sums.items),
          fmt::format("{}", sums.successes.n()),
          mean_text(sums.moves),
          mean_text(sums.returns),
          mean_text(sums.successes),
          mean_text(sums.distance),
          mean_text(sums.ndtw),
          mean_text(sums.cls)};
}

// Sorts groups: those by length as numbers, the others by name.
using GroupKey = std::pair<std::uint32_t, std::string>;

std::optional<GroupKey> key_of(const ItemRow& row, GroupBy by) {
  switch (by) {
    case GroupBy::scan:
      return GroupKey(0, row.scan);
    case GroupBy::length:
      return GroupKey(row.n_reference, fmt::format("|R| = {}", row.n_reference));
    case GroupBy::language:
      return GroupKey(0, row.language);
    case GroupBy::none:
      break;
  }
  return std::nullopt;
}

void add_rows(const RewardReport& report, const evaluation::RewardedAgent& agent, Table& table) {
  Sums all;
  std::map<GroupKey, Sums> groups;
  for (const ItemRow& row : agent.agent.rows) {
    if (!evaluation::is_scored_row(row)) continue;
    const auto key = key_of(row, report.by);
    for (Sums* sums : {&all, key ? &groups[*key] : nullptr}) {
      if (sums == nullptr) continue;
      ++sums->items;
      if (row.pair && row.status != Status::unreachable) {
        sums->add(agent, *row.pair, report.request.settings);
      }
    }
  }
  table.rows.push_back(row_of(agent.agent.name, all));
  for (const auto& [key, sums] : groups) table.rows.push_back(row_of("  " + key.second, sums));
}

// Names the first items for which `is_counted` holds: "2 items …: 1_0, 1_1".
void add_items(const evaluation::RewardedAgent& agent,
               const std::function<bool(const ItemRow&)>& is_counted,
               const std::function<std::string(std::uint64_t)>& describe_them,
               std::vector<std::string>& notes) {
  io::CountedIds items{.max_examples = 5};
  for (const ItemRow& row : agent.agent.rows) {
    if (is_counted(row)) items.add(row.instr_id);
  }
  if (items.count == 0) return;
  notes.push_back(fmt::format("{}: {} {}: {}", agent.agent.name, io::counted(items.count, "item"),
                              describe_them(items.count), items.examples));
}

void add_problems(const evaluation::RewardedAgent& agent, std::vector<std::string>& notes) {
  for (int s = 1; s < status_count; ++s) {
    const auto status = static_cast<Status>(s);
    const auto has_status = [&](const ItemRow& row) { return row.status == status; };
    const auto text = [&](std::uint64_t n) {
      return fmt::format("{} ({}; {})", evaluation::describe(status, n), info(status).name,
                         info(status).remedy);
    };
    add_items(agent, has_status, text, notes);
  }
  const auto lacks = [&](const ItemRow& row) {
    return row.pair && row.status != Status::unreachable &&
           evaluation::lacks_reward(agent, *row.pair);
  };
  const auto text = [](std::uint64_t n) {
    return fmt::format(
        "{} a reward without a value, which the mean return leaves out (a move that keeps the "
        "distance under tie=undefined, a position without a way to the goal, a CLS of 0/0, or an "
        "SPL of 0/0 under spl-zero=undefined)",
        n == 1 ? "has" : "have");
  };
  add_items(agent, lacks, text, notes);
}

std::string success_text(const RewardSettings& s) {
  const std::string_view unit = s.goal_distance == Distance::hops ? " edges" : " m";
  const char* const by_stop = s.success_stop == Stop::required ? ", by a stop" : "";
  if (s.success_radius == 0.0) return fmt::format("success: the path ends at the goal{}", by_stop);
  return fmt::format("success: the path ends {} {}{} from the goal{}",
                     s.success_at == Compare::less ? "less than" : "at most", s.success_radius,
                     unit, by_stop);
}

std::string stops_text(const RewardReport& report) {
  const evaluation::RewardRequest& request = report.request;
  if (request.all_timed_out) return "no path ends with a stop: --timed-out all";
  const char* const unless = report.have_stops ? ", unless its file says otherwise" : "";
  if (request.timed_out.empty()) {
    return fmt::format("every path is taken to end with a stop{}; --timed-out says which do not",
                       unless);
  }
  return fmt::format(
      "every path is taken to end with a stop{} but those of {} that --timed-out names", unless,
      io::counted(request.timed_out.size(), "item"));
}

// Says what advantages are, and whether there is anything to compare.
void add_groups(const RewardReport& report, std::vector<std::string>& notes) {
  if (!report.request.group_by_item) return;
  notes.push_back(
      "advantage: (total - the mean of the item's paths) / (their standard deviation, of n - 1, + "
      "1e-6); 0 where all are equal");
  for (const evaluation::RewardedAgent& agent : report.agents) {
    std::set<std::string_view> items;
    for (const ItemRow& row : agent.agent.rows) {
      if (row.pair && !items.insert(row.instr_id).second) return;
    }
  }
  notes.push_back(
      "note: no item has more than one path, so all advantages are 0; --duplicates each keeps all "
      "paths of an item");
}

std::vector<std::string> notes_of(const RewardReport& report) {
  const RewardSettings& settings = report.request.settings;
  const RewardFormula formula = reward_formula(settings);
  std::vector<std::string> notes{
      reward_note(settings),
      fmt::format("move: {}; end: {}; time-out: {}", formula.move, formula.end, formula.timeout),
      fmt::format("return: the sum of a path's rewards{}; means are over rewarded items",
                  report.request.discount == 1.0
                      ? ""
                      : fmt::format(", discounted by {} per step", report.request.discount)),
      success_text(settings), stops_text(report)};
  for (std::string& line : signature_notes(signatures_of(report), SignatureForm::shorter))
    notes.push_back(std::move(line));
  add_groups(report, notes);
  for (const std::string& warning : report.warnings) notes.push_back("note: " + warning);
  for (const evaluation::RewardedAgent& agent : report.agents) add_problems(agent, notes);
  return notes;
}

void add_reward(const RewardSettings& settings, Signature& signature) {
  const RewardSettings& preset = find_reward_preset(settings.preset).settings;
  signature.add("reward", settings.preset);
  for (const RewardSetting& setting : reward_settings()) {
    const std::string value = setting.get(settings);
    if (value != setting.get(preset)) signature.add(setting.name, value);
  }
  signature.add_settings(settings.convention, preset.convention);
}

// Adds which paths end without a stop: all of them, or the hash of their items' ids.
void add_timed_out(const evaluation::RewardRequest& request, Signature& signature) {
  const std::set<std::string> ids(request.timed_out.begin(), request.timed_out.end());
  if (request.all_timed_out)
    signature.add("timed_out", "all");
  else if (!ids.empty())
    signature.add_hash("timed_out", io::content_hash(fmt::format("{}", fmt::join(ids, ","))));
}

Signature signature_of(const RewardReport& report, const AgentResult& agent) {
  Signature signature;
  add_reward(report.request.settings, signature);
  if (report.request.discount != 1.0)
    signature.add("discount", fmt::format("{}", report.request.discount));
  add_timed_out(report.request, signature);
  signature.add_dataset(report, report.reference);
  signature.add_graphs(report);
  signature.add_distances(agent.distances);
  ItemStatistics counts;
  for (const ItemRow& row : agent.rows) {
    counts.count(row.status, 0);
    counts.items += evaluation::is_scored_row(row) ? 1 : 0;
  }
  signature.add_counts(counts);
  signature.add_version();
  return signature;
}

}  // namespace

std::vector<AgentSignature> signatures_of(const RewardReport& report) {
  std::vector<AgentSignature> signatures;
  for (const evaluation::RewardedAgent& each : report.agents)
    signatures.push_back({each.agent.name, signature_of(report, each.agent)});
  return signatures;
}

std::string reward_summary(const RewardReport& report, const Table::Layout& layout) {
  Table table{
      {"agent", "items", "rewarded", "moves", "return", "success", "d(goal)", "nDTW", "CLS"},
      {},
      "lrrrrrrrr"};
  for (const evaluation::RewardedAgent& agent : report.agents) add_rows(report, agent, table);
  std::string text = table.render(Table::Style::text, layout) + '\n';
  return text + note_lines(notes_of(report), layout.max_width > 0 ? layout.max_width : 100);
}

}  // namespace warpath::report
