#pragma once

#include <cstddef>
#include <cstdint>

#include "warpath/batch_statistics.hpp"
#include "warpath/place.hpp"
#include "warpath/views.hpp"

namespace warpath::batch {

/// Scores batches in a place, against references that only write_references changes. Implements
/// ReferenceScorer, whose header says the rest.
class ScoreEngine {
 public:
  virtual ~ScoreEngine() = default;

  virtual std::size_t workspace_bytes(const Batch& batch) const = 0;
  virtual void warm_up(const Batch& batch, const Call& call) const = 0;
  virtual void score(const Batch& batch, const ScoreArrays& scores, const Call& call) const = 0;
  virtual void write_references(std::uint32_t first, std::uint32_t count, const PathsView& paths,
                                Integers scan_of, CUstream_st* stream) = 0;
  virtual void clear_statistics(void* statistics, CUstream_st* stream) const = 0;
  virtual void add_to_statistics(const Batch& batch, void* statistics, const Call& call) const = 0;
  virtual BatchStatistics read_statistics(const void* statistics, CUstream_st* stream) const = 0;
};

}  // namespace warpath::batch
