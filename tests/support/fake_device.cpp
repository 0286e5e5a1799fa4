#include "tests/support/fake_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/bodies/score_pair.hpp"
#include "tests/support/fake_kernels.hpp"
#include "tests/support/pair_cases.hpp"

#if __has_include(<sanitizer/asan_interface.h>)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(memory, bytes)
#endif

namespace warpath::testing {

using namespace kernels;
using cuda::Stream;

namespace {

// Whether memory lies in one of the blocks.
bool lies_in(const std::map<const char*, std::size_t>& blocks, const void* memory) {
  const char* p = static_cast<const char*>(memory);
  auto after = blocks.upper_bound(p);
  if (after == blocks.begin()) return false;
  --after;
  return p < after->first + std::max<std::size_t>(after->second, 1);
}

}  // namespace

FakeDevice::~FakeDevice() {
  EXPECT_EQ(leaks(), 0u) << "not given back";
}

std::size_t FakeDevice::pinned_memory() const {
  std::size_t bytes = 0;
  for (const auto& [block, size] : pinned_) bytes += size;
  return bytes;
}

void FakeDevice::call(const char* what) {
  if (sticky_ || calls_++ == failing_call) {
    throw FakeFailure(std::string(what) + " failed");
  }
  streams_.do_some();
}

void FakeDevice::start(Stream stream, const char* what, Work work) {
  call(what);
  ASSERT_TRUE(streams_.has(stream)) << what << " on a stream that is not";
  streams_.push(stream, [this, work = std::move(work)] {
    if (works_++ == failing_work) sticky_ = true;
    if (!sticky_) work();
  });
}

void* FakeDevice::allocate(std::size_t bytes) {
  call("allocate");
  if (used_ + bytes > capacity) throw FakeFailure("out of memory");
  char* block = static_cast<char*>(::operator new (bytes, std::align_val_t{256}));
  device_[block] = bytes;
  used_ += bytes;
  max_ = std::max(max_, used_);
  return block;
}

void FakeDevice::release(void* memory) noexcept {
  streams_.finish();
  const auto block = device_.find(static_cast<char*>(memory));
  EXPECT_NE(block, device_.end()) << "released what was not allocated";
  used_ -= block->second;
  device_.erase(block);
  ::operator delete (memory, std::align_val_t{256});
}

void* FakeDevice::allocate_pinned(std::size_t bytes) {
  call("allocate_pinned");
  char* block = static_cast<char*>(::operator new (bytes, std::align_val_t{256}));
  pinned_[block] = bytes;
  return block;
}

void FakeDevice::release_pinned(void* memory) noexcept {
  streams_.finish();
  EXPECT_EQ(pinned_.erase(static_cast<char*>(memory)), 1u);
  ::operator delete (memory, std::align_val_t{256});
}

// Freeing the memory lifts the ban.
void FakeDevice::forbid([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
  ASAN_POISON_MEMORY_REGION(memory, bytes);
}

Stream FakeDevice::make_stream() {
  call("make_stream");
  auto* stream = reinterpret_cast<Stream>(new char);
  streams_.add(stream);
  return stream;
}

void FakeDevice::release_stream(Stream stream) noexcept {
  streams_.remove(stream);
  delete reinterpret_cast<char*>(stream);
}

void FakeDevice::wait(Stream stream) {
  call("wait");
  streams_.finish(stream);
  if (sticky_) throw FakeFailure("work of a stream failed");
}

void FakeDevice::expect_device(const void* memory) const {
  EXPECT_TRUE(lies_in(device_, memory)) << "not the device's memory";
}
void FakeDevice::expect_pinned(const void* memory) const {
  EXPECT_TRUE(lies_in(pinned_, memory)) << "not pinned memory";
}

void FakeDevice::upload(void* to, const void* from, std::size_t bytes, Stream stream) {
  expect_device(to);
  expect_pinned(from);
  start(stream, "upload", [=] { std::memcpy(to, from, bytes); });
}

void FakeDevice::download(void* to, const void* from, std::size_t bytes, Stream stream) {
  expect_pinned(to);
  expect_device(from);
  start(stream, "download", [=] { std::memcpy(to, from, bytes); });
}

void FakeDevice::fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) {
  start(stream, "fill", [=] { std::memset(memory, byte, bytes); });
}

void FakeDevice::make_terms(const TermsView<std::uint8_t>& view, Stream stream) {
  start(stream, "make_terms", [=] {
    for (std::uint32_t r = 0; r < view.count; ++r) kernels::make_terms(view, r);
  });
}
void FakeDevice::make_terms(const TermsView<std::uint16_t>& view, Stream stream) {
  start(stream, "make_terms", [=] {
    for (std::uint32_t r = 0; r < view.count; ++r) kernels::make_terms(view, r);
  });
}

void FakeDevice::widen_lengths(const LengthsView& view, Stream stream) {
  start(stream, "widen_lengths", [=] {
    for (std::uint32_t i = 0; i < view.count; ++i) widen_length(view, i);
  });
}

void FakeDevice::make_keys(const KeyView& view, Stream stream) {
  start(stream, "make_keys", [=] {
    for (std::uint32_t i = 0; i < view.pairs.count; ++i) make_key(view, i);
  });
}

void FakeDevice::sort(const Sort& s, Scratch scratch, Stream stream) {
  EXPECT_GE(scratch.bytes, scratch_bytes(s.count));
  start(stream, "sort", [=] {
    const std::uint64_t mask = s.bits < 64 ? (std::uint64_t{1} << s.bits) - 1 : ~std::uint64_t{0};
    std::vector<std::uint32_t> order(s.count);
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return s.key[i] & mask; });
    for (std::uint32_t k = 0; k < s.count; ++k) {
      s.sorted_key[k] = s.key[order[k]];
      s.sorted_pair[k] = s.pair[order[k]];
    }
  });
}

void FakeDevice::find_runs(const FindRuns& f, Scratch scratch, Stream stream) {
  EXPECT_GE(scratch.bytes, scratch_bytes(f.count));
  start(stream, "find_runs", [=] {
    std::uint32_t runs = 0;
    for (std::uint32_t k = 0; k < f.count; ++k) {
      const std::uint64_t key = f.key[k] >> f.m_bits;
      if (runs == 0 || f.run_key[runs - 1] != key) {
        f.run_key[runs] = key;
        f.run_length[runs++] = 0;
      }
      ++f.run_length[runs - 1];
    }
    *f.runs = runs;
  });
}

void FakeDevice::place_pairs(const PlaceView& view, Stream stream) {
  start(stream, "place_pairs", [=] {
    for (std::uint32_t k = 0; k < view.pairs.count; ++k) place_pair(view, k);
  });
}

void FakeDevice::exclusive_sum(const std::uint32_t* counts, std::uint32_t* sums,
                               std::uint32_t count, Scratch scratch, Stream stream) {
  EXPECT_GE(scratch.bytes, scratch_bytes(count));
  start(stream, "exclusive_sum", [=] {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      sums[i] = sum;
      sum += counts[i];
    }
    sums[count] = sum;
  });
}

void FakeDevice::pack_tiles(const PackView<std::uint8_t>& view, Stream stream) {
  ++started["bytes"];
  start(stream, "pack_tiles", [=] {
    for (std::uint32_t s = 0; s < view.slots; ++s) pack_slot(view, s);
  });
}
void FakeDevice::pack_tiles(const PackView<std::uint16_t>& view, Stream stream) {
  start(stream, "pack_tiles", [=] {
    for (std::uint32_t s = 0; s < view.slots; ++s) pack_slot(view, s);
  });
}

void FakeDevice::score_tiles(const TileView& view, TileKernel kernel, QuantitySet parts, int rows,
                             Stream stream) {
  constexpr const char* names[] = {"shared_table", "plain_table", "shared_reference"};
  ++started[names[static_cast<int>(kernel)]];
  EXPECT_LE(kernels::shared_floats(kernel, rows, view.max_scan), block_floats);
  start(stream, "score_tiles", [=] { run_tiles_plainly(view, parts, rows); });
}

void FakeDevice::score_groups(const GroupView& view, GroupShape shape, QuantitySet parts,
                              Stream stream) {
  constexpr const char* names[] = {"lanes_4", "lanes_8", "lanes_32", "chain"};
  ++started[names[static_cast<int>(shape)]];
  EXPECT_GE(view.border_groups, has_border(shape) ? group_threads / group_lanes(shape) : 0);
  start(stream, "score_groups", [=] { run_groups_plainly(view, has_border(shape), parts); });
}

void FakeDevice::score_points(const PointView& view, GroupShape shape, QuantitySet parts,
                              Stream stream) {
  constexpr const char* names[] = {"goal", "dtw", "five", "all_edges", "all_viewpoints"};
  ++started[names[static_cast<int>(parts)]];
  const bool sweeps = parts != QuantitySet::goal;
  EXPECT_GE(view.border_groups, sweeps ? group_threads / group_lanes(shape) : 0);
  start(stream, "score_points", [=] { run_points_plainly(view, parts); });
}

void FakeDevice::aggregate(const AggregateView& view, Stream stream) {
  ++started["aggregate"];
  start(stream, "aggregate", [=, seed = random_()] { aggregate_plainly(view, seed); });
}

void expect_every_failure_told(const std::function<void(FakeDevice&)>& use) {
  FakeDevice whole(run_seed());
  use(whole);
  for (int call = 0; call < whole.calls(); ++call) {
    FakeDevice device(run_seed());
    device.failing_call = call;
    EXPECT_THROW(use(device), FakeFailure) << "call " << call;
    EXPECT_EQ(device.leaks(), 0u) << "call " << call;
  }
  for (int work = 0; work < whole.works(); ++work) {
    FakeDevice device(run_seed());
    device.failing_work = work;
    EXPECT_THROW(use(device), FakeFailure) << "work " << work;
    EXPECT_EQ(device.leaks(), 0u) << "work " << work;
  }
}

}  // namespace warpath::testing
