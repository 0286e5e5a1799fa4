#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/cuda/blocks.hpp"
#include "host/cuda/chunk_memory.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// Holds what all chunks of a span of pairs read.
struct ChunkContext {
  const PairBatchView batch;
  Rows rows{};
  /// By place in `rows`: number on the device. Empty: the batch's own number.
  std::span<const std::uint32_t> reference{};
  std::span<const std::uint32_t> scan_of{};  ///< by number on the device
  std::span<const kernels::ScanTable> scans{};
  std::span<const Metric> metrics{};          ///< that the kernels compute
  std::span<const float> cls_query_length{};  ///< by query, or empty
  kernels::BatchView view{};                  ///< on the device; a chunk adds its own arrays
  const void* reference_nodes = nullptr;
  const std::uint32_t* reference_offsets = nullptr;  ///< on the device
  const std::uint32_t* device_scan_of = nullptr;
  kernels::DispatchPolicy policy{};
  kernels::KeyBits bits{};
  /// Adds results up; a chunk adds its own arrays. Null: results are copied back.
  const kernels::AggregateView* aggregate = nullptr;
};

/// Scores a part of a span on the device: uploads and sorts it, packs it into slots, scores it,
/// then copies the results back or adds them up. Its stream runs these in order; the streams of
/// other chunks run at the same time. See ChunkPipeline.
template <class Id>
class Chunk {
 public:
  using Context = ChunkContext;
  using Capacity = ChunkCapacity;
  static constexpr bool start_waits = true;

  Chunk(Device& device, const ChunkContext& context, const ChunkCapacity& capacity);

  /// Returns the bytes that a chunk takes of the device's memory.
  static std::size_t device_bytes(const ChunkCapacity& capacity) {
    return arena_bytes<ChunkArrays<Id>>(capacity).device;
  }

  /// Uploads pairs first … of the context's rows, as many as fit, and starts their sort. Returns
  /// how many.
  std::uint32_t upload(std::size_t first);
  /// Waits for the sort and starts to pack the pairs into slots. @pre upload
  void pack();
  /// Starts the kernels, any number of times. @pre pack
  void score();
  /// Starts to copy the results back or to add them up. @pre score
  void start_output();
  /// Calls the last three in turn.
  void start() {
    pack();
    score();
    start_output();
  }
  /// Waits for all that was started. If results are copied back, column(c)[k] and flags()[k] are
  /// those of the k-th pair.
  void finish() { device_.wait(stream_.get()); }

  std::size_t first() const { return first_; }
  std::uint32_t count() const { return count_; }
  /// Returns the values of the c-th of the context's metrics, by pair.
  const float* column(std::size_t c) const { return arrays_->results.host.data() + c * count_; }
  const std::uint32_t* flags() const { return arrays_->flags.host.data(); }

 private:
  using Arrays = ChunkArrays<Id>;

  void fill_pinned();
  void fill_columns(std::uint32_t begin, std::uint32_t end);
  std::uint64_t keep_fitting(const std::vector<std::uint64_t>& block_nodes);
  void widen_lengths();
  void start_sort();
  const std::uint32_t* query_length() const;
  kernels::PairsView pairs() const;
  bool are_rows_places() const;
  void place_pairs(const Plan& plan);
  void pack_tiles(const Launch& launch);
  void start_tiles(const Launch& launch, const kernels::BatchView& view);
  void start_groups(const Launch& launch, const kernels::BatchView& view);
  kernels::BatchView view() const;
  void read_back();
  void aggregate();
  kernels::Scratch scratch() const { return {arrays_->scratch.data(), arrays_->scratch.size()}; }

  Device& device_;
  const ChunkContext& context_;
  const ChunkCapacity capacity_;
  Arena<Arrays> arrays_;
  UniqueStream stream_;
  std::size_t first_ = 0;
  std::uint32_t count_ = 0, max_query_ = 0;
  std::vector<Launch> launches_;
};

extern template class Chunk<std::uint8_t>;
extern template class Chunk<std::uint16_t>;

}  // namespace warpath::cuda
