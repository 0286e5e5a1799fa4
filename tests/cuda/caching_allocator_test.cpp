// Tests kept memory: what is reused, what is released, and what happens at failures.

#include "host/cuda/caching_allocator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace warpath::testing {
namespace {

/// A source of memory with a limit, which counts its blocks.
struct Source {
  std::size_t capacity = 1 << 20, used = 0, most = 0;
  int gets = 0;
  std::map<void*, std::size_t> blocks;

  cuda::CachingAllocator make() {
    return cuda::CachingAllocator([this](std::size_t bytes) { return get(bytes); },
                                  [this](void* memory) { release(memory); });
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
  void release(void* memory) {
    used -= blocks.at(memory);
    blocks.erase(memory);
    ::operator delete(memory);
  }
  ~Source() { EXPECT_TRUE(blocks.empty()) << "not released"; }
};

// Takes temporary memory, and then a batch's memory.
void run_batch(cuda::CachingAllocator& blocks) {
  blocks.give_back(blocks.take(50));
  std::vector<void*> all;
  for (const std::size_t bytes : {100, 200, 300, 200}) all.push_back(blocks.take(bytes));
  for (void* memory : all) blocks.give_back(memory);
}

TEST(CudaAllocator, ReusesTheMemoryOfTheBatchBefore) {
  Source source;
  {
    cuda::CachingAllocator blocks = source.make();
    run_batch(blocks);
    EXPECT_EQ(blocks.kept(), 800u);
    const int gets = source.gets;
    for (int batch = 0; batch < 10; ++batch) run_batch(blocks);
    EXPECT_LE(source.gets, gets + 10 * 2);  // each temporary block displaces one of the others
    EXPECT_EQ(source.most, 800u);
  }
  EXPECT_EQ(source.used, 0u);
}

TEST(CudaAllocator, GivesOutDifferentBlocks) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  void* first = blocks.take(100);
  void* second = blocks.take(100);
  EXPECT_NE(first, second);
  blocks.give_back(first);
  EXPECT_EQ(blocks.kept(), 100u);
  EXPECT_EQ(blocks.take(100), first);
  EXPECT_EQ(blocks.kept(), 0u);
  EXPECT_EQ(blocks.take(0), nullptr);
  blocks.give_back(nullptr);
  blocks.give_back(first);
  blocks.give_back(second);
}

TEST(CudaAllocator, HoldsNoMoreThanWasInUseAtOneTime) {
  Source source;
  cuda::CachingAllocator blocks = source.make();
  for (std::size_t bytes = 100; bytes < 2000; ++bytes) {
    blocks.give_back(blocks.take(bytes));
    EXPECT_LE(source.used, bytes);
  }
}

TEST(CudaAllocator, ReleasesKeptBlocksBeforeItFails) {
  Source source;
  source.capacity = 1000;
  cuda::CachingAllocator blocks = source.make();
  run_batch(blocks);
  source.capacity = 700;  // another process took some of the memory
  void* memory = blocks.take(650);
  EXPECT_EQ(source.used, 650u);
  EXPECT_THROW(blocks.take(100), std::runtime_error);
  blocks.give_back(memory);
  EXPECT_EQ(blocks.take(650), memory);
  blocks.give_back(memory);
}

}  // namespace
}  // namespace warpath::testing
