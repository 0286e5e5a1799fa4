#include "host/program/report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_set>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/fast_dtw.hpp"
#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/evaluation/pack.hpp"
#include "host/files/evaluation/reward_agents.hpp"
#include "host/files/evaluation/target_scores.hpp"
#include "host/program/report/explain_episode.hpp"
#include "host/program/report/explain_parts.hpp"
#include "host/program/report/explain_rewards.hpp"
#include "host/program/report/explained_item.hpp"
#include "host/program/report/report.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

using explanation::number;

class Explanation {
 public:
  // @param one a run of one pair
  Explanation(const evaluation::Inputs& inputs, const formats::Predictions& agent,
              const evaluation::PackedRun& one, const Convention& convention, int max_width)
      : convention_(convention),
        layout_{max_width, false},
        scan_(*one.batch.scans.front()),
        reference_(one.batch.references[0]),
        query_(one.batch.queries[0]),
        is_over_grid_(inputs.grids.has_value()),
        distances_(scan_, convention.distance),
        measures_(reference::measure(distances_, reference_, query_, convention, workspace_)),
        scores_(1) {
    std::optional<double> task_success;
    if (!one.batch.task_success.empty()) task_success = one.batch.task_success.front();
    const definitions::PathSizes sizes{.reference = reference_.size(),
                                       .query = query_.size(),
                                       .query_raw = one.batch.n_query_raw.front()};
    reference::finish(measures_, sizes, task_success, convention, scores_, 0);
    evaluation::score_targets(inputs, agent, one, convention, scores_);
    find_goals(inputs, one);
    find_boxes(inputs, agent, one);
    find_objects(inputs, agent, one);
  }

  Status status() const { return scores_.status[0]; }

  // Fills all fields but the first four.
  void describe(ExplainedItem& item) {
    const auto add = [&](std::span<const Node> nodes, std::vector<std::string>& names,
                         std::vector<std::array<double, 3>>& positions) {
      for (const Node node : nodes) {
        names.push_back(scan_.viewpoint(node));
        if (scan_.has_positions()) positions.push_back(scan_.positions()[node]);
      }
    };
    add(reference_, item.reference, item.reference_positions);
    add(query_, item.query, item.query_positions);
    for (const Node goal : goals_) item.goals.push_back(scan_.viewpoint(goal));
    if (lay_out()) {
      explanation::keep_warping(matrix_, item);
    }
    item.scores = scores_;
  }

  std::string text() {
    paths();
    out_ += explanation::directions_of(scan_);
    if (!lay_out()) {
      out_ += "alignment left out: the paths are too long to lay it out\n\n";
    } else {
      alignment();
      nearest();
    }
    if (!goals_.empty()) goals();
    if (is_over_grid_ && status() != Status::unreachable) way_over_grid();
    if (!boxes_.empty()) boxes();
    terms();
    return std::move(out_);
  }

 private:
  void add(Table table) { out_ += table.render(Table::Style::text, layout_) + '\n'; }

  // Computes the distances of all pairs of viewpoints; returns false if there are too many.
  bool lay_out() {
    if (reference_.size() * query_.size() > explanation::max_cells) return false;
    matrix_ = reference::distance_matrix(distances_, reference_, query_);
    return true;
  }

  void path(const char* title, std::span<const Node> nodes) {
    Table table{{title, "viewpoint", "x", "y", "z", "step"}, {}, "rlrrrr"};
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto& p = scan_.positions()[nodes[k]];
      table.rows.push_back({fmt::format("{}", k + 1), scan_.viewpoint(nodes[k]), number(p[0]),
                            number(p[1]), number(p[2]),
                            k == 0 ? "" : number(distances_.between(nodes[k - 1], nodes[k]))});
    }
    add(std::move(table));
  }

  void paths() {
    path("reference", reference_);
    path("query", query_);
  }

  void alignment() {
    const reference::Warping warping = reference::optimal_warping(matrix_);
    Table table{{convention_.dtw_radius > 0 ? "exact alignment" : "alignment", "r", "q",
                 "reference", "query", "d(q, r)", "cost so far"},
                {},
                "rrrllrr"};
    double cost = 0.0;
    for (const auto& [i, j] : warping.steps) {
      cost += matrix_(i, j);
      table.rows.push_back({fmt::format("{}", table.rows.size() + 1), fmt::format("{}", i + 1),
                            fmt::format("{}", j + 1), scan_.viewpoint(reference_[i]),
                            scan_.viewpoint(query_[j]), number(matrix_(i, j)), number(cost)});
    }
    add(std::move(table));
    if (convention_.dtw_radius > 0) out_ += builds(cost);
  }

  std::string builds(double exact) const {
    const auto distance = [&](unsigned level, std::size_t q, std::size_t r) {
      return matrix_(static_cast<Eigen::Index>(r << level), static_cast<Eigen::Index>(q << level));
    };
    const auto fast_cost = [&](FastDtw build) {
      return evaluation::fast_dtw(query_.size(), reference_.size(), convention_.dtw_radius, build,
                                  distance)
          .cost;
    };
    return explanation::describe_builds(fast_cost, exact, convention_.dtw_radius);
  }

  void nearest() {
    Table to_query{
        {"coverage", "reference", "nearest q", "d(Q, r)", "exp(-d / d_th)"}, {}, "rlrrr"};
    for (Eigen::Index i = 0; i < matrix_.rows(); ++i) {
      Eigen::Index j;
      const double d = matrix_.row(i).minCoeff(&j);
      to_query.rows.push_back({fmt::format("{}", i + 1), scan_.viewpoint(reference_[i]),
                               fmt::format("{}", j + 1), number(d),
                               number(std::exp(-d / convention_.threshold))});
    }
    add(std::move(to_query));
    Table to_reference{{"deviation", "query", "nearest r", "d(q, R)"}, {}, "rlrr"};
    for (Eigen::Index j = 0; j < matrix_.cols(); ++j) {
      Eigen::Index i;
      const double d = matrix_.col(j).minCoeff(&i);
      to_reference.rows.push_back({fmt::format("{}", j + 1), scan_.viewpoint(query_[j]),
                                   fmt::format("{}", i + 1), number(d)});
    }
    add(std::move(to_reference));
  }

  static std::string object_text(const std::optional<std::string>& object) {
    if (!object) return "not said";
    return object->empty() ? "none" : *object;
  }

  void find_objects(const evaluation::Inputs& inputs, const formats::Predictions& agent,
                    const evaluation::PackedRun& one) {
    const std::string& target = inputs.dataset.items[one.sources.front().item].object;
    if (target.empty()) return;
    objects_ = fmt::format("object {}, target {}",
                           object_text(agent.entries[one.sources.front().entry].object), target);
  }

  void find_goals(const evaluation::Inputs& inputs, const evaluation::PackedRun& one) {
    if (status() == Status::unreachable) return;
    goals_ = evaluation::GoalPairs(inputs, one, convention_.distance).pair(0).goals;
  }

  // Shows where the item's goals lie: from the query's end, and on the query.
  void goals() {
    Table table{{"goals", "viewpoint", "d(q_|Q|, goal)", "first visited at q"}, {}, "rlrr"};
    for (const Node goal : goals_) {
      const auto visit = std::ranges::find(query_, goal);
      table.rows.push_back(
          {fmt::format("{}", table.rows.size() + 1), scan_.viewpoint(goal),
           number(distances_.between(query_.back(), goal)),
           visit == query_.end() ? "-" : fmt::format("{}", visit - query_.begin() + 1)});
    }
    add(std::move(table));
  }

  // Shows where the distance to the goal leads along.
  void way_over_grid() {
    if (scan_.lattice() != nullptr) {
      out_ += "way to the goal: fast marching gives none over cells; --connect 8 shows one\n\n";
      return;
    }
    const std::vector<Node> ends = goals_.empty() ? std::vector{reference_.back()} : goals_;
    const Node end = *std::ranges::min_element(
        ends, {}, [&](Node goal) { return distances_.between(query_.back(), goal); });
    const std::vector<Node> way = distances_.path(query_.back(), end);
    if (way.empty())
      out_ += "way to the goal: none leads there from the last cell\n\n";
    else
      add(explanation::turns_of(scan_, way));
  }

  void find_boxes(const evaluation::Inputs& inputs, const formats::Predictions& agent,
                  const evaluation::PackedRun& one) {
    const evaluation::PairSource source = one.sources.front();
    direction_ = agent.entries[source.entry].direction;
    if (goals_.empty() || inputs.dataset.boxes.empty()) return;
    boxes_ = inputs.dataset.boxes[*inputs.dataset.items[source.item].goals];
  }

  // Shows the boxes of the viewpoint that the query ends at, and the direction that is named.
  void boxes() {
    Table table{{"box", "point", "heading / 2π", "(elevation + π) / 2π"}, {}, "rlrr"};
    const auto add_point = [&](const std::string& box, const char* name,
                               const formats::Direction& d) {
      table.rows.push_back(
          {box, name, fmt::format("{}", d.heading), fmt::format("{}", d.elevation)});
    };
    constexpr std::array corners{"left top", "right top", "right bottom", "left bottom"};
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      if (goals_[b] != query_.back()) continue;
      const std::string number = fmt::format("{}", b + 1);
      for (std::size_t k = 0; k < corners.size(); ++k)
        add_point(number, corners[k], boxes_[b].corners[k]);
      add_point(number, "centre", boxes_[b].centre);
    }
    if (direction_) add_point("-", "named", *direction_);
    if (!table.rows.empty()) add(std::move(table));
  }

  // Returns the metric's formula with numbers in it, unless it is a single distance.
  std::string with_numbers(Metric metric) const {
    const auto& m = measures_;
    const auto v = [&](Metric x) { return number(scores_.at(x, 0)); };
    const std::string th = number(convention_.threshold);
    const std::string ndtw_th = number(definitions::ndtw_threshold(convention_));
    switch (metric) {
      case Metric::SR:
        if (convention_.goal == Goal::set) return "";
        return fmt::format("error {} against {}", v(Metric::NE), th);
      case Metric::OSR:
        if (convention_.goal == Goal::set) return "";
        return fmt::format("error {} against {}", v(Metric::ONE), th);
      case Metric::SPL:
        return fmt::format("SR {}, length {}, PL {}, lower bound {}", v(Metric::SR),
                           convention_.spl_length == SplLength::reference
                               ? number(m.reference_length)
                               : v(Metric::SP),
                           v(Metric::PL), number(convention_.spl_min_denominator));
      case Metric::RGS:
        return objects_;
      case Metric::SED:
        return fmt::format("SR {}, ED {}, lengths {} and {}", v(Metric::SR), m.edits,
                           m.reference_symbols, m.query_symbols);
      case Metric::EPL:
        return fmt::format("{} · {}", v(Metric::PC), number(m.cls_reference_length));
      case Metric::LS: {
        const std::string epl = v(Metric::EPL);
        return fmt::format("{} / ({} + |{} − {}|)", epl, epl, epl, number(m.cls_query_length));
      }
      case Metric::CLS:
        return fmt::format("{} · {}", v(Metric::PC), v(Metric::LS));
      case Metric::nDTW:
        if (convention_.ndtw == Ndtw::gaussian) return "d_th " + ndtw_th;
        return fmt::format("cost {}, |R| {}, PL(R) {}, d_th {}", number(warping_cost()),
                           reference_.size(), number(m.reference_length), ndtw_th);
      case Metric::GP:
        if (!goals_.empty() && boxes_.empty()) return "to the nearest goal";
        return fmt::format("{} − {}", number(scores_.at(Metric::GP, 0) + scores_.at(Metric::NE, 0)),
                           v(Metric::NE));
      case Metric::SFPL:
        return fmt::format("RGS {}, SPL {}", v(Metric::RGS), v(Metric::SPL));
      case Metric::PE:
        return fmt::format("√({}² + {}²)", v(Metric::HE), v(Metric::EE));
      default:
        return "";
    }
  }

  double warping_cost() const {
    if (convention_.dtw_radius == 0) return measures_.warping_cost;
    const bool is_cost = convention_.dtw_norm == DtwNorm::cost;
    return scores_.at(Metric::DTW, 0) * (is_cost ? 1.0 : measures_.reference_length);
  }

  void terms() {
    Table table{{"metric", "value", "unit", "formula", "with numbers"}, {}, "lrlll"};
    for (const MetricInfo& m : metric_table()) {
      if (scores_.column[m.metric].empty()) continue;  // of another task
      const double value = scores_.at(m.metric, 0);
      table.rows.push_back({std::string(m.name), std::isnan(value) ? "-" : fmt::format("{}", value),
                            unit_name(m, convention_), formula(m.metric, convention_),
                            with_numbers(m.metric)});
    }
    add(std::move(table));
  }

  const Convention& convention_;
  const Table::Layout layout_;
  const Scan& scan_;
  std::span<const Node> reference_, query_;
  const bool is_over_grid_;
  Distances distances_;
  reference::Workspace workspace_;
  reference::Measures measures_;
  Scores scores_;
  std::vector<Node> goals_;
  std::span<const formats::TargetBox> boxes_;    // SOON: around the target, one for each goal
  std::optional<formats::Direction> direction_;  // SOON: of the target, as the agent names it
  std::string objects_;                          // that was found, and that was to be found
  Eigen::MatrixXd matrix_;
  std::string out_;
};

// Returns a batch of one pair of another batch.
PairBatch only_pair(const PairBatch& batch, std::uint32_t k) {
  PairBatch one;
  const Pair pair = batch.pairs[k];
  one.scans = {batch.scans[pair.scan]};
  const auto add = [](std::span<const Node> path, PathSet& paths) {
    paths.elements.assign(path.begin(), path.end());
    return paths.end_path();
  };
  const std::uint32_t reference = add(batch.references[pair.reference], one.references);
  if (!batch.n_query_raw.empty()) one.n_query_raw = {batch.n_query_raw[k]};
  if (!batch.task_success.empty()) one.task_success = {batch.task_success[k]};
  one.pairs = {
      {.scan = 0, .reference = reference, .query = add(batch.queries[pair.query], one.queries)}};
  return one;
}

std::string explain_row(const evaluation::Inputs& inputs, const ItemRow& row,
                        const evaluation::PackedRun& run, const formats::Predictions& agent,
                        const std::string& agent_name, const Convention& convention,
                        int max_width) {
  std::optional<evaluation::PackedRun> one;
  std::optional<Explanation> explanation;
  Status status = row.status;
  if (row.pair) {
    one = evaluation::PackedRun{only_pair(run.batch, *row.pair), {run.sources[*row.pair]}, {}};
    explanation.emplace(inputs, agent, *one, convention, max_width);
    status = more_severe(status, explanation->status());
  }
  const std::string how = fmt::format(", preset {}, back end reference", convention.preset);
  const std::string text = explanation::title_of(row, agent_name, how, status);
  if (explanation && status != Status::unreachable) return text + explanation->text();
  return text + explanation::without_scores("no scores", status, max_width);
}

std::string explain_reward_row(const evaluation::Inputs& inputs, const ItemRow& row,
                               const evaluation::PackedRun& run, const formats::Predictions& agent,
                               const std::string& agent_name, const RewardSettings& settings,
                               bool stopped, int max_width) {
  if (!row.pair) {
    return explanation::title_of(row, agent_name, "", row.status) +
           explanation::without_scores("no rewards", row.status, max_width);
  }
  const evaluation::PackedRun only{only_pair(run.batch, *row.pair), {run.sources[*row.pair]}, {}};
  const PairBatch& one = only.batch;
  evaluation::RolloutEnds ends = evaluation::rollout_ends(inputs, agent, only, settings.convention);
  if (!stopped) ends.stopped.front() = 0;
  const evaluation::PairRewards rewards = evaluation::reward_pairs(one, settings, ends, 1.0);
  const Status status =
      more_severe(row.status, evaluation::status_of(rewards, rewards.reward.size() - 1));
  return explanation::title_of(row, agent_name, "", status) +
         explain_pair_rewards(one, rewards, settings, ends.stopped.front() != 0, max_width);
}

// Calls `visit` for the rows of every agent, with the agent and what it is called.
template <class Visitor>
void visit_rows(evaluation::Inputs& inputs, const Convention& convention, const Visitor& visit) {
  evaluation::Packer packer(inputs.dataset, inputs.graphs, inputs.viewpoints);
  const std::vector<formats::ReferenceChoice> references = inputs.references();
  for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
    for (const formats::ReferenceChoice reference : references) {
      inputs.refer_to(reference);
      if (inputs.grids) inputs.grids->refuse_far(a, convention);
      const evaluation::PackedRun run =
          packer.pack(inputs.agents[a], convention, inputs.success_of(a));
      const std::string agent_name =
          references.size() == 1
              ? inputs.agents[a].file
              : fmt::format("{} [{}]", inputs.agents[a].file, evaluation::name(reference));
      visit(run, inputs.agents[a], agent_name);
    }
  }
}

[[noreturn]] void throw_no_such_item(const evaluation::Inputs& inputs,
                                     const std::string& instr_id) {
  throw InputError({inputs.dataset.file, instr_id}, "no such item",
                   "name an instr_id of the dataset, e.g. " + inputs.dataset.items.front().id);
}

// Explains the rows of one item by `explain_one`, each with its agent and what it is called.
template <class ExplainRow>
std::string explain_rows(evaluation::Inputs& inputs, const std::string& instr_id,
                         const Convention& convention, const ExplainRow& explain_one) {
  std::string text;
  visit_rows(inputs, convention,
             [&](const evaluation::PackedRun& run, const formats::Predictions& agent,
                 const std::string& agent_name) {
               for (const ItemRow& row : run.rows) {
                 if (row.instr_id == instr_id) text += explain_one(row, run, agent, agent_name);
               }
             });
  if (text.empty()) throw_no_such_item(inputs, instr_id);
  return text;
}

ExplainedItem explain_item(const evaluation::Inputs& inputs, const ItemRow& row,
                           const evaluation::PackedRun& run, const formats::Predictions& agent,
                           const Convention& convention) {
  ExplainedItem item;
  item.instr_id = row.instr_id;
  item.scan = row.scan;
  item.status = row.status;
  if (!row.pair) return item;
  const evaluation::PackedRun one{only_pair(run.batch, *row.pair), {run.sources[*row.pair]}, {}};
  Explanation explanation(inputs, agent, one, convention, 0);
  item.status = more_severe(row.status, explanation.status());
  explanation.describe(item);
  return item;
}

}  // namespace

std::string explain(evaluation::Inputs& inputs, const std::string& instr_id,
                    const Convention& convention, int max_width) {
  evaluation::check_targets(inputs, convention);
  const std::string instruction = explanation::instruction_of(inputs.dataset, instr_id, max_width);
  if (inputs.dataset.has_positions()) {
    return instruction + explain_episode(inputs, instr_id, convention, max_width);
  }
  return instruction +
         explain_rows(inputs, instr_id, convention,
                      [&](const ItemRow& row, const evaluation::PackedRun& run,
                          const formats::Predictions& agent, const std::string& agent_name) {
                        return explain_row(inputs, row, run, agent, agent_name, convention,
                                           max_width);
                      });
}

std::vector<ExplainedItem> explain_items(evaluation::Inputs& inputs,
                                         std::span<const std::string> ids,
                                         const Convention& convention) {
  evaluation::check_targets(inputs, convention);
  if (inputs.dataset.has_positions()) return explain_episodes(inputs, ids, convention);
  const std::unordered_set<std::string_view> wanted(ids.begin(), ids.end());
  std::vector<ExplainedItem> items;
  std::size_t number = 0;
  visit_rows(
      inputs, convention,
      [&](const evaluation::PackedRun& run, const formats::Predictions& agent, const std::string&) {
        for (const ItemRow& row : run.rows) {
          if (!wanted.contains(row.instr_id)) continue;
          items.push_back(explain_item(inputs, row, run, agent, convention));
          items.back().run = number;
        }
        ++number;
      });
  require_all(inputs, ids, items);
  explanation::add_instructions(inputs.dataset, items);
  return items;
}

void require_all(const evaluation::Inputs& inputs, std::span<const std::string> ids,
                 const std::vector<ExplainedItem>& found) {
  std::unordered_set<std::string_view> names;
  for (const ExplainedItem& item : found) names.insert(item.instr_id);
  for (const std::string& id : ids) {
    if (!names.contains(id)) throw_no_such_item(inputs, id);
  }
}

std::string explain_rewards(evaluation::Inputs& inputs, const std::string& instr_id,
                            const RewardSettings& settings, bool stopped, int max_width) {
  evaluation::check_reward(inputs, settings);
  return explanation::instruction_of(inputs.dataset, instr_id, max_width) +
         explain_rows(inputs, instr_id, settings.convention,
                      [&](const ItemRow& row, const evaluation::PackedRun& run,
                          const formats::Predictions& agent, const std::string& agent_name) {
                        return explain_reward_row(inputs, row, run, agent, agent_name, settings,
                                                  stopped, max_width);
                      });
}

}  // namespace warpath::report
