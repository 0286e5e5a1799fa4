#include "host/core/batch/compact_table.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "kernels/sweep/layout.hpp"

namespace warpath::batch {
namespace {

constexpr float no_path = std::numeric_limits<float>::infinity();
// As many columns as share a line of the cache are written together.
constexpr std::size_t columns_of_line = 16, rows_of_block = 64;
static_assert(columns_of_line <= DistanceFinder::max_targets);

// Calls `call(begin, end)` for blocks of numbers below `size` on all threads.
template <class Call>
void for_each_range(std::size_t size, std::size_t block, const Call& call) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, size, block),
      [&](const auto& range) { call(range.begin(), range.end()); }, tbb::simple_partitioner());
}

// Fills a table of used viewpoints, which it names by their numbers. The first ones are *targets*:
// the distances from all others to them are found.
class TableMaker {
 public:
  // @param table of kernels::table_entries(used.size()) entries, those that no pair reads anything
  TableMaker(DistanceFinder& finder, std::span<const Node> used, std::size_t targets,
             std::span<float> table, const Watch* watch)
      : finder_(finder),
        used_(used),
        targets_(targets),
        pitch_(kernels::table_pitch(used.size())),
        watch_(watch),
        distance_(table) {}

  void find_targets() {
    tbb::enumerable_thread_specific<std::vector<float>> columns;
    for_each_range(targets_, columns_of_line, [&](std::size_t begin, std::size_t end) {
      std::vector<float>& found = columns.local();
      found.resize(columns_of_line * used_.size());
      const auto take = [&](std::size_t target, std::size_t from, double d) {
        found[target * used_.size() + from] = rounded_entry(from, begin + target, d);
      };
      finder_.find(used_.subspan(begin, end - begin), used_, take, [this] { note_search(); });
      copy_columns(found, begin, end);
      if (!finder_.scan().is_directed()) copy_rows_of_others(found, begin, end);
    });
    if (!finder_.scan().is_directed()) compare_targets();
  }

  // Finds the distances from some viewpoints to one that is no target.
  void find_steps(Node to, std::span<const Node> from) {
    std::vector<Node> viewpoints;
    for (const Node n : from) viewpoints.push_back(used_[n]);
    finder_.find(used_[to], viewpoints, [&](std::size_t k, double d) {
      const float found = rounded_entry(from[k], to, d);
      float& entry = at(from[k], to);
      if (from[k] < targets_ && entry != found) is_symmetric_ = false;
      entry = found;
    });
    note_search();
  }

  TableTraits finish() {
    for (std::size_t n = 0; n < used_.size(); ++n) {
      for (std::size_t padding = used_.size(); padding < pitch_; ++padding)
        at(n, padding) = no_path;
    }
    return {.is_symmetric = is_symmetric_ && !finder_.scan().is_directed(),
            .is_connected = is_connected_};
  }

 private:
  float& at(std::size_t from, std::size_t to) { return distance_[from * pitch_ + to]; }

  // Writes whole lines of the cache: each row lies in a page of its own.
  void copy_columns(std::span<const float> found, std::size_t begin, std::size_t end) {
    for (std::size_t from = 0; from < used_.size(); ++from) {
      for (std::size_t to = begin; to < end; ++to) {
        at(from, to) = found[(to - begin) * used_.size() + from];
      }
    }
  }

  float rounded_entry(std::size_t from, std::size_t to, double d) {
    if (std::isinf(d)) is_connected_ = false;
    return table_entry(from == to, d, finder_.threshold());
  }

  void note_search() const {
    if (watch_ != nullptr && *watch_) (*watch_)(0);
  }

  // Kernels read d(r, q) in place of d(q, r) if the table is symmetric. It is, if the distances
  // between targets are; those from targets to other viewpoints are copied, not searched.
  void copy_rows_of_others(std::span<const float> found, std::size_t begin, std::size_t end) {
    for (std::size_t target = begin; target < end; ++target) {
      const auto column = found.subspan((target - begin) * used_.size(), used_.size());
      std::ranges::copy(column.subspan(targets_), &at(target, targets_));
    }
  }

  void compare_targets() {
    for_each_range(targets_, rows_of_block, [&](std::size_t begin, std::size_t end) {
      for (std::size_t first = begin; first < targets_; first += rows_of_block) {
        compare_block(begin, end, first, std::min(first + rows_of_block, targets_));
      }
    });
  }

  void compare_block(std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    for (std::size_t a = begin; a < end; ++a) {
      for (std::size_t b = std::max(first, a + 1); b < last; ++b) {
        if (at(a, b) != at(b, a)) is_symmetric_ = false;
      }
    }
  }

  DistanceFinder& finder_;
  const std::span<const Node> used_;
  const std::size_t targets_, pitch_;
  const Watch* const watch_;
  const std::span<float> distance_;
  std::atomic<bool> is_symmetric_ = true, is_connected_ = true;
};

// Collects the steps of paths: for each viewpoint, by number, those from which a step leads to it.
class StepsOfPaths {
 public:
  explicit StepsOfPaths(const UsedViewpoints& used) : used_(used), from_(used.size()) {}

  // Adds the steps to viewpoints from number `first` on.
  void add(std::span<const Node> path, std::size_t first) {
    for (std::size_t i = 1; i < path.size(); ++i) {
      const Node from = used_[path[i - 1]], to = used_[path[i]];
      if (to < first || from == to) continue;
      std::vector<Node>& known = from_[to];
      if (std::ranges::find(known, from) == known.end()) known.push_back(from);
    }
  }
  std::span<const Node> to(std::size_t viewpoint) const { return from_[viewpoint]; }

 private:
  const UsedViewpoints& used_;
  std::vector<std::vector<Node>> from_;
};

// Makes a scan of the used viewpoints and of those steps that are edges, with their lengths.
std::unique_ptr<const Scan> make_scan_of(const DistanceFinder& finder, std::span<const Node> used,
                                         const StepsOfPaths* steps) {
  const Scan& whole = finder.scan();
  std::vector<std::string> viewpoints;
  viewpoints.reserve(used.size());
  for (const Node n : used) viewpoints.push_back(whole.viewpoint(n));
  std::vector<Edge> edges;
  for (Node to = 0; steps != nullptr && to < used.size(); ++to) {
    for (const Node from : steps->to(to)) {
      const double length = finder.edge(used[from], used[to]);
      if (!std::isnan(length)) edges.push_back({from, to, length});
    }
  }
  return std::make_unique<const Scan>(whole.id(), std::move(viewpoints),
                                      std::vector<std::array<double, 3>>(), edges,
                                      std::vector<double>(), true);
}

DistanceTables tables_of(base::ZeroedVector<float> distance, std::size_t viewpoints,
                         const TableTraits& traits, const Scan& scan) {
  return DistanceTables({.viewpoints = viewpoints,
                         .distance = std::move(distance),
                         .is_symmetric = traits.is_symmetric,
                         .is_connected = traits.is_connected,
                         .is_directed = scan.is_directed()});
}

}  // namespace

DistanceFinder::DistanceFinder(const Scan& scan, const Convention& convention)
    : distances_(scan, convention.distance),
      threshold_(convention.threshold),
      orders_(distances_.are_searched() && graph::ManySearches::suit(distances_.reversed_graph())
                  ? graph::orders_of_turns(distances_.reversed_graph())
                  : graph::Orders()) {}

bool DistanceFinder::suits_together(std::size_t targets, std::size_t from) const {
  // Searches together do not end where all are found that are asked for.
  constexpr std::size_t min_share = 8;
  return !orders_.empty() && targets >= graph::ManySearches::min_sources &&
         from * min_share >= scan().size();
}

void DistanceFinder::search_together(std::span<const Node> targets, Together& together) const {
  while (together.rows.size() < targets.size()) {
    together.rows.push_back(std::make_unique_for_overwrite<double[]>(scan().size()));
  }
  together.searches.run(distances_.reversed_graph(), orders_, targets, together.rows);
}

CompactTable make_compact_table(DistanceFinder& finder, const PairBatchView& batch,
                                std::span<const std::uint32_t> rows, const UsedViewpoints& used,
                                std::size_t references, ClsStep cls_step, const Watch* watch) {
  const bool has_edges = cls_step == ClsStep::edge;
  StepsOfPaths steps(used);
  for (const std::uint32_t row : rows) {
    // Steps to viewpoints of references are found with them.
    const std::size_t first = has_edges ? 0 : references;
    if (has_edges) steps.add(batch.references[batch.pairs[row].reference], first);
    steps.add(batch.queries[batch.pairs[row].query], first);
  }
  base::ZeroedVector<float> distance(kernels::table_entries(used.size()));
  TableMaker maker(finder, used.all(), references, distance, watch);
  maker.find_targets();
  tbb::parallel_for(references, used.size(), [&](std::size_t to) {
    if (!steps.to(to).empty()) maker.find_steps(static_cast<Node>(to), steps.to(to));
  });
  const TableTraits traits = maker.finish();
  return {make_scan_of(finder, used.all(), has_edges ? &steps : nullptr),
          tables_of(std::move(distance), used.size(), traits, finder.scan())};
}

TableTraits fill_whole_table(DistanceFinder& finder, std::span<float> table, const Watch* watch) {
  std::vector<Node> all(finder.scan().size());
  std::iota(all.begin(), all.end(), Node{0});
  TableMaker maker(finder, all, all.size(), table, watch);
  maker.find_targets();
  return maker.finish();
}

DistanceTables make_whole_table(DistanceFinder& finder, const Watch* watch) {
  const std::size_t size = finder.scan().size();
  base::ZeroedVector<float> distance(kernels::table_entries(size));
  const TableTraits traits = fill_whole_table(finder, distance, watch);
  return tables_of(std::move(distance), size, traits, finder.scan());
}

}  // namespace warpath::batch
