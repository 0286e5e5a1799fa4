#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath {

/// Paths one after the other: path p is elements[offsets[p]] .. elements[offsets[p + 1] - 1].
template <class T>
struct PathStore {
  std::vector<T> elements;
  std::vector<std::uint64_t> offsets{0};

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const T> operator[](std::size_t p) const {
    return {elements.data() + offsets[p], static_cast<std::size_t>(offsets[p + 1] - offsets[p])};
  }
  std::size_t size_of(std::size_t p) const { return offsets[p + 1] - offsets[p]; }
  /// Ends the path whose elements were pushed last and returns its number.
  std::uint32_t end_path() {
    offsets.push_back(elements.size());
    return static_cast<std::uint32_t>(size() - 1);
  }
};

using PathSet = PathStore<Node>;

/// One pair to score; indices into the batch. Several pairs may share a reference.
struct Pair {
  std::uint32_t scan, reference, query;
};

/// What a back end scores: viewpoints are indices, paths are not empty, repeats are already
/// collapsed where the convention says so.
struct PairBatch {
  std::vector<const Scan*> scans;
  PathSet references, queries;
  std::vector<Pair> pairs;
  /// Per pair: viewpoints of the query before repeats were collapsed.
  std::vector<std::uint32_t> n_query_raw;
  /// Per pair a task success in [0, 1] that SDTW takes instead of SR, NaN where unknown; or empty.
  std::vector<double> task_success;
};

}  // namespace warpath
