#include "host/program/report/explain_episode.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_set>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/graph/euclid.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/episode_scores.hpp"
#include "host/files/evaluation/fast_dtw.hpp"
#include "host/files/evaluation/goal_distances.hpp"
#include "host/files/evaluation/mesh_pairs.hpp"
#include "host/program/report/explain_parts.hpp"
#include "host/program/report/explained_item.hpp"
#include "host/program/report/report.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

using Points = std::span<const std::array<double, 3>>;

class EpisodeExplanation {
 public:
  // @param one a run of one pair
  EpisodeExplanation(const evaluation::Inputs& inputs, const formats::Predictions& predictions,
                     const evaluation::PackedEpisodes& one, const Convention& convention,
                     int max_width)
      : inputs_(inputs),
        predictions_(predictions),
        one_(one),
        convention_(convention),
        layout_{max_width, false},
        euclid_(convention.distance),
        over_meshes_(inputs.meshes && inputs.meshes->which() == evaluation::OverMeshes::all
                         ? measure_pairs(*inputs.meshes, inputs.dataset, one, 0, 1)
                         : evaluation::MeshPairs{}),
        scores_(evaluation::score_episodes(inputs, predictions, one, convention, Backend::reference,
                                           {})) {}

  Status status() const { return scores_.status.front(); }

  // Fills all fields but the first four.
  void describe(ExplainedItem& item) const {
    const Points reference = one_.batch.references[0], query = one_.batch.queries[0];
    const auto add = [&](Points path, std::vector<std::array<double, 3>>& positions) {
      for (const auto& p : path) positions.push_back(placed(p));  // as in the files
    };
    add(reference, item.reference_positions);
    add(query, item.query_positions);
    item.is_z_up = inputs_.dataset.episodes->is_z_up;
    if (reference.size() * query.size() <= explanation::max_cells) {
      explanation::keep_warping(distance_matrix(reference, query), item);
    }
    item.scores = scores_;
  }

  std::string text() {
    const Points reference = one_.batch.references[0], query = one_.batch.queries[0];
    reference_table(reference);
    query_table();
    if (inputs_.meshes) way_table();
    if (reference.size() * query.size() > explanation::max_cells) {
      out_ += "alignment left out: the paths are too long to lay it out\n\n";
    } else {
      alignment(reference, query);
    }
    terms();
    return std::move(out_);
  }

 private:
  std::array<double, 3> placed(const std::array<double, 3>& point) const {
    return evaluation::placed(point, convention_.distance, *inputs_.dataset.episodes);
  }

  void add(Table table) { out_ += table.render(Table::Style::text, layout_) + '\n'; }

  std::vector<std::string> row(Points path, std::size_t k, double step) const {
    std::vector<std::string> cells{fmt::format("{}", k + 1)};
    for (const double coordinate : path[k]) cells.push_back(explanation::number(coordinate));
    cells.push_back(k == 0 ? "" : explanation::number(step));
    return cells;
  }

  void reference_table(Points path) {
    Table table{{"reference", "x", "y", "z", "step"}, {}, "rrrrr"};
    if (convention_.distance == Distance::euclid_2d && !inputs_.dataset.episodes->is_z_up)
      table.header = {"reference", "x", "z", "y", "step"};
    for (std::size_t k = 0; k < path.size(); ++k) {
      table.rows.push_back(row(path, k, k == 0 ? 0.0 : reference_step(path, k)));
    }
    add(std::move(table));
  }

  double reference_step(Points path, std::size_t k) const {
    if (over_meshes_.scans.empty()) return euclid_(path[k - 1], path[k]);
    const auto nodes = over_meshes_.batch.references[0];
    return mesh_distance(nodes[k - 1], nodes[k]);
  }

  double mesh_distance(Node from, Node to) const {
    const Scan& scan = over_meshes_.scans.front();
    return scan.distances()[from * scan.size() + to];
  }

  // Shows the query as predicted, with repeats.
  void query_table() {
    const std::uint32_t path = predictions_.entries[one_.sources[0].entry].trajectory.path;
    const formats::PositionData& data = *predictions_.positions;
    const Points points = data.points[path];
    const auto to_goal = [&](bool of_oracle) {
      return evaluation::goal_distances(*inputs_.dataset.episodes, one_.sources[0].item, data, path,
                                        convention_, of_oracle);
    };
    const std::vector<double> distances = to_goal(false), of_oracle = to_goal(true);
    const bool has_two_planes = definitions::goal_distance(convention_, true) !=
                                definitions::goal_distance(convention_, false);
    Table table{{"query", "x", "y", "z", "step", "to the goal"}, {}, "rrrrrr"};
    if (has_two_planes) {
      table.header.back() = "to the goal (3-D)";
      table.header.emplace_back("of OSR (2-D)");
    }
    for (std::size_t k = 0; k < points.size(); ++k) {
      const auto at = [&](std::size_t i) { return placed(points[i]); };
      const double step = k == 0                  ? 0.0
                          : data.steps.size() > 0 ? data.steps[path][k]
                                                  : euclid_(at(k - 1), at(k));
      table.rows.push_back(row(points, k, step));
      table.rows.back().push_back(explanation::number(distances[k]));
      if (has_two_planes) table.rows.back().push_back(explanation::number(of_oracle[k]));
    }
    add(std::move(table));
    const formats::PositionPath& flags = data.paths[path];
    out_ += fmt::format("stop: {}\n\n", !flags.has_stops   ? "not told, so the path ends with one"
                                        : flags.is_stopped ? "at the last position"
                                                           : "none");
  }

  // Shows where the distance to the goal leads along, from the last position.
  void way_table() {
    const std::uint32_t path = predictions_.entries[one_.sources[0].entry].trajectory.path;
    const auto way = inputs_.meshes->way_to_goal(inputs_.dataset, one_.sources[0].item,
                                                 predictions_.positions->points[path].back());
    Table table{{"way to the goal", "x", "y", "z", "step"}, {}, "rrrrr"};
    std::vector<std::array<double, 3>> corners;
    for (const navmesh::Position& p : way) corners.push_back({p[0], p[1], p[2]});
    const graph::Euclid euclid(Distance::euclid_3d);
    for (std::size_t k = 0; k < corners.size(); ++k) {
      table.rows.push_back(row(corners, k, k == 0 ? 0.0 : euclid(corners[k - 1], corners[k])));
    }
    if (corners.empty()) {
      out_ += "way to the goal: none leads there from the last position\n\n";
    } else {
      add(std::move(table));
    }
  }

  Eigen::MatrixXd distance_matrix(Points reference, Points query) const {
    Eigen::MatrixXd distance(reference.size(), query.size());
    for (std::size_t i = 0; i < reference.size(); ++i) {
      for (std::size_t j = 0; j < query.size(); ++j) {
        distance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            over_meshes_.scans.empty() ? euclid_(reference[i], query[j])
                                       : mesh_distance(over_meshes_.batch.queries[0][j],
                                                       over_meshes_.batch.references[0][i]);
      }
    }
    return distance;
  }

  void alignment(Points reference, Points query) {
    const Eigen::MatrixXd distance = distance_matrix(reference, query);
    Table table{{"exact alignment", "r", "q", "d(q, r)", "cost so far"}, {}, "rrrrr"};
    double cost = 0.0;
    for (const auto& [i, j] : reference::optimal_warping(distance).steps) {
      cost += distance(i, j);
      table.rows.push_back({fmt::format("{}", table.rows.size() + 1), fmt::format("{}", i + 1),
                            fmt::format("{}", j + 1), explanation::number(distance(i, j)),
                            explanation::number(cost)});
    }
    add(std::move(table));
    const unsigned radius = convention_.dtw_radius;
    if (radius == 0) return;
    const auto fast_cost = [&](FastDtw build) {
      return evaluation::fast_dtw_cost(query, reference, radius, build, euclid_);
    };
    out_ += explanation::describe_builds(fast_cost, cost, radius);
  }

  void terms() {
    Table table{{"metric", "value", "unit", "formula"}, {}, "lrll"};
    for (const MetricInfo& m : metric_table()) {
      if (scores_.column[m.metric].empty()) continue;
      const double value = scores_.at(m.metric, 0);
      table.rows.push_back({std::string(m.name), std::isnan(value) ? "-" : fmt::format("{}", value),
                            unit_name(m, convention_), formula(m.metric, convention_)});
    }
    add(std::move(table));
  }

  const evaluation::Inputs& inputs_;
  const formats::Predictions& predictions_;
  const evaluation::PackedEpisodes& one_;
  const Convention& convention_;
  const Table::Layout layout_;
  const graph::Euclid euclid_;
  const evaluation::MeshPairs over_meshes_;  // of the pair, or none
  const Scores scores_;
  std::string out_;
};

std::string explain_row(const evaluation::Inputs& inputs, const formats::Predictions& predictions,
                        const evaluation::PackedEpisodes& run, const ItemRow& row,
                        const Convention& convention, int max_width) {
  const std::string how = fmt::format(", preset {}, back end reference", convention.preset);
  if (!row.pair) {
    return explanation::title_of(row, predictions.file, how, row.status) +
           explanation::without_scores("no scores", row.status, max_width);
  }
  const evaluation::PackedEpisodes one = evaluation::only_pair(run, *row.pair);
  EpisodeExplanation explanation(inputs, predictions, one, convention, max_width);
  return explanation::title_of(row, predictions.file, how,
                               more_severe(row.status, explanation.status())) +
         explanation.text();
}

ExplainedItem explain_item(const evaluation::Inputs& inputs,
                           const formats::Predictions& predictions,
                           const evaluation::PackedEpisodes& run, const ItemRow& row,
                           const Convention& convention) {
  ExplainedItem item;
  item.instr_id = row.instr_id;
  item.scan = row.scan;
  item.status = row.status;
  if (!row.pair) return item;
  const evaluation::PackedEpisodes one = evaluation::only_pair(run, *row.pair);
  const EpisodeExplanation explanation(inputs, predictions, one, convention, 0);
  item.status = more_severe(row.status, explanation.status());
  explanation.describe(item);
  return item;
}

}  // namespace

std::vector<ExplainedItem> explain_episodes(const evaluation::Inputs& inputs,
                                            std::span<const std::string> ids,
                                            const Convention& convention) {
  const std::unordered_set<std::string_view> wanted(ids.begin(), ids.end());
  std::vector<ExplainedItem> items;
  for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
    const evaluation::PackedEpisodes run = evaluation::pack_episodes(
        inputs.dataset, inputs.agents[a], convention, inputs.success_of(a));
    for (const ItemRow& row : run.rows) {
      if (!wanted.contains(row.instr_id)) continue;
      items.push_back(explain_item(inputs, inputs.agents[a], run, row, convention));
      items.back().run = a;
    }
  }
  require_all(inputs, ids, items);
  explanation::add_instructions(inputs.dataset, items);
  return items;
}

std::string explain_episode(const evaluation::Inputs& inputs, const std::string& id,
                            const Convention& convention, int max_width) {
  std::string text;
  for (std::size_t a = 0; a < inputs.agents.size(); ++a) {
    const evaluation::PackedEpisodes run = evaluation::pack_episodes(
        inputs.dataset, inputs.agents[a], convention, inputs.success_of(a));
    for (const ItemRow& row : run.rows) {
      if (row.instr_id != id) continue;
      text += explain_row(inputs, inputs.agents[a], run, row, convention, max_width);
    }
  }
  if (text.empty()) refuse_unknown_episode(inputs, id);
  return text;
}

void refuse_unknown_episode(const evaluation::Inputs& inputs, const std::string& id) {
  throw InputError({inputs.dataset.file, id}, "no such episode",
                   "name an episode of the dataset, e.g. " + inputs.dataset.items.front().id);
}

}  // namespace warpath::report
