#pragma once

#include <span>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"

namespace warpath::evaluation {

/// Turns paths of a dataset and its predictions into indices of their scans.
class DatasetPaths {
 public:
  /// The arguments must outlive the object.
  DatasetPaths(const formats::Dataset& dataset, formats::Graphs& graphs,
               const formats::StringTable& viewpoints);

  /// Returns the scan of an item. @throws InputError as Graphs::scan
  const Scan& scan(const formats::Item& item);
  /// Returns where an item's reference begins.
  /// @throws InputError if it is empty or begins at a viewpoint that is not in its scan
  Node start(const formats::Item& item);
  /// Returns an item's reference.
  /// @throws InputError if it is empty or has a viewpoint that is not in its scan
  std::vector<Node> reference(const formats::Item& item);
  /// Returns the viewpoints of any path up to the first that is not in the item's scan: the whole
  /// path if the result is as long.
  std::vector<Node> known(const formats::Item& item, std::span<const formats::Token> path);

 private:
  std::vector<Node> part_of_reference(const formats::Item& item,
                                      std::span<const formats::Token> part);

  const formats::Dataset& dataset_;
  formats::Graphs& graphs_;
  const formats::StringTable& viewpoints_;
  std::vector<const Scan*> scans_;  // by number; null: not asked for yet
};

}  // namespace warpath::evaluation
