#pragma once

#include <cstdint>
#include <span>

#include "host/core/base/progress.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::reference {

/// Writes rows of scores. Several threads may use it, each for its own rows.
class BatchWriter {
 public:
  BatchWriter(const PairBatchView& batch, const Convention& convention, Scores& scores,
              const Watch* watch)
      : batch_(batch),
        convention_(convention),
        scores_(scores),
        progress_("scoring", batch.pairs.size(), "pairs", watch) {}

  const PairBatchView& batch() const { return batch_; }
  const Convention& convention() const { return convention_; }
  std::span<const Node> reference(std::uint32_t row) const {
    return batch_.references[batch_.pairs[row].reference];
  }
  std::span<const Node> query(std::uint32_t row) const {
    return batch_.queries[batch_.pairs[row].query];
  }

  void write(std::uint32_t row, const Measures& measures) const;
  /// Reports to the observer that this many more pairs are nearly done.
  void count_done(std::uint64_t pairs) { progress_.add(pairs); }

 private:
  const PairBatchView batch_;
  const Convention& convention_;
  Scores& scores_;
  base::Progress progress_;
};

/// Scores the pairs `rows`, all on one scan, without computing whole rows of distances: the search
/// from a viewpoint ends once it has found what the pairs need from it. Keeps up to `max_bytes` of
/// distances at a time, but at least those of one pair.
void score_by_search(std::span<const std::uint32_t> rows, const Distances& distances,
                     std::size_t max_bytes, BatchWriter& writer);

}  // namespace warpath::reference
