#pragma once

#include <span>
#include <vector>

#include "host/formats/dataset.hpp"
#include "host/formats/graphs.hpp"

namespace warpath {

/// Turns paths of a dataset and its predictions into indices of their scans.
class DatasetPaths {
 public:
  /// The arguments must outlive the object.
  DatasetPaths(const Dataset& dataset, Graphs& graphs, const StringTable& viewpoints);

  /// Returns the scan of an item. @throws InputError as Graphs::scan
  const Scan& scan(const Item& item);
  /// Returns where an item's reference begins.
  /// @throws InputError if it is empty or begins at a viewpoint that is not in its scan
  Node start(const Item& item);
  /// Returns an item's reference.
  /// @throws InputError if it is empty or has a viewpoint that is not in its scan
  std::vector<Node> reference(const Item& item);
  /// Returns the viewpoints of any path up to the first that is not in the item's scan: the whole
  /// path if the result is as long.
  std::vector<Node> known(const Item& item, std::span<const Token> path);

 private:
  std::vector<Node> part_of_reference(const Item& item, std::span<const Token> part);

  const Dataset& dataset_;
  Graphs& graphs_;
  const StringTable& viewpoints_;
  std::vector<const Scan*> scans_;  // by number; null: not asked for yet
};

}  // namespace warpath
