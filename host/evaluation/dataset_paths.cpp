#include "host/evaluation/dataset_paths.hpp"

#include <fmt/format.h>

namespace warpath {

DatasetPaths::DatasetPaths(const Dataset& dataset, Graphs& graphs, const StringTable& viewpoints)
    : dataset_(dataset), graphs_(graphs), viewpoints_(viewpoints), scans_(dataset.scans.size()) {}

const Scan& DatasetPaths::scan(const Item& item) {
  const Scan*& scan = scans_[item.scan];
  if (scan == nullptr) scan = &graphs_.scan(dataset_.scans[item.scan]);
  return *scan;
}

Node DatasetPaths::start(const Item& item) {
  const auto reference = dataset_.references[item.reference];
  const std::size_t size = reference.empty() ? 0 : 1;
  return nodes(item, reference.first(size), {dataset_.file, item.id, "reference"}).front();
}

std::vector<Node> DatasetPaths::reference(const Item& item) {
  return nodes(item, dataset_.references[item.reference], {dataset_.file, item.id, "reference"});
}

std::vector<Node> DatasetPaths::nodes(const Item& item, std::span<const Token> path,
                                      const InputError::Where& where) {
  if (path.empty()) throw InputError(where, "is empty", "repair the item or remove it");
  std::vector<Node> nodes;
  for (const Token token : path) {
    const auto node = scan(item).find(viewpoints_[token]);
    if (!node) {
      throw InputError(where,
                       fmt::format("names the viewpoint {}, which the graph of its scan has not",
                                   viewpoints_[token]),
                       "repair the item or remove it");
    }
    nodes.push_back(*node);
  }
  return nodes;
}

}  // namespace warpath
