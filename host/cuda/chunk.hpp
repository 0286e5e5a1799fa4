#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "host/cuda/arrays.hpp"
#include "host/cuda/plan.hpp"
#include "host/cuda/stage.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath::cuda {

/// What all chunks of a span of pairs read.
struct ChunkContext {
  const PairBatchView batch;
  Rows rows;
  std::span<const std::uint32_t> reference;  ///< by place in `rows`: number on the device; if
                                             ///< empty, the batch's own
  std::span<const std::uint32_t> scan_of;    ///< by number on the device
  std::span<const kernels::ScanTable> scans;
  std::span<const Metric> metrics;          ///< what the kernels write
  std::span<const float> cls_query_length;  ///< by query, or empty
  kernels::BatchView view;                  ///< the device's; a chunk adds its own arrays
  const void* reference_nodes;
  const std::uint32_t* reference_offsets;  ///< the device's
  const std::uint32_t* device_scan_of;
  kernels::DispatchPolicy policy;
  kernels::KeyBits bits;
  /// Where results are added up; a chunk adds its own arrays. Null: they are read back.
  const kernels::AggregateView* aggregate = nullptr;
};

/// The most that a chunk holds.
struct Capacity {
  Room room;
  std::uint32_t max_rows = 0;       ///< K of the tiles with most rows
  std::uint32_t metrics = 0;        ///< columns of results
  std::uint32_t border_groups = 0;  ///< groups whose borders fit at once; 0: no pair goes to groups
  bool task_success = false, cls_lengths = false, query_raw = false;

  /// Of the device's memory, without the scratch for `max_elements()`.
  std::uint64_t bytes(std::size_t id_bytes) const;
  std::uint32_t max_elements() const;
};

/// A part of a span on its way over the device: staged and sorted, then arranged and scored, then
/// read back or added up. Its stream does one after the other; other chunks' streams run beside it.
/// Id: std::uint8_t where every viewpoint fits and no pair goes to groups, else std::uint16_t.
template <class Id>
class Chunk {
 public:
  Chunk(Device& device, const ChunkContext& span, const Capacity& capacity);

  /// Uploads pairs first … of the span's rows, as many as it has room for, and starts their sort.
  /// Returns how many.
  std::uint32_t begin(std::size_t first);
  /// Waits for the sort and starts to lay the pairs out. @pre begun
  void arrange();
  /// Starts the kernels, any number of times. @pre arranged
  void score();
  /// Starts to read the results back or to add them up. @pre scored
  void deliver();
  /// Waits for all that was started. Where results are read back, column(c)[k] and flags()[k] are
  /// the k-th pair's.
  void finish();

  bool is_busy() const { return count_ > 0; }
  std::size_t first() const { return first_; }
  std::uint32_t count() const { return count_; }
  /// Of the c-th of the span's metrics, by pair.
  const float* column(std::size_t c) const { return results_.host.data() + c * count_; }
  const std::uint32_t* flags() const { return flags_.host.data(); }
  void clear() { count_ = 0; }

 private:
  // Viewpoints are bytes only where no query is longer than a tile's.
  static constexpr bool are_lengths_short = sizeof(Id) == 1;
  using Length = std::conditional_t<are_lengths_short, std::uint16_t, std::uint32_t>;

  void stage();
  void stage_pairs(std::uint32_t begin, std::uint32_t end);
  std::uint64_t keep_fitting(const std::vector<std::uint64_t>& block_nodes);
  void widen_lengths();
  const std::uint32_t* query_length() const;
  kernels::PairsView pairs() const;
  bool are_rows_places() const;
  void lay_out(const Plan& plan);
  void pack(const Launch& launch);
  void start_tiles(const Launch& launch, const kernels::BatchView& view);
  void start_groups(const Launch& launch, const kernels::BatchView& view);
  kernels::BatchView view() const;
  void read_back();
  void aggregate();
  Device::Scratch scratch() const { return {scratch_.data(), scratch_.size()}; }

  Device& device_;
  const ChunkContext& span_;
  const Capacity capacity_;
  UniqueStream stream_;
  std::size_t first_ = 0;
  std::uint32_t count_ = 0, max_query_ = 0;

  // As uploaded.
  HostDeviceArray<std::uint32_t> reference_of_, query_raw_;
  HostDeviceArray<Length> query_length_;
  HostDeviceArray<Id> nodes_;
  HostDeviceArray<float> task_success_, cls_query_length_;
  // Sorted.
  DeviceArray<std::uint32_t> wide_length_, query_offsets_, pair_, sorted_pair_;
  DeviceArray<std::uint64_t> key_, sorted_key_;
  HostDeviceArray<std::uint64_t> run_key_;
  HostDeviceArray<std::uint32_t> run_length_, run_count_;
  // Placed.
  HostDeviceArray<kernels::KeyRun> runs_;
  HostDeviceArray<kernels::Slice> slices_;
  DeviceArray<kernels::GroupPair> slots_;
  DeviceArray<std::uint32_t> tile_columns_, query_start_, lengths_, row_, slot_reference_;
  DeviceArray<std::uint16_t> tile_reference_, tile_query_;
  DeviceArray<float> border_;
  DeviceArray<std::uint32_t> border_carry_;
  DeviceArray<char> scratch_;
  std::vector<Launch> launches_;
  // Scored.
  HostDeviceArray<float> results_;
  HostDeviceArray<std::uint32_t> flags_;
};

extern template class Chunk<std::uint8_t>;
extern template class Chunk<std::uint16_t>;

}  // namespace warpath::cuda
