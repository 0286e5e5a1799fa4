#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "warpath/distances.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::reference {

/// Rows of a scan's distances. Several threads may use them.
class ScanRows {
 public:
  /// @throws InputError as Distances
  ScanRows(const Scan& scan, Distance distance) : distances_(scan, distance) {}

  /// Makes the rows from these viewpoints, and those to `targets`.
  void make(std::span<const Node> sources, std::span<const Node> targets);
  /// Returns the distances, of which only rows that were made may be read.
  Distances& read() { return distances_; }

 private:
  std::mutex mutex_;
  Distances distances_;
};

/// Keeps the rows of a store's scans for all evaluations of them.
class KeptRows {
 public:
  /// In larger scans, most distances of a row are not needed by any pair.
  static constexpr std::size_t max_viewpoints = 1024;

  /// Returns the rows of a store, which live as long as it does.
  static KeptRows& of(const GraphStore& graphs);

  /// Returns the rows of a scan; null if it is not of the store, is large, has its distances
  /// otherwise, or all rows of all scans might take too much memory.
  /// @throws InputError as Distances
  std::shared_ptr<ScanRows> get(const GraphStore& graphs, const Scan& scan, Distance distance);

 private:
  std::mutex mutex_;
  std::map<std::pair<const Scan*, Distance>, std::shared_ptr<ScanRows>> kept_;
  std::size_t bytes_ = 0;  // of all rows
};

}  // namespace warpath::reference
