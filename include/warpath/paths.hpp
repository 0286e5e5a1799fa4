#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath {

/// Paths that lie one after the other in the caller's memory: path p is
/// elements[offsets[p]] .. elements[offsets[p + 1] - 1]. Copies nothing; the memory must outlive
/// the view.
template <class T>
struct PathView {
  std::span<const T> elements;
  std::span<const std::uint64_t> offsets;  ///< one more than there are paths; the first is 0

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::span<const T> operator[](std::size_t p) const {
    return {elements.data() + offsets[p], static_cast<std::size_t>(offsets[p + 1] - offsets[p])};
  }
  std::size_t size_of(std::size_t p) const { return offsets[p + 1] - offsets[p]; }
};

/// Owns paths that lie one after the other, laid out as in PathView.
template <class T>
struct PathStore {
  std::vector<T> elements;
  std::vector<std::uint64_t> offsets{0};

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const T> operator[](std::size_t p) const { return PathView<T>(*this)[p]; }
  std::size_t size_of(std::size_t p) const { return offsets[p + 1] - offsets[p]; }
  /// Ends the path whose elements were pushed last and returns its number.
  std::uint32_t end_path() {
    offsets.push_back(elements.size());
    return static_cast<std::uint32_t>(size() - 1);
  }

  operator PathView<T>() const { return {elements, offsets}; }
};

/// Paths of viewpoints, as indices into their scan.
using PathSet = PathStore<Node>;
/// Continuous paths (VLN-CE): points in space, metres.
using PointSet = PathStore<std::array<double, 3>>;

/// One pair of viewpoint paths, as indices into its batch. Several pairs may share a path.
struct Pair {
  std::uint32_t scan, reference, query;
};

/// One pair of continuous paths, as indices into its batch. Several pairs may share a path.
struct PointPair {
  std::uint32_t reference, query;
};

/// Pairs of viewpoint paths to score.
struct PairBatch {
  std::vector<const Scan*> scans;
  PathSet references, queries;
  std::vector<Pair> pairs;
  /// Per pair: the value of the metric n_query_raw, the number of viewpoints of the query before
  /// its repeats were collapsed. Empty: the size of the query in the batch.
  std::vector<std::uint32_t> n_query_raw;
  /// Per pair: a task success in [0, 1] that SDTW takes instead of SR, NaN if unknown. Empty: SR.
  std::vector<double> task_success;
};

/// Pairs of viewpoint paths in the caller's memory. PairBatch says what the members mean.
struct PairBatchView {
  std::span<const Scan* const> scans;
  PathView<Node> references, queries;
  std::span<const Pair> pairs;
  std::span<const std::uint32_t> n_query_raw;
  std::span<const double> task_success;

  PairBatchView() = default;
  PairBatchView(const PairBatch& batch)
      : scans(batch.scans),
        references(batch.references),
        queries(batch.queries),
        pairs(batch.pairs),
        n_query_raw(batch.n_query_raw),
        task_success(batch.task_success) {}

  std::uint32_t raw_query_size(std::size_t pair) const {
    return n_query_raw.empty() ? static_cast<std::uint32_t>(queries.size_of(pairs[pair].query))
                               : n_query_raw[pair];
  }
};

/// Pairs of continuous paths to score.
struct PointBatch {
  PointSet references, queries;
  std::vector<PointPair> pairs;
  std::vector<double> task_success;  ///< see PairBatch::task_success
};

/// Pairs of continuous paths in the caller's memory. PointBatch says what the members mean.
struct PointBatchView {
  PathView<std::array<double, 3>> references, queries;
  std::span<const PointPair> pairs;
  std::span<const double> task_success;

  PointBatchView() = default;
  PointBatchView(const PointBatch& batch)
      : references(batch.references),
        queries(batch.queries),
        pairs(batch.pairs),
        task_success(batch.task_success) {}
};

}  // namespace warpath
