#include "host/program/report/explain_rewards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/rewards/reward_rules.hpp"
#include "host/files/evaluation/mesh_pairs.hpp"
#include "host/files/evaluation/reward_agents.hpp"
#include "host/files/evaluation/reward_episodes.hpp"
#include "host/files/io/wrap.hpp"
#include "host/program/report/explain_episode.hpp"
#include "host/program/report/explain_parts.hpp"
#include "host/program/report/reward_text.hpp"
#include "host/program/report/table.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/rewards/point_episode.hpp"
#include "kernels/rewards/reward_rules.hpp"
#include "warpath/distances.hpp"
#include "warpath/reference_scorer.hpp"
#include "warpath/rewards.hpp"
#include "warpath/scorer.hpp"

namespace warpath::report {
namespace {

using kernels::RewardRules;
using Lane = kernels::ScalarLanes;
using Values = kernels::PrefixValues<Lane>;

// Names a part of a reward: the rules that leave nothing but it.
struct Part {
  std::string_view name;
  bool is_used;
  RewardRules rules;
};

// Returns rules by which nothing is worth anything.
RewardRules without_any(RewardRules rules) {
  rules.goal_gain = GoalGain::none;
  rules.miss_penalty = rules.ndtw_weight = rules.cls_weight = rules.dtw_weight = 0.0f;
  rules.slack = rules.slack_per_metre = 0.0f;
  rules.success = rules.failure = rules.success_ndtw = rules.success_closeness = 0.0f;
  rules.final_ndtw = rules.final_cls = rules.final_spl = rules.final_distance = 0.0f;
  return rules;
}

// Makes a part of `rules` by giving back what it needs.
Part part(std::string_view name, bool is_used, const RewardRules& rules,
          const std::function<void(RewardRules&)>& give_back) {
  Part made{name, is_used, without_any(rules)};
  give_back(made.rules);
  return made;
}

// Returns the parts of a move in the order in which move_reward() adds them.
std::vector<Part> move_parts(const RewardRules& r) {
  std::vector<Part> parts{
      part("goal", r.goal_gain != GoalGain::none, r,
           [&](RewardRules& p) { p.goal_gain = r.goal_gain; }),
      part("miss penalty", r.goal_gain != GoalGain::none && r.miss_penalty != 0.0f, r,
           [&](RewardRules& p) {
             p.goal_gain = GoalGain::sign;
             p.goal_weight = p.without_goal = 0.0f;
             p.tie = 0.0f;
             p.miss_penalty = r.miss_penalty;
           }),
      part("nDTW gain", r.ndtw_weight != 0.0f, r,
           [&](RewardRules& p) { p.ndtw_weight = r.ndtw_weight; }),
      part("DTW decrease", r.dtw_weight != 0.0f, r,
           [&](RewardRules& p) { p.dtw_weight = r.dtw_weight; }),
      part("CLS gain", r.cls_weight != 0.0f, r,
           [&](RewardRules& p) { p.cls_weight = r.cls_weight; }),
      part("slack", r.slack != 0.0f || r.slack_per_metre != 0.0f, r, [&](RewardRules& p) {
        p.slack = r.slack;
        p.slack_per_metre = r.slack_per_metre;
      })};
  std::erase_if(parts, [](const Part& p) { return !p.is_used; });
  return parts;
}

// Returns the parts of an end in the order in which end_reward() adds them.
std::vector<Part> end_parts(const RewardRules& r) {
  std::vector<Part> parts{
      part("success or failure", r.success != 0.0f || r.failure != 0.0f, r,
           [&](RewardRules& p) {
             p.success = r.success;
             p.failure = r.failure;
           }),
      part("closeness of a success", r.success_closeness != 0.0f, r,
           [&](RewardRules& p) { p.success_closeness = r.success_closeness; }),
      part("nDTW of a success", r.success_ndtw != 0.0f, r,
           [&](RewardRules& p) { p.success_ndtw = r.success_ndtw; }),
      part("SPL of a success", r.final_spl != 0.0f, r,
           [&](RewardRules& p) { p.final_spl = r.final_spl; }),
      part("nDTW", r.final_ndtw != 0.0f, r, [&](RewardRules& p) { p.final_ndtw = r.final_ndtw; }),
      part("CLS", r.final_cls != 0.0f, r, [&](RewardRules& p) { p.final_cls = r.final_cls; }),
      part("distance", r.final_distance != 0.0f, r,
           [&](RewardRules& p) { p.final_distance = r.final_distance; })};
  std::erase_if(parts, [](const Part& p) { return !p.is_used; });
  return parts;
}

// Returns a number in the shortest form that reads back as the same float.
std::string number(float value) {
  return std::isnan(value) ? "-" : fmt::format("{}", value + 0.0f);  // no "-0"
}

// Returns the query's prefixes, from its first viewpoint alone to all of it; behind them, if
// wanted, all of it with its last viewpoint once more.
PairBatch prefixes_of(const PairBatch& batch, bool with_repeat) {
  PairBatch prefixes;
  prefixes.scans = batch.scans;
  prefixes.references = batch.references;
  const auto query = batch.queries[batch.pairs.front().query];
  const auto add = [&] {
    Pair pair = batch.pairs.front();
    pair.query = prefixes.queries.end_path();
    prefixes.pairs.push_back(pair);
  };
  std::vector<Node>& nodes = prefixes.queries.elements;
  for (std::size_t n = 1; n <= query.size(); ++n) {
    nodes.insert(nodes.end(), query.begin(), query.begin() + static_cast<std::ptrdiff_t>(n));
    add();
  }
  if (with_repeat) {
    nodes.insert(nodes.end(), query.begin(), query.end());
    nodes.push_back(query.back());
    add();
  }
  return prefixes;
}

// Returns the length of each step, as tables of distances have it.
std::vector<float> steps_of(std::span<const Node> path, const Scan& scan,
                            const Convention& convention) {
  constexpr std::size_t max_bytes = std::size_t{1} << 28;  // of rows that are kept
  Distances distances(scan, convention.distance);
  std::vector<float> lengths;
  for (std::size_t t = 1; t < path.size(); ++t) {
    if (distances.bytes() > max_bytes) distances.clear();
    const Node from = path[t - 1], to = path[t];
    lengths.push_back(
        batch::table_entry(from == to, distances.row_to(to)[from], convention.threshold));
  }
  return lengths;
}

// Returns PL of a path with these steps, summed as kernels sum it.
float length_of(std::span<const float> steps) {
  kernels::Sum<Lane> sum{0.0f, 0.0f};
  for (const float step : steps) sum.add(step);
  return sum.high;
}

// What an explanation has of a rewarded path.
struct RewardedPath {
  const char* noun;                 // of a place
  std::vector<std::string> places;  // by viewpoint or position: what it is called
  std::vector<float> steps;         // by move: its length
  float reference_length;
  std::vector<Values> prefixes;  // without the distance to the goal
};

bool repeats_stop(const RewardSettings& settings, bool stopped) {
  return settings.stop_path == StopPath::repeats_last && stopped;
}

// Describes a path of viewpoints. DTW of prefixes is in no array of Rewards, so that a scorer
// computes it, with the same bits.
RewardedPath describe_viewpoints(const PairBatch& batch, const RewardSettings& settings,
                                 bool stopped, std::vector<std::string> places) {
  const Convention& convention = settings.convention;
  const Pair pair = batch.pairs.front();
  const Scan& scan = *batch.scans[pair.scan];
  const std::span<const Node> query = batch.queries[pair.query];
  const std::vector<float> reference_steps =
      steps_of(batch.references[pair.reference], scan, convention);
  RewardedPath path{places.empty() ? "viewpoint" : "position",
                    std::move(places),
                    steps_of(query, scan, convention),
                    length_of(reference_steps),
                    {}};
  for (std::size_t t = path.places.size(); t < query.size(); ++t)
    path.places.push_back(scan.viewpoint(query[t]));
  const ScorerOptions options{.backend = Backend::cpu,
                              .metrics = {Metric::DTW, Metric::nDTW, Metric::CLS}};
  const PairBatch prefixes = prefixes_of(batch, repeats_stop(settings, stopped));
  const Scores scores = Scorer(prefixes.scans, convention, options).score(prefixes);
  for (std::size_t p = 0; p < scores.size(); ++p) {
    const auto value = [&](Metric m) { return static_cast<float>(scores.at(m, p)); };
    path.prefixes.push_back({0.0f, value(Metric::nDTW), value(Metric::DTW), value(Metric::CLS)});
  }
  return path;
}

// Returns the length of each step between points, as kernels measure it.
std::vector<float> steps_of(std::span<const float> points, bool is_flat) {
  std::vector<float> lengths;
  for (std::size_t at = 3; at < points.size(); at += 3) {
    lengths.push_back(
        kernels::step_length<Lane>(kernels::staged_point<Lane>(&points[at - 3], is_flat),
                                   kernels::staged_point<Lane>(&points[at], is_flat)));
  }
  return lengths;
}

// Describes a path of positions, whose distances are Euclidean.
// @param paths a batch of one pair
RewardedPath describe_points(const PointBatch& paths, const RewardSettings& settings, bool stopped,
                             std::vector<std::string> places) {
  const bool is_flat = settings.convention.distance == Distance::euclid_2d;
  std::vector<float> query = evaluation::coordinates_of(paths.queries);
  const std::vector<float> reference = evaluation::coordinates_of(paths.references);
  const auto size = static_cast<std::uint32_t>(reference.size() / 3);
  RewardedPath path{"position",
                    std::move(places),
                    steps_of(query, is_flat),
                    static_cast<float>(kernels::length_of(reference.data(), size, is_flat)),
                    {}};
  if (repeats_stop(settings, stopped)) {
    for (int axis = 0; axis < 3; ++axis) query.push_back(query[query.size() - 3]);
  }
  const std::size_t count = query.size() / 3;
  std::vector<float> reward(count), ndtw(count), dtw(count), cls(count);
  Batch rollout = evaluation::batch_of(paths, query, reference);
  std::vector<std::uint64_t> begins{0, count};
  rollout.queries.layout = evaluation::layout_of(begins);
  Rewards(settings).compute(rollout,
                            {.reward = reward.data(), .ndtw = ndtw.data(), .cls = cls.data()});
  // DTW of prefixes is in no array of Rewards. They all begin at the same place.
  begins.assign(count + 1, 0);
  std::vector<std::uint32_t> lengths(count), reference_of(count);
  std::iota(lengths.begin(), lengths.end(), 1u);
  Batch prefixes = rollout;
  prefixes.count = static_cast<std::uint32_t>(count);
  prefixes.queries.layout.offsets = {begins.data(), sizeof(std::uint64_t)};
  prefixes.queries.layout.lengths = lengths.data();
  prefixes.reference = reference_of.data();
  prefixes.reference_count = 1;
  ScoreArrays scores;
  scores.column[Metric::DTW] = dtw.data();
  ReferenceScorer(settings.convention, {.metrics = {Metric::DTW}}).score(prefixes, scores);
  for (std::size_t p = 0; p < count; ++p) path.prefixes.push_back({0.0f, ndtw[p], dtw[p], cls[p]});
  return path;
}

class RewardExplanation {
 public:
  RewardExplanation(RewardedPath path, const evaluation::PairRewards& rewards,
                    const RewardSettings& settings, bool stopped, int max_width)
      : settings_(settings),
        rules_(rewards::make_rules(settings, false)),
        stopped_(stopped),
        layout_{max_width, false},
        noun_(path.noun),
        places_(std::move(path.places)),
        lengths_(std::move(path.steps)),
        rewards_(rewards),
        spl_lengths_{kernels::ideal_length(-1.0f, path.reference_length,
                                           rewards.distance_to_goal.front(), rules_),
                     length_of(lengths_)},
        values_(std::move(path.prefixes)) {
    for (std::size_t t = 0; t < values_.size(); ++t)
      values_[t].goal = rewards.distance_to_goal[std::min(t, last())];
  }

  std::string text() {
    note(reward_note(settings_));
    out_ += '\n';
    prefixes();
    moves();
    end();
    placement();
    return std::move(out_);
  }

 private:
  std::size_t last() const { return places_.size() - 1; }
  bool replaces_move() const {
    return rules_.timeout == TimeOut::replaces_move && !stopped_ && last() > 0;
  }
  bool joins_move() const { return rules_.end_is_last_move && last() > 0 && !replaces_move(); }

  void note(const std::string& text) {
    out_ += io::wrap(text, layout_.max_width > 0 ? layout_.max_width : 100, "", "  ");
  }
  void add(const Table& table) { out_ += table.render(Table::Style::text, layout_) + '\n'; }

  void prefixes() {
    Table table{{"prefix", noun_, "d(goal)", "nDTW", "DTW", "CLS"}, {}, "rlrrrr"};
    for (std::size_t t = 0; t < values_.size(); ++t) {
      const bool is_repeat = t > last();
      const Values& v = values_[t];
      table.rows.push_back({is_repeat ? "stop" : fmt::format("{}", t), places_[std::min(t, last())],
                            number(v.goal), number(v.ndtw), number(v.dtw), number(v.cls)});
    }
    add(table);
  }

  float move_term(const Part& p, std::size_t t) const {
    return kernels::move_reward<Lane, kernels::reward_all>(values_[t], values_[t + 1], lengths_[t],
                                                           p.rules);
  }

  void moves() {
    if (last() == 0) return;
    const std::vector<Part> parts = move_parts(rules_);
    Table table{{"move", "from", "to"}, {}, "rll"};
    for (const Part& p : parts) table.header.emplace_back(p.name);
    table.header.emplace_back("sum");
    for (std::size_t t = 0; t < last(); ++t) {
      std::vector<std::string> row{fmt::format("{}", t), places_[t], places_[t + 1]};
      float sum = 0.0f;
      for (const Part& p : parts) {
        const float term = move_term(p, t);
        sum += term;
        row.push_back(number(term));
      }
      row.push_back(number(sum));
      table.rows.push_back(std::move(row));
      last_move_ = sum;
    }
    add(table);
  }

  void end() {
    const Values& value = values_.back();
    const bool is_success = kernels::succeeds<Lane>(value.goal, stopped_, rules_);
    Table table{{stopped_ ? "end, with a stop" : "end, time was up", "reward"}, {}, "lr"};
    for (const Part& p : end_parts(rules_)) {
      const float term =
          kernels::end_reward<Lane, kernels::reward_all>(value, stopped_, spl_lengths_, p.rules);
      end_ += term;
      table.rows.push_back({std::string(p.name), number(term)});
    }
    table.rows.push_back(
        {fmt::format("sum ({})", is_success ? "success" : "failure"), number(end_)});
    add(table);
  }

  // Says where the end's reward goes, and what all rewards add up to.
  void placement() {
    if (joins_move()) {
      note(fmt::format("The end's reward is added to that of move {}: {}.", last() - 1,
                       number(last_move_ + end_)));
    } else if (replaces_move()) {
      note(fmt::format("The end's reward takes the place of that of move {}: {}.", last() - 1,
                       number(end_)));
    }
    out_ += "rewards:";
    for (const float reward : rewards_.reward) out_ += ' ' + number(reward);
    out_ += fmt::format("\nsum of rewards: {}\n", number(rewards_.returns.front()));
  }

  const RewardSettings& settings_;
  const RewardRules rules_;
  const bool stopped_;
  const Table::Layout layout_;
  const char* const noun_;
  const std::vector<std::string> places_;
  const std::vector<float> lengths_;  // by move
  const evaluation::PairRewards& rewards_;
  const kernels::SplLengths<Lane> spl_lengths_;
  std::vector<Values> values_;  // by prefix
  float last_move_ = 0.0f, end_ = 0.0f;
  std::string out_;
};

// Explains one path of an agent.
std::string explain_path(const evaluation::Inputs& inputs, const formats::Predictions& agent,
                         const evaluation::PackedEpisodes& one, const ItemRow& row,
                         const RewardSettings& settings, bool stopped, int max_width) {
  evaluation::RolloutEnds ends = evaluation::episode_ends(inputs, agent, one, settings);
  if (!stopped) ends.stopped.front() = 0;
  stopped = ends.stopped.front() != 0;
  const auto rewards = evaluation::reward_episodes(inputs, one, settings, ends, 1.0);
  const Status status =
      more_severe(row.status, evaluation::status_of(rewards, rewards.reward.size() - 1));
  std::vector<std::string> places;
  const PointSet positions = evaluation::positions_of(one.batch.queries, inputs, settings);
  for (const auto& position : positions.elements) places.push_back(position_text(position));
  const std::string title = explanation::title_of(row, agent.file, "", status);
  if (inputs.meshes && inputs.meshes->which() == evaluation::OverMeshes::all) {
    const auto pairs = evaluation::measure_pairs(*inputs.meshes, inputs.dataset, one, 0, 1);
    return title + explain_pair_rewards(pairs.batch, rewards, settings, stopped, max_width,
                                        std::move(places));
  }
  return title + RewardExplanation(describe_points(one.batch, settings, stopped, std::move(places)),
                                   rewards, settings, stopped, max_width)
                     .text();
}

}  // namespace

std::string explain_pair_rewards(const PairBatch& batch, const evaluation::PairRewards& rewards,
                                 const RewardSettings& settings, bool stopped, int max_width,
                                 std::vector<std::string> places) {
  return RewardExplanation(describe_viewpoints(batch, settings, stopped, std::move(places)),
                           rewards, settings, stopped, max_width)
      .text();
}

std::string explain_episode_rewards(evaluation::Inputs& inputs, const std::string& id,
                                    const RewardSettings& settings, bool stopped, int max_width) {
  evaluation::check_reward(inputs, settings);
  std::string text;
  for (const formats::Predictions& agent : inputs.agents) {
    const evaluation::PackedEpisodes run =
        evaluation::pack_episodes(inputs.dataset, agent, settings.convention, nullptr, false);
    for (const ItemRow& row : run.rows) {
      if (row.instr_id != id) continue;
      text += row.pair ? explain_path(inputs, agent, evaluation::only_pair(run, *row.pair), row,
                                      settings, stopped, max_width)
                       : explanation::title_of(row, agent.file, "", row.status) +
                             explanation::without_scores("no rewards", row.status, max_width);
    }
  }
  if (text.empty()) refuse_unknown_episode(inputs, id);
  return explanation::instruction_of(inputs.dataset, id, max_width) + text;
}

}  // namespace warpath::report
