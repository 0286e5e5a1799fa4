#pragma once

#include <cstdint>
#include <span>

#include "host/io/progress.hpp"
#include "host/reference/reference.hpp"

namespace warpath::reference {

/// Pairs are scored by several threads at once: each writes its own row.
class BatchWriter {
 public:
  BatchWriter(const PairBatchView& batch, const Convention& convention, Scores& scores)
      : batch_(batch),
        convention_(convention),
        scores_(scores),
        progress_("scoring", batch.pairs.size(), "pairs") {}

  const PairBatchView& batch() const { return batch_; }
  const Convention& convention() const { return convention_; }
  std::span<const Node> reference(std::uint32_t row) const {
    return batch_.references[batch_.pairs[row].reference];
  }
  std::span<const Node> query(std::uint32_t row) const {
    return batch_.queries[batch_.pairs[row].query];
  }

  void write(std::uint32_t row, const Measures& measures) const;
  /// Tells whoever watches that so many more pairs are nearly done.
  void count_done(std::uint64_t pairs) { progress_.add(pairs); }

 private:
  const PairBatchView batch_;
  const Convention& convention_;
  Scores& scores_;
  Progress progress_;
};

/// Scores the pairs `rows`, which are all on one scan, without whole rows of distances: each
/// viewpoint's search ends once it has found what the pairs ask from it. Up to `max_bytes` of
/// distances are kept at a time, those of one pair at least.
void score_by_search(std::span<const std::uint32_t> rows, const WeightedGraph& graph,
                     std::size_t max_bytes, BatchWriter& writer);

}  // namespace warpath::reference
