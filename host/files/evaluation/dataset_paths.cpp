#include "host/files/evaluation/dataset_paths.hpp"

#include <fmt/format.h>

#include "warpath/error.hpp"

namespace warpath::evaluation {

DatasetPaths::DatasetPaths(const formats::Dataset& dataset, formats::Graphs& graphs,
                           const formats::StringTable& viewpoints)
    : dataset_(dataset), graphs_(graphs), viewpoints_(viewpoints), scans_(dataset.scans.size()) {}

const Scan& DatasetPaths::scan(const formats::Item& item) {
  const Scan*& scan = scans_[item.scan];
  if (scan == nullptr) scan = &graphs_.scan(dataset_.scans[item.scan]);
  return *scan;
}

Node DatasetPaths::start(const formats::Item& item) {
  const auto reference = dataset_.references[item.reference];
  return part_of_reference(item, reference.first(reference.empty() ? 0 : 1)).front();
}

std::vector<Node> DatasetPaths::reference(const formats::Item& item) {
  return part_of_reference(item, dataset_.references[item.reference]);
}

std::vector<Node> DatasetPaths::known(const formats::Item& item,
                                      std::span<const formats::Token> path) {
  const Scan& graph = scan(item);
  std::vector<Node> nodes;
  for (const formats::Token token : path) {
    const auto node = graph.find(viewpoints_[token]);
    if (!node) break;
    nodes.push_back(*node);
  }
  return nodes;
}

std::vector<Node> DatasetPaths::part_of_reference(const formats::Item& item,
                                                  std::span<const formats::Token> part) {
  const InputError::Where where{dataset_.file, item.id, "reference"};
  if (part.empty()) throw InputError(where, "is empty", "repair the dataset");
  std::vector<Node> nodes = known(item, part);
  if (nodes.size() < part.size()) {
    throw InputError(where,
                     fmt::format("names the viewpoint {}, which the graph of its scan has not",
                                 viewpoints_[part[nodes.size()]]),
                     "repair the dataset, or name the graphs that it was made for");
  }
  return nodes;
}

}  // namespace warpath::evaluation
