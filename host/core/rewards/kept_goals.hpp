#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <tuple>
#include <vector>

#include "host/core/batch/kept_tables.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::rewards {

/// Keeps the rounded distances to goals in a store's scans, by distance and success radius. Several
/// threads may use it.
class KeptGoals {
 public:
  using Rows = std::map<std::vector<Node>, std::vector<float>>;  ///< by the goal, sorted
  using RowsOfScan = std::map<const Scan*, Rows>;

  /// Returns the rows of a store, which live as long as it does.
  static KeptGoals& of(const GraphStore& graphs);

  /// Calls use(rows), whose rows may be read and added to meanwhile.
  template <class Use>
  void with(Distance distance, double radius, Use&& use) {
    const std::lock_guard lock(mutex_);
    use(rows_({distance, radius}));
  }

 private:
  std::mutex mutex_;
  batch::Latest<std::pair<Distance, double>, RowsOfScan> rows_;  // by distance and radius
};

}  // namespace warpath::rewards
