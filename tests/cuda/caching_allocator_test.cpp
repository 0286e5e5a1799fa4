// Tests kept memory: what is reused, what is released, and what happens at failures.

#include "host/core/cuda/caching_allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace warpath::testing {
namespace {

constexpr std::size_t KiB = 1024;

/// A source of memory with a limit, which counts its blocks.
struct Source {
  std::size_t capacity = std::size_t{1} << 30, used = 0, most = 0;
  int gets = 0;
  bool can_release = true;
  std::map<void*, std::size_t> blocks;
  std::vector<void*> released;  ///< their addresses may be those of later blocks

  cuda::CachingAllocator make() {
    return cuda::CachingAllocator([this](std::size_t bytes) { return get(bytes); },
                                  [this](void* memory) { return release(memory); });
  }
  void* get(std::size_t bytes) {
    if (used + bytes > capacity) throw std::runtime_error("no more memory");
    void* memory = ::operator new(bytes);
    blocks[memory] = bytes;
    used += bytes;
    most = std::max(most, used);
    ++gets;
    return memory;
  }
  bool release(void* memory) {
    if (!can_release) return false;
    used -= blocks.at(memory);
    blocks.erase(memory);
    released.push_back(memory);
    ::operator delete(memory);
    return true;
  }
  ~Source() { EXPECT_TRUE(blocks.empty()) << "not released"; }
};

// Takes temporary memory, and then a batch's memory, each array that many percent as large.
void run_batch(cuda::CachingAllocator& blocks, std::size_t percent = 100) {
  blocks.give_back(blocks.take(5 * KiB * percent));
  std::vector<void*> all;
  for (const std::size_t size : {KiB, 3000 * KiB, 200 * KiB, 3000 * KiB, 7 * KiB}) {
    all.push_back(blocks.take(size * percent / 100));
  }
  for (void* memory : all) blocks.give_back(memory);
}

TEST(CudaAllocator, AllocatesNothingForASimilarBatch) {
  Source source;
  {
    cuda::CachingAllocator blocks = source.make();
    run_batch(blocks);
    const int gets = source.gets;
    for (const std::size_t percent : {100, 101, 99, 112, 60, 104, 112}) {
      run_batch(blocks, percent);
      EXPECT_EQ(source.gets, gets) << percent << " %";
    }
    EXPECT_EQ(blocks.kept(), source.used);
  }
  EXPECT_EQ(source.used, 0u);
}

TEST(CudaAllocator, HasTheMemoryOfSeveralSizesInTurn) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  for (const std::size_t percent : {100, 400, 30}) run_batch(blocks, percent);
  const int gets = source.gets;
  for (const std::size_t percent : {30, 400, 100, 390, 31}) run_batch(blocks, percent);
  EXPECT_EQ(source.gets, gets);
}

TEST(CudaAllocator, GivesOutDifferentBlocks) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  void* first = blocks.take(100);
  void* second = blocks.take(100);
  EXPECT_NE(first, second);
  blocks.give_back(first);
  EXPECT_GE(blocks.kept(), 100u);
  EXPECT_EQ(blocks.take(100), first);
  EXPECT_EQ(blocks.kept(), 0u);
  EXPECT_EQ(blocks.take(0), nullptr);
  blocks.give_back(nullptr);
  blocks.give_back(first);
  blocks.give_back(second);
}

TEST(CudaAllocator, LeavesLargeBlocksToLargeRequests) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  blocks.give_back(blocks.take(1 << 20));
  void* small = blocks.take(1 << 18);
  EXPECT_EQ(source.gets, 2) << "a quarter of the block would be used";
  blocks.give_back(small);
}

TEST(CudaAllocator, TakesTheSmallestBlockThatIsLargeEnough) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  void *large = blocks.take(150 * KiB), *medium = blocks.take(100 * KiB);
  blocks.give_back(large);
  blocks.give_back(medium);
  EXPECT_EQ(blocks.take(90 * KiB), medium);
  EXPECT_EQ(blocks.take(140 * KiB), large);
  blocks.give_back(large);
  blocks.give_back(medium);
}

TEST(CudaAllocator, KeepsToItsBoundAndReleasesTheOldestFirst) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  blocks.bound(1050 * KiB);
  void* old = blocks.take(300 * KiB);
  blocks.give_back(old);
  void* recent = blocks.take(100 * KiB);
  blocks.give_back(recent);
  void* next = blocks.take(700 * KiB);
  EXPECT_LE(source.most, 1050 * KiB);
  EXPECT_EQ(source.released, std::vector{old});
  EXPECT_TRUE(source.blocks.contains(recent));
  void* more = blocks.take(290 * KiB);
  EXPECT_LE(source.most, 1200 * KiB) << "no more than is asked for, where it is scarce";
  blocks.give_back(more);
  blocks.give_back(next);
}

TEST(CudaAllocator, ReleasesKeptBlocksOnRequest) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  void* in_use = blocks.take(100 * KiB);
  blocks.give_back(blocks.take(200 * KiB));
  const std::size_t kept = blocks.kept();
  EXPECT_GE(kept, 200 * KiB);
  source.can_release = false;  // as while a graph is captured
  EXPECT_EQ(blocks.release_kept(), 0u);
  EXPECT_EQ(blocks.kept(), kept);
  source.can_release = true;
  EXPECT_EQ(blocks.release_kept(), kept);
  EXPECT_EQ(source.blocks.size(), 1u);
  blocks.give_back(in_use);
}

TEST(CudaAllocator, ReleasesKeptBlocksBeforeItFails) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  blocks.give_back(blocks.take(500 * KiB));
  source.capacity = 700 * KiB;  // another process took some of the memory
  void* memory = blocks.take(650 * KiB);
  EXPECT_EQ(source.used, 650 * KiB);
  EXPECT_THROW(blocks.take(100 * KiB), std::runtime_error);
  blocks.give_back(memory);
  EXPECT_EQ(blocks.take(650 * KiB), memory);
  blocks.give_back(memory);
}

}  // namespace
}  // namespace warpath::testing
