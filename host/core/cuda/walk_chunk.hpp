#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/core/cuda/chunk_base.hpp"
#include "host/core/cuda/walk_kernel.hpp"
#include "host/core/walks/walk_pieces.hpp"
#include "kernels/views/statistics.hpp"

namespace warpath::cuda {

/// Describes a reference whose walks a kernel makes.
struct WalkReference {
  WalkKernel kernel;
  std::uint32_t scan;
  std::uint32_t number;  ///< among the references
  std::uint32_t size;    ///< |R|
  std::uint32_t start;   ///< see walks::start_word
};

/// Holds what all chunks of a range of walks read.
struct WalkContext {
  std::span<const WalkReference> references{};  ///< those of a kernel one after the other
  const walks::WalkPieces* pieces = nullptr;
  std::span<const Metric> metrics{};  ///< that the kernels compute
  kernels::QuantitySet set{};
  kernels::WalkView view{};         ///< on the device; a chunk adds its own arrays
  kernels::AggregateView totals{};  ///< a chunk adds its own arrays

  /// Returns the number of pieces, and piece `number` of them.
  std::size_t piece_count() const { return references.size() * pieces->pieces_each(); }
  walks::WalkPiece piece(std::size_t number) const {
    const std::size_t each = pieces->pieces_each();
    return (*pieces)[references[number / each].number * each + number % each];
  }
};

/// Limits of a chunk.
struct WalkCapacity {
  std::uint32_t walks = 0, slices = 0;
  std::uint32_t metrics = 0;  ///< number of result columns
  bool are_listed = false;    ///< the numbers of walks are uploaded
  bool are_counted = false;   ///< viewpoints are counted
};

/// Holds the arrays of a chunk, all its memory.
struct WalkArrays {
  HostDeviceSpan<kernels::WalkSlice> slices;
  HostDeviceSpan<std::uint32_t> numbers;  ///< lower halves
  std::span<float> results;               ///< [metric][walk]
  std::span<std::uint32_t> flags, size, reference_of, noted_count;
  std::span<kernels::NotedWalk> noted;

  /// Adds every array to `layout`.
  void list(ArenaLayout& layout, const WalkCapacity& capacity);
};

/// Makes and scores some pieces of walks on the device, and adds up their results there. The pairs
/// of ChunkPipeline are the context's pieces.
class WalkChunk : public ChunkBase<WalkContext, WalkCapacity, WalkArrays> {
 public:
  static constexpr const char* unit = "walk";
  using ChunkBase::ChunkBase;

  std::size_t upload(std::size_t first);
  void start();

  std::uint32_t walks() const { return walks_; }

 private:
  /// Names the slices of one kernel.
  struct Launch {
    WalkKernel kernel;
    std::uint32_t first_slice, end_slice, block_bytes;
  };

  void add(const WalkReference& reference, const walks::WalkPiece& piece);
  kernels::WalkView view() const;
  void score();
  void aggregate();

  std::vector<Launch> launches_;
  std::uint32_t walks_ = 0, slices_ = 0, high_ = 0;
};

}  // namespace warpath::cuda
