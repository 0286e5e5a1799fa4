#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace warpath::cuda {

/// Keeps blocks of memory that are given back and reuses a block when exactly its size is asked
/// for, so that each batch finds the memory of the one before. It never holds more in all than was
/// in use at one time: the blocks given back last are released first.
class CachingAllocator {
 public:
  /// @param get allocates; it throws if there is no memory left
  /// @param release is called for what `get` returned
  CachingAllocator(std::function<void*(std::size_t)> get, std::function<void(void*)> release)
      : get_(std::move(get)), release_(std::move(release)) {}
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;
  /// @pre every block was given back
  ~CachingAllocator() { shrink_to(0); }

  /// Returns a block; null for 0 bytes. If `get` throws, releases all kept blocks and calls `get`
  /// once more.
  void* take(std::size_t bytes);
  void give_back(void* memory) noexcept;
  /// Returns the bytes that are kept.
  std::size_t kept() const;

 private:
  /// Releases kept blocks until at most `bytes` are left.
  void shrink_to(std::size_t bytes) noexcept;
  void* get(std::size_t bytes);

  struct Block {
    void* memory;
    std::size_t bytes;
  };

  mutable std::mutex mutex_;
  const std::function<void*(std::size_t)> get_;
  const std::function<void(void*)> release_;
  std::map<void*, std::size_t> used_;
  std::vector<Block> kept_;  ///< in the order of giving back
  std::size_t used_bytes_ = 0, kept_bytes_ = 0, max_used_ = 0;
};

}  // namespace warpath::cuda
