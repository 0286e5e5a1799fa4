#pragma once

#include <cstddef>
#include <cstdint>

#include "host/core/cuda/arena.hpp"
#include "host/core/cuda/device.hpp"

namespace warpath::cuda {

/// Holds what chunks of any kind have: their memory, and a stream that runs their steps in order;
/// the streams of other chunks run at the same time. See ChunkPipeline.
/// @tparam Arrays the arrays of a chunk, see Arena
template <class ContextOfAll, class CapacityOfEach, class Arrays>
class ChunkBase {
 public:
  using Context = ContextOfAll;
  using Capacity = CapacityOfEach;

  ChunkBase(Device& device, const Context& context, const Capacity& capacity)
      : device_(device),
        context_(context),
        capacity_(capacity),
        arrays_(device, capacity),
        stream_(device) {}

  /// Returns the bytes that a chunk takes of the device's memory.
  static std::size_t device_bytes(const Capacity& capacity) {
    return arena_bytes<Arrays>(capacity).device;
  }
  /// Waits for all that was started.
  void finish() { device_.wait(stream_.get()); }

 protected:
  ~ChunkBase() = default;

  Device& device_;
  const Context& context_;
  const Capacity capacity_;
  Arena<Arrays> arrays_;
  UniqueStream stream_;
};

/// Adds to this what chunks have whose results are copied back: consecutive pairs, with
/// `arrays_->results` by metric and pair, and `arrays_->flags` by pair. The results are there after
/// finish(), those of the k-th pair in place k.
template <class ContextOfAll, class CapacityOfEach, class Arrays>
class ResultChunk : public ChunkBase<ContextOfAll, CapacityOfEach, Arrays> {
 public:
  static constexpr const char* unit = "pair";
  using ChunkBase<ContextOfAll, CapacityOfEach, Arrays>::ChunkBase;

  std::size_t first() const { return first_; }
  std::uint32_t count() const { return count_; }
  /// Returns the values of the c-th of the context's metrics, by pair.
  const float* column(std::size_t c) const {
    return this->arrays_->results.host.data() + c * count_;
  }
  const std::uint32_t* flags() const { return this->arrays_->flags.host.data(); }

 protected:
  ~ResultChunk() = default;

  std::size_t first_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace warpath::cuda
