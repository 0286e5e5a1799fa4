#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/core/batch/distance_tables.hpp"
#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/watch.hpp"

namespace warpath {
class GraphStore;
}  // namespace warpath

namespace warpath::batch {

class DistanceFinder;

/// Pairs of a batch on one scan, as a batch of its own whose scan has a table.
struct PartOnLargeScan {
  PairBatchView view;
  const DistanceTables& tables;
  std::span<const std::uint32_t> rows;  ///< by pair of `view`: its row in the whole batch
};

/// Bounds of the tables that LargeScans makes, and of the parts that it hands over.
struct LargeScanLimits {
  /// Viewpoints of a compact table, unless a single pair uses more, or a larger table halves the
  /// searches.
  std::size_t used_viewpoints = DistanceTables::max_viewpoints;
  /// Entries of all tables of whole scans, and of one compact table: 2 GiB.
  std::size_t whole_entries = std::size_t{1} << 29;
  std::size_t pairs = std::size_t{1} << 16;  ///< of a part
  /// Viewpoints that a single pair may use.
  std::size_t max_of_pair = DistanceTables::max_viewpoints;
};

/// Gives the fast back ends tables for scans that are too large for DistanceTables. Pairs touch few
/// viewpoints, so a group of them reads a *compact table*, of only the viewpoints that it uses.
/// Once the searches made on a scan are three quarters of its viewpoints, its whole table costs
/// little more than that again: if it fits, it is made and kept. One that a store has is taken as
/// soon as searches would take most of the time. Scores are the same bits with either.
///
/// Several threads may use one object.
class LargeScans {
 public:
  using Take = std::function<void(const PartOnLargeScan&)>;

  /// @param graphs keeps whole tables for all that are given the same store, and must outlive the
  /// object; null: the object alone does
  explicit LargeScans(const Convention& convention, const GraphStore* graphs = nullptr);
  LargeScans(const LargeScans&) = delete;
  LargeScans& operator=(const LargeScans&) = delete;
  ~LargeScans();

  /// Hands over pairs, part after part, until all have been taken.
  /// @param rows of the batch, with viewpoints that exist
  /// @param watch is called with 0 while searches are made; null: none
  /// @returns the rows that were left out: of pairs that alone use too many viewpoints
  std::vector<std::uint32_t> for_each_part(const PairBatchView& batch,
                                           std::vector<std::uint32_t> rows,
                                           const LargeScanLimits& limits, const Watch* watch,
                                           const Take& take);

 private:
  struct State;

  State& state_of(const Scan& scan);
  std::shared_ptr<const DistanceTables> whole_table(State& state, std::size_t searches,
                                                    const LargeScanLimits& limits,
                                                    const Watch* watch);
  void take_scan(const PairBatchView& batch, std::span<const std::uint32_t> rows,
                 const LargeScanLimits& limits, const Watch* watch, const Take& take);

  const Convention convention_;
  const GraphStore* const graphs_;
  std::mutex mutex_;  // guards the two below, and what is kept of each scan
  std::unordered_map<const Scan*, std::unique_ptr<State>> states_;
  std::size_t whole_entries_ = 0;
};

}  // namespace warpath::batch
