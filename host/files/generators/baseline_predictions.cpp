#include "host/files/generators/baseline_predictions.hpp"

#include <algorithm>
#include <map>

#include "host/core/base/progress.hpp"
#include "host/files/evaluation/dataset_paths.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/generators/prediction_writer.hpp"

namespace warpath::generators {
namespace {

class Predictor {
 public:
  Predictor(const Baseline& baseline, evaluation::Inputs& inputs)
      : baseline_(baseline),
        inputs_(inputs),
        paths_(inputs.dataset, inputs.graphs, inputs.viewpoints) {}

  std::string predict_all() {
    const std::vector<formats::Item>& items = inputs_.dataset.items;
    base::Progress progress("walking", items.size(), "items");
    for (std::size_t i = 0; i < items.size(); ++i) {
      writer_.add(items[i].id, paths_.scan(items[i]), predict(items[i], i));
      progress.add();
    }
    return writer_.take();
  }

  std::string cut_all(const formats::Predictions& predictions) {
    const evaluation::Matching matching(inputs_.dataset, predictions);
    base::Progress progress("cutting", predictions.entries.size(), "predictions");
    for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
      const formats::Prediction& prediction = predictions.entries[e];
      const std::uint32_t i = matching.item_of(e);
      if (i == evaluation::Matching::no_item)
        keep(prediction.id, predictions, prediction.trajectory);
      else
        cut(inputs_.dataset.items[i], predictions, prediction.trajectory);
      progress.add();
    }
    return writer_.take();
  }

 private:
  std::vector<Pose> predict(const formats::Item& item, std::size_t number) {
    const Scan& scan = paths_.scan(item);
    switch (baseline_.agent) {
      case BaselineAgent::shortest:
        return with_headings(scan, shortest(item), item.heading);
      case BaselineAgent::reference:
        return with_headings(scan, paths_.reference(item), item.heading);
      case BaselineAgent::random_heading:
        require_positions(scan);
        return random_heading(scan, paths_.start(item), item.heading,
                              draw_right_turns(baseline_.seed, number));
      default:
        return with_headings(scan, std::vector{paths_.start(item)}, item.heading);
    }
  }

  std::vector<Node> shortest(const formats::Item& item) {
    const std::vector<Node> reference = paths_.reference(item);
    std::vector<Node> path = distances(item).path(reference.front(), reference.back());
    if (path.empty()) {
      throw InputError({inputs_.dataset.file, item.id, "reference"},
                       "no path leads from its start to its goal",
                       "repair the graph, or choose an agent that needs none: reference, stop");
    }
    return path;
  }

  void require_positions(const Scan& scan) const {
    if (scan.has_positions()) return;
    throw InputError({inputs_.graphs.source_of(scan.id()), "scan " + scan.id()},
                     "its viewpoints have no positions, by which random-heading moves",
                     "give them positions, or choose another agent: stop, shortest, reference");
  }

  // Writes a prediction up to its viewpoint nearest to the goal; as it is, if it or the goal is not
  // in the scan.
  void cut(const formats::Item& item, const formats::Predictions& predictions,
           const formats::Trajectory& trajectory) {
    const auto query = predictions.paths[trajectory.path];
    const auto reference = inputs_.dataset.references[item.reference];
    const std::vector<Node> goal =
        paths_.known(item, reference.last(std::min<std::size_t>(reference.size(), 1)));
    std::vector<Node> path = paths_.known(item, query);
    if (trajectory.malformed || path.empty() || path.size() < query.size() || goal.empty()) {
      return keep(item.id, predictions, trajectory);
    }
    path.resize(oracle_stop(distances(item), path, goal.front()));
    const Scan& scan = paths_.scan(item);
    writer_.add(item.id, scan, with_headings(scan, path, item.heading));
  }

  void keep(const std::string& id, const formats::Predictions& predictions,
            const formats::Trajectory& trajectory) {
    std::vector<std::string_view> viewpoints;
    for (const formats::Token token : predictions.paths[trajectory.path]) {
      viewpoints.push_back(inputs_.viewpoints[token]);
    }
    writer_.add(id, viewpoints, trajectory.malformed);
  }

  Distances& distances(const formats::Item& item) {
    std::size_t bytes = 0;
    for (const auto& [scan, kept] : distances_) bytes += kept.bytes();
    if (bytes > baseline_.max_distance_bytes) {
      for (auto& [scan, kept] : distances_) kept.clear();
    }
    auto it = distances_.find(item.scan);
    if (it == distances_.end()) {
      it = distances_.emplace(item.scan, Distances(paths_.scan(item), baseline_.distance)).first;
    }
    return it->second;
  }

  const Baseline baseline_;
  evaluation::Inputs& inputs_;
  evaluation::DatasetPaths paths_;
  std::map<std::uint32_t, Distances> distances_;  // by scan
  PredictionWriter writer_;
};

}  // namespace

std::string baseline_predictions(const Baseline& baseline, evaluation::Inputs& inputs) {
  Predictor predictor(baseline, inputs);
  return baseline.agent == BaselineAgent::oracle_stop ? predictor.cut_all(inputs.agents.front())
                                                      : predictor.predict_all();
}

}  // namespace warpath::generators
