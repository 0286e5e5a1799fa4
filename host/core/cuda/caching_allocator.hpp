#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <utility>

namespace warpath::cuda {

/// Keeps blocks of memory that are given back and reuses them, so that a call finds the memory of
/// the calls before. A new block has an eighth to two fifths more than is asked for. A request
/// takes the smallest kept block that is large enough, unless a new one would have less than half
/// of it. So requests that are an eighth larger or a half smaller than earlier ones allocate
/// nothing. Several threads may use an allocator.
class CachingAllocator {
 public:
  /// @param get allocates; it throws if there is no memory left
  /// @param release is called for what `get` returned; false: it cannot be freed now
  CachingAllocator(std::function<void*(std::size_t)> get, std::function<bool(void*)> release)
      : get_(std::move(get)), release_(std::move(release)) {}
  CachingAllocator(const CachingAllocator&) = delete;
  CachingAllocator& operator=(const CachingAllocator&) = delete;
  /// @pre every block was given back
  ~CachingAllocator() { release_kept(); }

  /// Returns a block; null for 0 bytes. If `get` throws, releases all kept blocks and calls `get`
  /// once more.
  void* take(std::size_t bytes);
  /// Keeps a block. @pre nothing uses it any more
  void give_back(void* memory) noexcept;
  /// Sets the maximum of bytes of all blocks: before a new one is allocated, kept ones are
  /// released, those first that were not used for the longest time.
  void bound(std::size_t bytes);
  /// Returns the bytes that are kept.
  std::size_t kept() const;
  /// Releases all kept blocks. Returns their bytes.
  std::size_t release_kept() noexcept;

 private:
  using Kept = std::multimap<std::size_t, std::pair<void*, std::size_t>>;

  /// Returns the block to reuse, or the end.
  Kept::iterator find_kept(std::size_t bytes);
  /// Allocates a block. @param size is set to its size
  void* allocate(std::size_t bytes, std::size_t& size);
  /// Releases kept blocks until they have at most `bytes`, or no more can be freed. Returns the
  /// bytes that were released.
  std::size_t shrink_to(std::size_t bytes) noexcept;

  mutable std::mutex mutex_;
  const std::function<void*(std::size_t)> get_;
  const std::function<bool(void*)> release_;
  /// By size: blocks, and when each was given back.
  Kept kept_;
  /// By block: its place in kept_, so that giving back allocates nothing.
  std::map<void*, Kept::node_type> used_;
  std::size_t used_bytes_ = 0, kept_bytes_ = 0, times_given_back_ = 0;
  std::size_t bound_ = std::numeric_limits<std::size_t>::max();
};

}  // namespace warpath::cuda
