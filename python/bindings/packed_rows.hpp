#pragma once

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>

#include "warpath/paths.hpp"

// Packs the rows of padded arrays, on several threads where there are many. Each row is read once.

namespace warpath::python {

/// Packs paths that stand in rows of up to `width` elements.
template <class T, class Read>
class RowPacker {
 public:
  /// @param read read(p, to) copies up to `width` elements of row p and returns how many of them
  ///   belong to its path
  /// @param store receives the paths; its elements may have room for more
  RowPacker(std::size_t rows, std::size_t width, const Read& read, PathStore<T>& store)
      : rows_(rows),
        width_(width),
        block_(std::max<std::size_t>(block_elements / std::max<std::size_t>(width, 1), 1)),
        read_(read),
        store_(store) {
    store_.offsets.resize(rows + 1);
    store_.offsets.front() = 0;
    if (store_.elements.size() < rows * width) store_.elements.resize(rows * width);
  }

  /// @param threads 0 for all cores
  PathView<T> pack(int threads) {
    constexpr std::size_t min_blocks = 8;
    if (threads == 1 || blocks() < min_blocks) {
      read_rows(0, rows_, store_.elements.data());
    } else {
      tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
      arena.execute([&] {
        tbb::parallel_for(0, tbb::this_task_arena::max_concurrency(), [&](int) { pack_blocks(); });
      });
    }
    return {std::span(store_.elements).first(store_.offsets.back()), store_.offsets};
  }

 private:
  static constexpr std::size_t block_elements = 8192;  // they stay in a core's cache

  std::size_t blocks() const { return (rows_ + block_ - 1) / block_; }

  // Reads rows to `to`, one path after the other, and sets the offsets of their ends from there.
  std::size_t read_rows(std::size_t first, std::size_t last, T* to) {
    std::size_t end = 0;
    for (std::size_t p = first; p < last; ++p) {
      end += read_(p, to + end);
      store_.offsets[p + 1] = end;
    }
    return end;
  }

  // Packs blocks until none is left. A block's place is known when all before it were read.
  void pack_blocks() {
    const auto memory = std::make_unique_for_overwrite<T[]>(block_ * width_);
    for (std::size_t b; (b = begun_++) < blocks();) {
      const std::size_t first = b * block_, last = std::min(first + block_, rows_);
      const std::size_t size = read_rows(first, last, memory.get());
      // Another thread reads the block before, which takes some microseconds: too few to sleep.
      for (int tries = 0; placed_ != b; ++tries) {
        if (tries > 4096) std::this_thread::yield();
      }
      const std::uint64_t begin = end_;
      end_ += size;
      placed_ = b + 1;
      std::copy_n(memory.get(), size, store_.elements.data() + begin);
      for (std::size_t p = first; p < last; ++p) store_.offsets[p + 1] += begin;
    }
  }

  const std::size_t rows_, width_, block_;  // block_: rows that a thread reads at a time
  const Read& read_;
  PathStore<T>& store_;
  std::atomic<std::size_t> begun_ = 0, placed_ = 0;  // blocks
  std::uint64_t end_ = 0;                            // of the last block that has a place
};

}  // namespace warpath::python
