#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/cuda/blocks.hpp"
#include "host/core/cuda/chunk_base.hpp"
#include "host/core/cuda/chunk_memory.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// Holds what all chunks of a span of pairs read.
struct ChunkContext {
  const PairBatchView batch;
  Rows rows{};
  /// By place in `rows`: number on the device. Empty: the batch's own number.
  std::span<const std::uint32_t> reference{};
  std::span<const Metric> metrics{};          ///< that the kernels compute
  std::span<const float> cls_query_length{};  ///< by query, or empty
  kernels::BatchView view{};                  ///< on the device; a chunk adds its own arrays
  kernels::PathArray references{};            ///< on the device
  const std::uint32_t* scan_of = nullptr;     ///< on the device
  Dispatch dispatch{};
  /// Adds results up; a chunk adds its own arrays. Null: results are copied back.
  const kernels::AggregateView* aggregate = nullptr;
};

/// Scores a part of a span on the device: uploads it, packs it into slots, scores it, then copies
/// the results back or adds them up. Some kernels run beside each other.
class Chunk : public ResultChunk<ChunkContext, ChunkCapacity, ChunkArrays> {
 public:
  Chunk(Device& device, const ChunkContext& context, const ChunkCapacity& capacity)
      : ResultChunk(device, context, capacity), sides_(device) {}

  /// Uploads pairs first … of the context's rows, as many as fit, and starts to pack them into
  /// slots. Returns how many.
  std::uint32_t upload(std::size_t first);
  /// Starts the kernels, any number of times. @pre upload
  void score();
  /// Starts to copy the results back or to add them up. @pre score
  void start_output();
  /// Calls the last two in turn.
  void start() {
    score();
    start_output();
  }

 private:
  void fill_pinned();
  std::uint64_t fill_columns(std::uint32_t begin, std::uint32_t end);
  void copy_query_nodes(const std::vector<std::uint64_t>& block_nodes);
  std::uint64_t keep_fitting(const std::vector<std::uint64_t>& block_nodes);
  std::uint32_t query_size(std::uint32_t k) const;
  kernels::PairsView pairs() const;
  PackedPairs packed() const;
  bool are_rows_places() const;
  kernels::BatchView view() const;
  void read_back();
  void aggregate();

  SideStreams sides_;
};

}  // namespace warpath::cuda
