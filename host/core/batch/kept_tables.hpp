#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::batch {

/// Keeps values by key, and forgets the one that was not asked for longest when there are too many.
template <class Key, class Value>
class Latest {
 public:
  /// Returns a key's value, a new one if there is none.
  Value& operator()(const Key& key) {
    for (auto it = kept_.begin(); it != kept_.end(); ++it) {
      if (it->first != key) continue;
      kept_.splice(kept_.begin(), kept_, it);
      return kept_.front().second;
    }
    if (kept_.size() == max_kept) kept_.pop_back();
    kept_.emplace_front(key, Value());
    return kept_.front().second;
  }

 private:
  static constexpr std::size_t max_kept = 8;  // bounds the memory of callers that try thresholds

  std::list<std::pair<Key, Value>> kept_;
};

/// Keeps the tables of a store's scans for all that ask for them, by distance and threshold. They
/// lie in one array, so that one more scan copies those before it, and nothing else ever does.
/// Several threads may use it.
class KeptTables {
 public:
  /// Returns the tables of a store, which live as long as it does.
  static KeptTables& of(const GraphStore& graphs);

  /// Returns tables of these scans; makes those that are new.
  /// @param graphs whose tables these are. Scans of others, and scans that do not fit beside those
  /// that are kept, are made for the caller alone.
  DistanceTables get(const GraphStore& graphs, std::span<const Scan* const> scans,
                     const Convention& convention);

 private:
  struct Kept {
    std::vector<const Scan*> scans;
    std::unordered_map<const Scan*, std::uint32_t> number;  // in `scans`
    DistanceTables tables;
  };

  // Tells whether all scans are kept; makes those that are not. Requires the lock.
  static bool has_all(Kept& kept, const GraphStore& graphs, std::span<const Scan* const> scans,
                      const Convention& convention);

  std::mutex mutex_;
  Latest<std::pair<Distance, double>, Kept> kept_;  // by distance and threshold
};

}  // namespace warpath::batch
