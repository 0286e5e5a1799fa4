#include "host/core/batch/check_batch.hpp"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string_view>

#include "warpath/error.hpp"

namespace warpath::batch {
namespace {

constexpr double max_coordinate = 1e12;  // metres; squares and sums stay within a float's range
constexpr std::size_t checked_together = 4096;

// Calls body(begin, end) for blocks that cover 0 … count, on all cores.
template <class Body>
void for_blocks(std::size_t count, Body body) {
  if (count <= checked_together) return body(std::size_t{0}, count);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, checked_together),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}

[[noreturn]] void refuse_path(std::string_view kind, std::size_t path, std::string_view problem,
                              std::string_view remedy) {
  throw InputError({{}, fmt::format("{} {}", kind, path)}, problem, remedy);
}

// Tells whether body(k) is true for every k below count. It calls all of them, without a branch.
template <class Body>
bool is_true_of_all(std::size_t count, Body body) {
  std::atomic<bool> all = true;
  for_blocks(count, [&](std::size_t begin, std::size_t end) {
    bool block = true;
    for (std::size_t k = begin; k < end; ++k) block &= body(k);
    if (!block) all = false;
  });
  return all;
}

template <class T>
void check_offsets(const PathView<T>& paths, std::string_view kind) {
  if (paths.offsets.empty()) return;
  if (paths.offsets.front() != 0) {
    refuse_path(kind, 0, fmt::format("begins at element {}", paths.offsets.front()),
                "let the offsets begin with 0");
  }
  const std::uint64_t* offsets = paths.offsets.data();
  const std::size_t elements = paths.elements.size();
  const auto is_path = [=](std::size_t p) {
    return (offsets[p] < offsets[p + 1]) & (offsets[p + 1] <= elements);
  };
  if (is_true_of_all(paths.size(), is_path)) return;
  std::size_t p = 0;
  while (is_path(p)) ++p;
  if (offsets[p] == offsets[p + 1]) {
    refuse_path(kind, p, "is empty", "give it at least its start, or leave the pair out");
  }
  refuse_path(kind, p,
              fmt::format("has the offsets {} and {} among {} elements", offsets[p], offsets[p + 1],
                          elements),
              "give rising offsets, one more than there are paths");
}

void check_size(std::size_t size, std::size_t pairs, std::string_view field) {
  if (size == 0 || size == pairs) return;
  throw InputError({{}, {}, std::string(field)},
                   fmt::format("has {} values for {} pairs", size, pairs),
                   "give one for each pair, or none");
}

[[noreturn]] void refuse_pair(std::size_t pair, std::string_view field, std::string_view problem,
                              std::string_view remedy) {
  throw InputError({{}, fmt::format("pair {}", pair), std::string(field)}, problem, remedy);
}

void check_index(std::size_t pair, std::string_view field, std::size_t index, std::size_t count) {
  if (index < count) return;
  refuse_pair(pair, field, fmt::format("is {}, but there are {}", index, count),
              "number them from 0");
}

// Returns the largest viewpoint of a path. A plain loop, which compilers vectorise.
Node max_viewpoint(std::span<const Node> path) {
  Node largest = 0;
  for (const Node n : path) largest = std::max(largest, n);
  return largest;
}

void check_viewpoints(std::size_t pair, std::string_view field, std::span<const Node> path,
                      const Scan& scan) {
  const Node largest = max_viewpoint(path);
  if (largest < scan.size()) return;
  refuse_pair(
      pair, field,
      fmt::format("names viewpoint {}, but scan {} has {}", largest, scan.id(), scan.size()),
      "number viewpoints from 0, by scan");
}

void check_points(const PathView<std::array<double, 3>>& paths, std::string_view kind) {
  for_blocks(paths.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const auto path = paths[p];
      for (std::size_t k = 0; k < path.size(); ++k) {
        for (const double x : path[k]) {
          if (std::abs(x) <= max_coordinate) continue;
          throw InputError({{}, fmt::format("{} {}", kind, p), fmt::format("point {}", k)},
                           fmt::format("the coordinate {:g} is no length in metres", x),
                           fmt::format("give finite coordinates up to {:g} m", max_coordinate));
        }
      }
    }
  });
}

}  // namespace

void check(const PairBatchView& batch) {
  check_size(batch.n_query_raw.size(), batch.pairs.size(), "n_query_raw");
  check_size(batch.task_success.size(), batch.pairs.size(), "task_success");
  check_offsets(batch.references, "reference");
  check_offsets(batch.queries, "query");
  const std::size_t scans = batch.scans.size(), references = batch.references.size(),
                    queries = batch.queries.size();
  const bool all_there = is_true_of_all(batch.pairs.size(), [&](std::size_t k) {
    const Pair& pair = batch.pairs[k];
    return (pair.scan < scans) & (pair.reference < references) & (pair.query < queries);
  });
  if (all_there) return;
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    check_index(k, "scan", batch.pairs[k].scan, scans);
    check_index(k, "reference", batch.pairs[k].reference, references);
    check_index(k, "query", batch.pairs[k].query, queries);
  }
}

void check_viewpoints(const PairBatchView& batch) {
  const auto is_on_scan = [&](std::size_t k) {
    const Pair& pair = batch.pairs[k];
    const std::size_t viewpoints = batch.scans[pair.scan]->size();
    return max_viewpoint(batch.references[pair.reference]) < viewpoints &&
           max_viewpoint(batch.queries[pair.query]) < viewpoints;
  };
  if (is_true_of_all(batch.pairs.size(), is_on_scan)) return;
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    const Pair& pair = batch.pairs[k];
    check_viewpoints(k, "reference", batch.references[pair.reference], *batch.scans[pair.scan]);
    check_viewpoints(k, "query", batch.queries[pair.query], *batch.scans[pair.scan]);
  }
}

void check(const PointBatchView& batch) {
  check_size(batch.task_success.size(), batch.pairs.size(), "task_success");
  check_offsets(batch.references, "reference");
  check_offsets(batch.queries, "query");
  check_points(batch.references, "reference");
  check_points(batch.queries, "query");
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    check_index(k, "reference", batch.pairs[k].reference, batch.references.size());
    check_index(k, "query", batch.pairs[k].query, batch.queries.size());
  }
}

}  // namespace warpath::batch
