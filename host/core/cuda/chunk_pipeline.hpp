#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "host/core/cuda/device.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {

/// Sends the pairs of a batch over a device chunk after chunk, so that copies and kernels of
/// different chunks overlap. A Chunk is made from a device, a Chunk::Context and a Chunk::Capacity
/// and has
///
///   upload(first)  copies pairs first … to the device, as many as there is room for, and returns
///                  how many those are;
///   start()        starts all else, down to the copies of the results;
///   finish()       waits for all that was started;
///   device_bytes(capacity), static: its bytes of the device's memory;
///   unit, static: what one of its pairs is called in messages.
template <class Chunk>
class ChunkPipeline {
 public:
  /// Chunks in flight: one is uploaded while another computes and a third is copied back.
  static constexpr std::size_t chunks_at_once = 3;

  ChunkPipeline(Device& device, const typename Chunk::Context& context,
                const typename Chunk::Capacity& capacity)
      : device_(device), context_(context), capacity_(capacity) {}

  /// Scores pairs 0 … count − 1 and calls take(chunk) for each chunk in order, once its results
  /// have arrived.
  template <class Take>
  void run(std::size_t count, Take take) {
    const auto finish = [&](Chunk& chunk) {
      chunk.finish();
      take(std::as_const(chunk));
    };
    std::array<std::optional<Chunk>, chunks_at_once> chunks;
    std::size_t turn = 0;
    for (std::size_t first = 0; first < count; ++turn) {
      std::optional<Chunk>& chunk = chunks[turn % chunks_at_once];
      if (chunk) {
        finish(*chunk);
      } else {
        chunk.emplace(device_, context_, capacity_);
      }
      first += chunk->upload(first);
      chunk->start();
    }
    for (std::size_t k = 0; k < chunks_at_once; ++k) {
      if (auto& chunk = chunks[(turn + k) % chunks_at_once]) finish(*chunk);
    }
  }

 private:
  Device& device_;
  const typename Chunk::Context& context_;
  const typename Chunk::Capacity capacity_;
};

/// Memory of the device that chunks may take.
struct ChunkMemory {
  std::size_t budget;     ///< bytes
  std::size_t taken = 0;  ///< bytes of the budget that are in use already
  std::size_t chunks = 1;
};

/// Returns the first of make(pairs, 0), make(pairs / 2, 1), make(pairs / 4, 2), … that fits.
/// @param make is called with the number of pairs of a chunk, and how often it was halved
/// @throws InputError if not even one pair fits: says whether what all chunks read fits
template <class Chunk, class Make>
typename Chunk::Capacity capacity_that_fits(const ChunkMemory& memory, std::size_t pairs,
                                            Make make) {
  for (int halvings = 0; pairs > 0; pairs /= 2, ++halvings) {
    const typename Chunk::Capacity capacity = make(static_cast<std::uint32_t>(pairs), halvings);
    const std::size_t bytes = memory.chunks * Chunk::device_bytes(capacity);
    if (memory.taken + bytes <= memory.budget) return capacity;
  }
  const std::string inputs =
      memory.taken < memory.budget
          ? ""
          : fmt::format(": what all of them read takes {} MiB", (memory.taken >> 20) + 1);
  throw InputError({"device memory"},
                   fmt::format("not even one {} fits the budget of {} MiB{}", Chunk::unit,
                               memory.budget >> 20, inputs),
                   "allow more memory (WARPATH_GPU_MEMORY, in MiB), or use --backend cpu");
}

}  // namespace warpath::cuda
