// Tests arrays in one block of memory: where they lie, and that the list's size is what it takes.

#include "host/core/cuda/arena.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "tests/support/fake_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

struct Arrays {
  std::span<char> bytes;
  std::span<double> nothing;
  cuda::HostDeviceSpan<std::uint32_t> numbers;
  std::span<std::uint64_t> words;

  void list(cuda::ArenaLayout& layout, std::size_t count) {
    layout.add_device(bytes, count);
    layout.add_device(nothing, 0);
    layout.add(numbers, 2 * count);
    layout.add_pinned(words, 1);
  }
};

TEST(CudaArena, SumsTheBytesThatItAllocates) {
  for (const std::size_t count : {1, 255, 256, 257, 1000}) {
    const cuda::ArenaBytes bytes = cuda::arena_bytes<Arrays>(count);
    FakeDevice device(run_seed());
    const cuda::Arena<Arrays> arena(device, count);
    EXPECT_EQ(device.max_memory(), bytes.device) << count;
    EXPECT_EQ(device.pinned_memory(), bytes.pinned) << count;
    EXPECT_EQ(device.leaks(), 2u) << "one allocation on either side";
  }
  EXPECT_EQ(cuda::arena_bytes<Arrays>(std::size_t{257}).device, 2 * 256 + 9 * 256u);
}

TEST(CudaArena, AlignsAndSeparatesArrays) {
  FakeDevice device(run_seed());
  cuda::Arena<Arrays> arena(device, std::size_t{257});
  EXPECT_EQ(arena->nothing.data(), nullptr);
  EXPECT_EQ(arena->bytes.size(), 257u);
  EXPECT_EQ(arena->numbers.host.size(), 514u);
  const auto place = [](const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); };
  EXPECT_EQ(place(arena->bytes.data()) % 256, 0u);
  EXPECT_EQ(place(arena->numbers.device.data()) - place(arena->bytes.data()), 512u);
  EXPECT_EQ(place(arena->words.data()) - place(arena->numbers.host.data()), 9 * 256u);
}

}  // namespace
}  // namespace warpath::testing
