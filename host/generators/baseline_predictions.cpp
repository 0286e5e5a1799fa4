#include "host/generators/baseline_predictions.hpp"

#include <fmt/format.h>

#include <map>

#include "host/evaluation/dataset_paths.hpp"
#include "host/evaluation/matching.hpp"
#include "host/generators/prediction_writer.hpp"
#include "host/io/counted.hpp"
#include "host/io/progress.hpp"

namespace warpath {
namespace {

class Predictor {
 public:
  Predictor(const Baseline& baseline, Inputs& inputs)
      : baseline_(baseline),
        inputs_(inputs),
        paths_(inputs.dataset, inputs.graphs, inputs.viewpoints) {}

  std::string predict_all() {
    const std::vector<Item>& items = inputs_.dataset.items;
    Progress progress("walking", items.size(), "items");
    for (std::size_t i = 0; i < items.size(); ++i) {
      writer_.add(items[i].id, paths_.scan(items[i]), predict(items[i], i));
      progress.add();
    }
    return writer_.take();
  }

  std::string cut_all(const Predictions& predictions) {
    const Matching matching(inputs_.dataset, predictions);
    Progress progress("cutting", predictions.entries.size(), "predictions");
    for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
      progress.add();
      const std::uint32_t i = matching.item_of(e);
      if (i == Matching::no_item) continue;
      const Item& item = inputs_.dataset.items[i];
      writer_.add(item.id, paths_.scan(item), cut(item, predictions, predictions.entries[e]));
    }
    if (writer_.size() == 0) {
      throw InputError(
          {predictions.file},
          fmt::format("no id of its {} is in {}", counted(predictions.entries.size(), "prediction"),
                      inputs_.dataset.file),
          "name the dataset of the same split");
    }
    return writer_.take();
  }

 private:
  std::vector<Pose> predict(const Item& item, std::size_t number) {
    const Scan& scan = paths_.scan(item);
    switch (baseline_.agent) {
      case BaselineAgent::shortest:
        return with_headings(scan, shortest(item), item.heading);
      case BaselineAgent::reference:
        return with_headings(scan, paths_.reference(item), item.heading);
      case BaselineAgent::random_heading:
        return random_heading(scan, paths_.start(item), item.heading,
                              draw_right_turns(baseline_.seed, number));
      default:
        return with_headings(scan, std::vector{paths_.start(item)}, item.heading);
    }
  }

  std::vector<Node> shortest(const Item& item) {
    const std::vector<Node> reference = paths_.reference(item);
    std::vector<Node> path = distances(item).path(reference.front(), reference.back());
    if (path.empty()) {
      throw InputError({inputs_.dataset.file, item.id, "reference"},
                       "no path leads from its start to its goal",
                       "repair the graph, or choose an agent that needs none: reference, stop");
    }
    return path;
  }

  std::vector<Pose> cut(const Item& item, const Predictions& predictions,
                        const Prediction& prediction) {
    const InputError::Where where{predictions.file, prediction.id, predictions.path_key};
    if (prediction.trajectory.malformed) {
      throw InputError(where, "is not a list of viewpoints", "warpath validate says what it is");
    }
    const Node goal = paths_.reference(item).back();
    std::vector<Node> path =
        paths_.nodes(item, predictions.paths[prediction.trajectory.path], where);
    path.resize(oracle_stop(distances(item), path, goal));
    return with_headings(paths_.scan(item), path, item.heading);
  }

  Distances& distances(const Item& item) {
    constexpr std::size_t max_kept_bytes = std::size_t{256} << 20;
    auto it = distances_.find(item.scan);
    if (it == distances_.end()) {
      it = distances_.emplace(item.scan, Distances(paths_.scan(item), baseline_.distance)).first;
    }
    if (it->second.bytes() > max_kept_bytes) it->second.clear();
    return it->second;
  }

  const Baseline baseline_;
  Inputs& inputs_;
  DatasetPaths paths_;
  std::map<std::uint32_t, Distances> distances_;  // by scan
  PredictionWriter writer_;
};

}  // namespace

std::string baseline_predictions(const Baseline& baseline, Inputs& inputs) {
  Predictor predictor(baseline, inputs);
  return baseline.agent == BaselineAgent::oracle_stop ? predictor.cut_all(inputs.agents.front())
                                                      : predictor.predict_all();
}

}  // namespace warpath
