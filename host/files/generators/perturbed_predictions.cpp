#include "host/files/generators/perturbed_predictions.hpp"

#include <fmt/format.h>

#include "host/core/base/progress.hpp"
#include "host/files/evaluation/dataset_paths.hpp"
#include "host/files/generators/prediction_writer.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::generators {

PerturbedPredictions perturbed_predictions(Perturbation perturbation, std::uint64_t seed,
                                           evaluation::Inputs& inputs) {
  const formats::Dataset& dataset = inputs.dataset;
  evaluation::DatasetPaths paths(dataset, inputs.graphs, inputs.viewpoints);
  PredictionWriter writer;
  PerturbedPredictions out;
  base::Progress progress("perturbing", dataset.items.size(), "items");
  for (std::size_t i = 0; i < dataset.items.size(); ++i) {
    const formats::Item& item = dataset.items[i];
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
    throw InputError({dataset.file},
                     fmt::format("none of the {} admits {}", io::counted(out.without, "path"),
                                 name(perturbation)),
                     "choose another perturbation, or a dataset of longer paths");
  }
  out.text = writer.take();
  return out;
}

}  // namespace warpath::generators
