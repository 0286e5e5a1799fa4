#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::batch {

/// Keeps up to `max_kept` values by key, and forgets the one that was not asked for longest when
/// there are more.
template <class Key, class Value, std::size_t max_kept = 8>
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

  /// Returns a key's value; null if there is none.
  const Value* find(const Key& key) const {
    const auto place = std::ranges::find(kept_, key, &std::pair<Key, Value>::first);
    return place == kept_.end() ? nullptr : &place->second;
  }

 private:
  std::list<std::pair<Key, Value>> kept_;
};

/// Keeps the tables of a store's scans for all that ask for them, by distance and threshold. Those
/// of small scans lie in one array, so that one more scan copies those before it, and nothing else
/// ever does. A large scan's table is an array of its own until it is asked for with others.
/// Several threads may use it.
class KeptTables {
 public:
  /// Returns the tables of a store, which live as long as it does.
  static KeptTables& of(const GraphStore& graphs);

  /// Returns tables of these scans; makes those that are new.
  /// @param graphs whose tables these are. Scans of others, and scans that do not fit beside those
  /// that are kept, are made for the caller alone.
  DistanceTables get(const GraphStore& graphs, std::span<const Scan* const> scans,
                     const Convention& convention, LargeTables large = LargeTables::none);

  /// Returns the table of a large scan if it is kept.
  std::optional<DistanceTables> find(const Scan& scan, const Convention& convention);
  /// Keeps the table of a large scan, unless there is one, or no room.
  /// @returns the one that is kept, or else `made`
  DistanceTables keep(const GraphStore& graphs, const Scan& scan, const Convention& convention,
                      DistanceTables made);

 private:
  using Key = std::pair<Distance, double>;  // distance and threshold
  struct Kept {
    std::vector<const Scan*> scans;
    std::unordered_map<const Scan*, std::uint32_t> number;  // in `scans`
    DistanceTables tables;
  };

  // Tells whether all scans are kept; makes those that are not. Requires the lock.
  static bool has_all(Kept& kept, const GraphStore& graphs, std::span<const Scan* const> scans,
                      const Convention& convention);

  // Of each scan a view of its table. They have at most DistanceTables::max_entries together.
  using KeptLarge = std::map<const Scan*, DistanceTables>;

  DistanceTables get_large(const GraphStore& graphs, std::span<const Scan* const> scans,
                           const Convention& convention);
  // The functions below require the lock.
  static bool has_room(const KeptLarge& kept, const GraphStore& graphs,
                       std::span<const Scan* const> added);
  static DistanceTables joined(KeptLarge& kept, std::span<const Scan* const> scans);

  std::mutex mutex_;
  // Their numbers bound the memory of callers that try thresholds.
  Latest<Key, Kept> kept_;
  Latest<Key, KeptLarge, 2>
      large_;  // up to 4 GiB each; tables of small scans beside large ones, too
};

}  // namespace warpath::batch
