#include "host/core/batch/large_scans.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "host/core/batch/compact_table.hpp"
#include "host/core/batch/kept_tables.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "kernels/sweep/layout.hpp"

namespace warpath::batch {

// Holds what is kept of one scan between calls.
struct LargeScans::State {
  State(const Scan& scan, const Convention& convention) : finder(scan, convention) {}

  DistanceFinder finder;
  std::size_t searches = 0;  // made so far, or about to be made
  std::shared_ptr<const DistanceTables> whole;
};

namespace {

using Rows = std::span<const std::uint32_t>;

// Pairs that share one compact table: rows from `begin` to `end` of a list.
struct PairGroup {
  std::size_t begin, end;
  std::size_t references;  // different viewpoints of references
};

// Makes a batch of some pairs of another, all on one scan, with copies of their paths.
class PairsOfScan {
 public:
  // @param rows where pairs of one reference follow each other
  // @param used numbers the viewpoints anew; null: they keep their numbers
  PairsOfScan(const PairBatchView& batch, Rows rows, const Scan& scan, const UsedViewpoints* used)
      : some_(batch, rows), scan_(&scan) {
    for (const Pair& pair : some_.view().pairs) {
      if (pairs_.empty() || pair.reference != last_reference_) {
        copy(batch.references[pair.reference], used, references_);
        last_reference_ = pair.reference;
      }
      copy(batch.queries[pair.query], used, queries_);
      pairs_.push_back({0, static_cast<std::uint32_t>(references_.size() - 1),
                        static_cast<std::uint32_t>(queries_.size() - 1)});
    }
  }

  PairBatchView view() const {
    PairBatchView part = some_.view();
    part.scans = {&scan_, 1};
    part.references = references_;
    part.queries = queries_;
    part.pairs = pairs_;
    return part;
  }

 private:
  static void copy(std::span<const Node> path, const UsedViewpoints* used, PathSet& to) {
    for (const Node n : path) to.elements.push_back(used == nullptr ? n : (*used)[n]);
    to.end_path();
  }

  const SomePairs some_;
  const Scan* const scan_;
  std::uint32_t last_reference_ = 0;  // in the batch
  PathSet references_, queries_;
  std::vector<Pair> pairs_;
};

// Brings together the pairs of each scan, in these those whose references begin at one viewpoint,
// since such pairs use the same viewpoints, and in these those of each reference.
void sort_rows(const PairBatchView& batch, std::vector<std::uint32_t>& rows) {
  const auto key = [&](std::uint32_t row) {
    const Pair& pair = batch.pairs[row];
    return std::tuple(pair.scan, batch.references[pair.reference].front(), pair.reference, row);
  };
  std::ranges::sort(rows, {}, key);
}

void add_references(const PairBatchView& batch, Rows rows, UsedViewpoints& used) {
  for (const std::uint32_t row : rows) used.add(batch.references[batch.pairs[row].reference]);
}
void add_queries(const PairBatchView& batch, Rows rows, UsedViewpoints& used) {
  for (const std::uint32_t row : rows) used.add(batch.queries[batch.pairs[row].query]);
}

// Removes the rows of pairs that alone use too many viewpoints, and returns them.
std::vector<std::uint32_t> remove_too_long(const PairBatchView& batch,
                                           std::vector<std::uint32_t>& rows, std::size_t max_used) {
  std::vector<std::uint32_t> removed;
  std::erase_if(rows, [&](std::uint32_t row) {
    const Pair& pair = batch.pairs[row];
    const auto reference = batch.references[pair.reference], query = batch.queries[pair.query];
    if (reference.size() + query.size() <= max_used) return false;
    UsedViewpoints used(batch.scans[pair.scan]->size());
    used.add(reference);
    used.add(query);
    if (used.size() > max_used) removed.push_back(row);
    return used.size() > max_used;
  });
  return removed;
}

// Cuts rows of one scan into groups that use at most so many viewpoints, or are a single pair.
std::vector<PairGroup> group_pairs(const PairBatchView& batch, Rows rows, std::size_t max_used,
                                   UsedViewpoints& used) {
  std::vector<PairGroup> groups;
  for (std::size_t begin = 0; begin < rows.size(); begin = groups.back().end) {
    used.shrink(0);
    std::size_t end = begin;
    for (; end < rows.size(); ++end) {
      add_references(batch, rows.subspan(end, 1), used);
      add_queries(batch, rows.subspan(end, 1), used);
      if (end > begin && used.size() > max_used) break;
    }
    used.shrink(0);
    add_references(batch, rows.subspan(begin, end - begin), used);
    groups.push_back({begin, end, used.size()});
  }
  return groups;
}

std::size_t searches_of(std::span<const PairGroup> groups) {
  std::size_t searches = 0;
  for (const PairGroup& group : groups) searches += group.references;
  return searches;
}

std::size_t cells_of(const PairBatchView& batch, Rows rows) {
  std::size_t cells = 0;
  for (const std::uint32_t row : rows) {
    const Pair& pair = batch.pairs[row];
    cells += batch.references.size_of(pair.reference) * batch.queries.size_of(pair.query);
  }
  return cells;
}

// Cuts rows of one scan into groups with small tables, or with large ones where that halves the
// searches: groups that share references repeat them.
std::vector<PairGroup> plan_groups(const PairBatchView& batch, Rows rows,
                                   const LargeScanLimits& limits, UsedViewpoints& used) {
  std::vector<PairGroup> small = group_pairs(batch, rows, limits.used_viewpoints, used);
  const auto max_used =
      static_cast<std::size_t>(std::sqrt(static_cast<double>(limits.whole_entries)));
  if (small.size() == 1 || max_used <= limits.used_viewpoints) return small;
  std::vector<PairGroup> large = group_pairs(batch, rows, max_used, used);
  return 2 * searches_of(large) <= searches_of(small) ? large : small;
}

// Hands over pairs of one scan in parts.
void take_windows(const PairBatchView& batch, Rows rows, const Scan& scan,
                  const DistanceTables& tables, const UsedViewpoints* used, std::size_t pairs,
                  const LargeScans::Take& take) {
  for (std::size_t k = 0; k < rows.size(); k += pairs) {
    const Rows window = rows.subspan(k, std::min(pairs, rows.size() - k));
    take({PairsOfScan(batch, window, scan, used).view(), tables, window});
  }
}

}  // namespace

LargeScans::LargeScans(const Convention& convention, const GraphStore* graphs)
    : convention_(convention), graphs_(graphs) {}
LargeScans::~LargeScans() = default;

LargeScans::State& LargeScans::state_of(const Scan& scan) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<State>& state = states_[&scan];
  if (state == nullptr) state = std::make_unique<State>(scan, convention_);
  return *state;
}

// Returns the table of a whole scan, or null while it does not pay. No lock is held around a watch,
// so two threads may make a table at the same time; one of the two is kept.
// @param searches that are needed without it
std::shared_ptr<const DistanceTables> LargeScans::whole_table(State& state, std::size_t searches,
                                                              const LargeScanLimits& limits,
                                                              const Watch* watch) {
  const std::size_t size = state.finder.scan().size(), entries = kernels::table_entries(size);
  std::optional<DistanceTables> kept;
  if (graphs_ != nullptr) kept = KeptTables::of(*graphs_).find(state.finder.scan(), convention_);
  {
    const std::lock_guard lock(mutex_);
    state.searches += searches;
    if (entries > limits.whole_entries) return nullptr;
    if (state.whole == nullptr && kept)
      state.whole = std::make_shared<const DistanceTables>(*std::move(kept));
    if (state.whole != nullptr) return state.whole;
    if (4 * state.searches < 3 * size || whole_entries_ + entries > limits.whole_entries)
      return nullptr;
    whole_entries_ += entries;
  }
  const auto give_back = [&] {
    const std::lock_guard lock(mutex_);
    whole_entries_ -= entries;
  };
  std::shared_ptr<const DistanceTables> made;
  try {
    DistanceTables whole = make_whole_table(state.finder, watch);
    if (graphs_ != nullptr) {
      whole = KeptTables::of(*graphs_).keep(*graphs_, state.finder.scan(), convention_,
                                            std::move(whole));
    }
    made = std::make_shared<const DistanceTables>(std::move(whole));
  } catch (...) {
    give_back();
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    if (state.whole == nullptr) return state.whole = std::move(made);
  }
  give_back();
  return state.whole;
}

void LargeScans::take_scan(const PairBatchView& batch, std::span<const std::uint32_t> rows,
                           const LargeScanLimits& limits, const Watch* watch, const Take& take) {
  const Scan& scan = *batch.scans[batch.pairs[rows.front()].scan];
  State& state = state_of(scan);
  UsedViewpoints used(scan.size());
  const std::vector<PairGroup> groups = plan_groups(batch, rows, limits, used);
  const std::size_t searches = searches_of(groups);
  // Where there are many cells to a viewpoint that searches visit, kernels take most of the time.
  // In a compact table they find the columns of a reference side by side.
  const bool searches_dominate = searches * scan.size() >= cells_of(batch, rows);
  const std::shared_ptr<const DistanceTables> whole =
      searches_dominate ? whole_table(state, searches, limits, watch) : nullptr;
  if (whole != nullptr) {
    return take_windows(batch, rows, scan, *whole, nullptr, limits.pairs, take);
  }
  for (const PairGroup& group : groups) {
    const Rows of_group = rows.subspan(group.begin, group.end - group.begin);
    used.shrink(0);
    add_references(batch, of_group, used);
    add_queries(batch, of_group, used);
    used.sort_from(group.references);
    const ClsStep cls_step =
        definitions::takes_edge_lengths(convention_) ? ClsStep::edge : ClsStep::shortest;
    const CompactTable table =
        make_compact_table(state.finder, batch, of_group, used, group.references, cls_step, watch);
    take_windows(batch, of_group, *table.scan, table.tables, &used, limits.pairs, take);
  }
}

std::vector<std::uint32_t> LargeScans::for_each_part(const PairBatchView& batch,
                                                     std::vector<std::uint32_t> rows,
                                                     const LargeScanLimits& limits,
                                                     const Watch* watch, const Take& take) {
  std::vector<std::uint32_t> left_out = remove_too_long(batch, rows, limits.max_of_pair);
  sort_rows(batch, rows);
  const Rows all = rows;
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const std::uint32_t scan = batch.pairs[all[begin]].scan;
    while (end < all.size() && batch.pairs[all[end]].scan == scan) ++end;
    take_scan(batch, all.subspan(begin, end - begin), limits, watch, take);
  }
  return left_out;
}

}  // namespace warpath::batch
