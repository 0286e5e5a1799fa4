#include "host/generators/perturbed_predictions.hpp"

#include <fmt/format.h>

#include "host/evaluation/dataset_paths.hpp"
#include "host/generators/prediction_writer.hpp"
#include "host/io/counted.hpp"
#include "host/io/progress.hpp"

namespace warpath {

PerturbedPredictions perturbed_predictions(Perturbation perturbation, std::uint64_t seed,
                                           Inputs& inputs) {
  const Dataset& dataset = inputs.dataset;
  DatasetPaths paths(dataset, inputs.graphs, inputs.viewpoints);
  PredictionWriter writer;
  PerturbedPredictions out;
  Progress progress("perturbing", dataset.items.size(), "items");
  for (std::size_t i = 0; i < dataset.items.size(); ++i) {
    const Item& item = dataset.items[i];
    const Scan& scan = paths.scan(item);
    const auto path = perturb(scan, paths.reference(item), perturbation, seed, i);
    if (path) {
      writer.add(item.id, scan, with_headings(scan, path->nodes, item.heading));
      out.broken += path->is_broken ? 1 : 0;
    } else {
      ++out.without;
    }
    progress.add();
  }
  out.perturbed = writer.size();
  if (out.perturbed == 0) {
    throw InputError(
        {dataset.file},
        fmt::format("none of the {} admits {}", counted(out.without, "path"), name(perturbation)),
        "choose another perturbation, or a dataset of longer paths");
  }
  out.text = writer.take();
  return out;
}

}  // namespace warpath
