#include "tests/support/fake_device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/bodies/device_batch.hpp"
#include "kernels/bodies/plan_runs.hpp"
#include "kernels/bodies/prepare_points.hpp"
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

// Returns the block in which memory lies; null if there is none.
const char* block_of(const std::map<const char*, std::size_t>& blocks, const void* memory) {
  const char* p = static_cast<const char*>(memory);
  auto after = blocks.upper_bound(p);
  if (after == blocks.begin()) return nullptr;
  --after;
  return p < after->first + std::max<std::size_t>(after->second, 1) ? after->first : nullptr;
}

std::span<const std::byte> bytes_of(const auto& arguments) {
  return std::as_bytes(std::span(&arguments, 1));
}

// Runs on the host what each kernel does with a view. @param seed decides what a device leaves
// open: the number of blocks and threads.

void run_on_host(const TermsView& view, std::uint64_t) {
  for (std::uint32_t r = 0; r < view.count; ++r) make_terms(view, r);
}

void run_on_host(const StoreView& view, std::uint64_t) {
  for (std::uint32_t r = 0; r < view.count; ++r) store_reference(view, r);
}

void run_on_host(const PreparePointsView& view, std::uint64_t) {
  for (std::uint32_t i = 0; i < view.count; ++i) prepare_points(view, i);
}

void run_on_host(const cuda::CheckPairs& check, std::uint64_t) {
  *check.view.first_bad = ~0u;
  for (std::uint32_t i = 0; i < check.view.pairs.count; ++i) check_pair(check.view, i);
  describe_problem(check.view, 0);
}

void run_on_host(const KeyView& view, std::uint64_t) {
  for (std::uint32_t i = 0; i < view.pairs.count; ++i) make_key(view, i);
}

void run_on_host(const cuda::SortPairs& sort, std::uint64_t) {
  const SortView& s = sort.view;
  const std::uint64_t mask = s.bits < 64 ? (std::uint64_t{1} << s.bits) - 1 : ~std::uint64_t{0};
  std::vector<std::uint32_t> order(s.count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return s.key[i] & mask; });
  for (std::uint32_t k = 0; k < s.count; ++k) {
    s.sorted_key[k] = s.key[order[k]];
    s.sorted_pair[k] = s.pair[order[k]];
  }
}

void run_on_host(const cuda::FindRuns& find, std::uint64_t) {
  const RunsView& f = find.view;
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
}

void run_on_host(const PlaceView& view, std::uint64_t) {
  for (std::uint32_t k = 0; k < view.pairs.count; ++k) place_pair(view, k);
}

void run_on_host(const PlanView& view, std::uint64_t) {
  TilesOfKernel tiles;
  plan_runs(view, {0, 1, 0, 1}, tiles, BlockOfOne{});
}

void run_on_host(const cuda::LengthSum& s, std::uint64_t) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < s.view.count; ++i) {
    s.view.sums[i] = sum;
    sum += s.view.counts[i];
  }
  s.view.sums[s.view.count] = sum;
}

void run_on_host(const cuda::TileSum& s, std::uint64_t) {
  TileStart sum{0, 0};
  for (std::uint32_t t = 0; t < s.view.count; ++t) {
    s.view.starts[t] = sum;
    sum.column += s.view.sizes[t].column;
    sum.row += s.view.sizes[t].row;
  }
  s.view.starts[s.view.count] = sum;
}

void run_on_host(const PackView& view, std::uint64_t) {
  for (std::uint32_t s = 0; s < view.tiles * tile_pairs; ++s) pack_slot(view, s);
}

void run_on_host(const cuda::ScoreTiles& tiles, std::uint64_t) {
  run_tiles_plainly(tiles.view, tiles.set, tiles.rows);
}

void run_on_host(const cuda::ScoreGroups& groups, std::uint64_t) {
  run_groups_plainly(groups.view, has_border(groups.shape), groups.set);
}

void run_on_host(const cuda::ScoreGroupSlices& slices, std::uint64_t) {
  run_group_slices_plainly(slices.view, slices.set);
}

void run_on_host(const cuda::ScorePoints& points, std::uint64_t) {
  run_points_plainly(points.view, points.set);
}

void run_walks(const cuda::ScoreWalks& walks, int bits, std::uint64_t seed) {
  const auto run = bits == 8 ? run_walks_plainly<8> : run_walks_plainly<32>;
  run(walks.view, walks.replicated, walks.set, walks.rows, seed);
}
void run_walks(const cuda::RepeatWalks& walks, int bits, std::uint64_t) {
  bits == 8 ? repeat_walks_plainly<8>(walks.view, walks.set)
            : repeat_walks_plainly<32>(walks.view, walks.set);
}

void run_on_host(const AggregateView& view, std::uint64_t seed) {
  aggregate_plainly(view, seed);
}

template <class View>
void run_on_host(const cuda::RewardWork<View>& rewards, std::uint64_t) {
  run_rewards_plainly(rewards.view, rewards.shape);
}
void run_on_host(const auto& view, std::uint64_t) requires requires {
  run_rewards_plainly(view);
}
{ run_rewards_plainly(view); }

}  // namespace

/// Gives its pieces of work to a stream at each launch.
class FakeDevice::Record final : public cuda::RecordedWork {
 public:
  Record(FakeDevice& on, Stream stream) : on_(on), stream_(stream) {}

  void add(Stream stream, Piece piece) {
    EXPECT_EQ(stream, stream_) << "is not the stream that is recorded";
    pieces_.push_back(std::move(piece));
  }
  void launch(Stream stream) override {
    on_.call("launch of a record");
    ASSERT_TRUE(on_.streams_.has(stream)) << "launch of a record on a stream that is not";
    ++on_.started["record"];
    for (const Piece& piece : pieces_) on_.push(stream, piece);
  }

 private:
  FakeDevice& on_;
  const Stream stream_;
  std::vector<Piece> pieces_;
};

FakeDevice::~FakeDevice() {
  EXPECT_EQ(leaks(), 0u) << "not given back";
  EXPECT_EQ(entered_, 0) << "is still a thread's current device";
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

void FakeDevice::start(Stream stream, const char* what, std::span<const std::byte> arguments,
                       FakeStreams::Work work) {
  call(what);
  ASSERT_TRUE(streams_.has(stream)) << what << " on a stream that is not";
  Piece piece{std::move(work), {}};
  for (std::size_t at = 0; at + sizeof(void*) <= arguments.size(); at += sizeof(void*)) {
    const void* address = nullptr;
    std::memcpy(&address, arguments.data() + at, sizeof address);
    for (const Blocks* blocks : {&device_, &pinned_}) {
      if (const char* block = block_of(*blocks, address)) piece.used.push_back(block);
    }
  }
  recording_ != nullptr ? recording_->add(stream, std::move(piece)) : push(stream, piece);
}

void FakeDevice::push(Stream stream, const Piece& piece) {
  for (const char* block : piece.used) {
    if (device_.contains(block) || pinned_.contains(block)) continue;
    ADD_FAILURE() << "work on released memory";
    return;
  }
  for (const char* block : piece.used) ++users_[block];
  streams_.push(stream, [this, piece] {
    if (works_++ == failing_work) sticky_ = true;
    if (!sticky_) piece.work();
    for (const char* block : piece.used) --users_[block];
  });
}

cuda::ThreadState FakeDevice::enter() {
  ++entered_;
  return {};
}
void FakeDevice::leave(const cuda::ThreadState&) noexcept {
  --entered_;
}

void FakeDevice::release_from(Blocks& blocks, void* memory) noexcept {
  const auto block = blocks.find(static_cast<char*>(memory));
  ASSERT_NE(block, blocks.end()) << "released what was not allocated";
  EXPECT_EQ(users_[block->first], 0) << "released while work that uses it is left";
  streams_.finish();  // so that the test ends nevertheless
  users_.erase(block->first);
  blocks.erase(block);
  ::operator delete (memory, std::align_val_t{256});
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
  used_ -= device_[static_cast<char*>(memory)];
  release_from(device_, memory);
}

void* FakeDevice::allocate_pinned(std::size_t bytes) {
  call("allocate_pinned");
  char* block = static_cast<char*>(::operator new (bytes, std::align_val_t{256}));
  pinned_[block] = bytes;
  return block;
}

void FakeDevice::release_pinned(void* memory) noexcept {
  release_from(pinned_, memory);
}

// Freeing the memory makes it accessible again.
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
  EXPECT_EQ(recording_, nullptr) << "waits while work is recorded";
  streams_.finish(stream);
  if (sticky_) throw FakeFailure("work of a stream failed");
}

void FakeDevice::order(Stream earlier, Stream later) {
  call("order");
  EXPECT_EQ(recording_, nullptr) << "orders streams while work is recorded";
  streams_.wait_for(later, streams_.mark(earlier));
}

void FakeDevice::expect_device(const void* memory) const {
  EXPECT_NE(block_of(device_, memory), nullptr) << "not the device's memory";
}
void FakeDevice::expect_pinned(const void* memory) const {
  EXPECT_NE(block_of(pinned_, memory), nullptr) << "not pinned memory";
}

void FakeDevice::upload(void* to, const void* from, std::size_t bytes, Stream stream) {
  expect_device(to);
  expect_pinned(from);
  uploaded_ += bytes;
  start(stream, "upload", bytes_of(std::array<const void*, 2>{to, from}),
        [=] { std::memcpy(to, from, bytes); });
}

void FakeDevice::download(void* to, const void* from, std::size_t bytes, Stream stream) {
  expect_pinned(to);
  expect_device(from);
  start(stream, "download", bytes_of(std::array<const void*, 2>{to, from}),
        [=] { std::memcpy(to, from, bytes); });
}

void FakeDevice::fill(void* memory, std::uint8_t byte, std::size_t bytes, Stream stream) {
  if (bytes == 0) return;
  start(stream, "fill", bytes_of(memory), [=] { std::memset(memory, byte, bytes); });
}

void FakeDevice::inspect(const cuda::SortPairs& sort) {
  EXPECT_GE(sort.scratch.bytes, scratch_bytes(sort.view.count));
}
void FakeDevice::inspect(const cuda::FindRuns& find) {
  EXPECT_GE(find.scratch.bytes, scratch_bytes(find.view.count));
}
void FakeDevice::inspect(const cuda::LengthSum& sum) {
  EXPECT_GE(sum.scratch.bytes, scratch_bytes(sum.view.count));
}
void FakeDevice::inspect(const cuda::TileSum& sum) {
  EXPECT_GE(sum.scratch.bytes, scratch_bytes(sum.view.count));
}

void FakeDevice::inspect(const PackView& view) {
  if (view.pairs.queries.nodes.width == 1) ++started["bytes"];
}

namespace {

constexpr const char* tile_names[] = {"shared_table", "plain_table", "shared_reference",
                                      "replicated_reference"};
constexpr const char* group_names[] = {"lanes_4", "lanes_8", "lanes_32", "chain"};
constexpr const char* set_names[] = {"goal", "dtw", "five", "all_edges", "all_viewpoints"};

std::string name_of(QuantitySet set) {
  return std::string(", ") + set_names[static_cast<int>(set)];
}

}  // namespace

std::string kernel_of(const cuda::ScoreTiles& tiles) {
  return tile_names[static_cast<int>(tiles.kernel)] + name_of(tiles.set) + ", " +
         std::to_string(tiles.rows);
}
std::string kernel_of(const cuda::ScoreGroups& groups) {
  const bool is_own = groups.set == QuantitySet::dtw || groups.set == QuantitySet::all_viewpoints;
  return group_names[static_cast<int>(groups.shape)] +
         name_of(is_own ? groups.set : QuantitySet::all_edges);
}
std::string kernel_of(const cuda::ScoreGroupSlices& slices) {
  return kernel_of(cuda::ScoreGroups{.view = {}, .shape = slices.shape, .set = slices.set}) +
         ", shared table";
}
std::string kernel_of(const cuda::ScorePoints& points) {
  if (points.set == QuantitySet::goal) return "points, goal";
  return std::string("points, ") + group_names[static_cast<int>(points.shape)] +
         name_of(points.set);
}

std::string kernel_of(const cuda::ScoreWalks& walks) {
  return std::string("walks, ") + (walks.replicated ? "replicated" : "plain") + name_of(walks.set) +
         ", " + std::to_string(walks.rows);
}

void FakeDevice::inspect(const cuda::ScoreTiles& tiles) {
  EXPECT_LE(kernels::shared_floats(tiles.kernel, tiles.rows, tiles.view.max_scan), block_floats);
}

void FakeDevice::inspect(const cuda::ScoreGroups& groups) {
  EXPECT_GE(groups.view.border_groups,
            has_border(groups.shape) ? group_threads / group_lanes(groups.shape) : 0);
}

void FakeDevice::inspect(const cuda::ScoreGroupSlices& slices) {
  EXPECT_TRUE(has_shared_table_kernel(slices.shape));
  const auto lanes = static_cast<unsigned>(group_lanes(slices.shape));
  EXPECT_GE(slices.view.groups.border_groups,
            shared_group_threads(group_lanes(slices.shape)) / lanes);
  EXPECT_LE(kernels::shared_floats(TileKernel::shared_table, 0, slices.view.max_scan),
            block_floats);
}

void FakeDevice::inspect(const cuda::ScorePoints& points) {
  ++started[set_names[static_cast<int>(points.set)]];
  ++kernels[kernel_of(points)];
  const bool sweeps = points.set != QuantitySet::goal;
  EXPECT_GE(points.view.border_groups, sweeps ? group_threads / group_lanes(points.shape) : 0);
}

void FakeDevice::inspect(const cuda::ScoreWalks& walks) {
  ++started[walks.replicated ? "walks, replicated" : "walks, plain"];
  ++kernels[kernel_of(walks)];
  EXPECT_EQ(walks.set, walk_set(walks.set)) << "no kernel of that set";
  EXPECT_LT(walks.view.first_slice, walks.view.end_slice);
  EXPECT_LE(walks.view.block_bytes + sizeof(WalkOrder), std::size_t{4} * block_floats);
}

void FakeDevice::note(const cuda::ScoreTiles& tiles) {
  const LaunchRange& range = *tiles.view.range;
  if (range.first_slice == range.end_slice) return;
  ++started[tile_names[static_cast<int>(tiles.kernel)]];
  ++kernels[kernel_of(tiles)];
}

void FakeDevice::note(const cuda::ScoreGroups& groups) {
  const EntryRange entries = entries_of(groups.view);
  if (entries.first == entries.end) return;
  ++started[group_names[static_cast<int>(groups.shape)]];
  ++kernels[kernel_of(groups)];
}

void FakeDevice::note(const cuda::ScoreGroupSlices& slices) {
  const LaunchRange& range = *slices.view.groups.range;
  if (range.first_slice == range.end_slice) return;
  ++started[std::string(group_names[static_cast<int>(slices.shape)]) + ", shared table"];
  ++kernels[kernel_of(slices)];
}

void FakeDevice::note(const cuda::RepeatWalks& walks) {
  started["walks, repeated"] += static_cast<int>(*walks.view.noted_count);
}

void FakeDevice::launch(const cuda::Work& work, Stream stream) {
  std::visit([&](const auto& view) { inspect(view); }, work);
  const auto arguments = std::visit([](const auto& view) { return bytes_of(view); }, work);
  start(stream, "launch", arguments, [this, work, seed = random_()] {
    std::visit([&](const auto& view) { note(view); }, work);
    const auto run = [&](const auto& view) {
      if constexpr (requires { run_walks(view, walk_bits, seed); }) {
        run_walks(view, walk_bits, seed);
      } else {
        run_on_host(view, seed);
      }
    };
    std::visit(run, work);
  });
}

std::unique_ptr<cuda::RecordedWork> FakeDevice::record(Stream stream,
                                                       const std::function<void()>& start_work) {
  call("record");
  auto recorded = std::make_unique<Record>(*this, stream);
  recording_ = recorded.get();
  try {
    start_work();
  } catch (...) {
    recording_ = nullptr;
    throw;
  }
  recording_ = nullptr;
  return recorded;
}

void expect_every_failure_reported(const std::function<void(FakeDevice&)>& use) {
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
