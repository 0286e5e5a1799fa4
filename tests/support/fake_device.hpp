#pragma once

#include <functional>
#include <map>
#include <random>
#include <stdexcept>
#include <string>

#include "host/cuda/device.hpp"
#include "tests/support/fake_streams.hpp"

namespace warpath::testing {

/// What a fake device throws where it was told to.
class FakeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A CUDA device on the host, whose streams do their work at any later time. Memory is exactly as
/// long as asked for and not filled, so that a sanitizer sees who reads behind its end or what
/// nobody wrote.
class FakeDevice : public cuda::Device {
 public:
  explicit FakeDevice(std::uint64_t seed) : random_(seed), streams_(seed) {}
  ~FakeDevice() override;

  /// Memory that there is; more cannot be had.
  std::size_t capacity = std::size_t{1} << 30;
  /// Viewpoints whose table a block can hold.
  unsigned block_floats = 227 * 1024 / 4;
  /// The call, counted from 0, that fails at once; −1: none.
  int failing_call = -1;
  /// The piece of a stream's work that fails; whoever waits next hears of it, and from then on
  /// every call fails.
  int failing_work = -1;

  int calls() const { return calls_; }
  int works() const { return works_; }
  std::size_t max_memory() const { return max_; }
  /// Bytes of pinned memory that are allocated now.
  std::size_t pinned_memory() const;
  /// What was not given back.
  std::size_t leaks() const { return device_.size() + pinned_.size() + streams_.size(); }
  /// See FakeStreams.
  int overlaps() const { return streams_.overlaps(); }
  /// Launches by target, and copies of paths as bytes.
  std::map<std::string, int> started;

  std::string name() override { return "a fake"; }
  std::size_t free_memory() override { return capacity - used_; }
  unsigned shared_floats() override { return block_floats; }
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void* allocate_pinned(std::size_t bytes) override;
  void release_pinned(void* memory) noexcept override;
  /// A sanitizer sees who touches these bytes.
  void forbid(const void* memory, std::size_t bytes) override;
  cuda::Stream make_stream() override;
  void release_stream(cuda::Stream stream) noexcept override;
  void wait(cuda::Stream stream) override;
  void upload(void* to, const void* from, std::size_t bytes, cuda::Stream stream) override;
  void download(void* to, const void* from, std::size_t bytes, cuda::Stream stream) override;
  void fill(void* memory, std::uint8_t byte, std::size_t bytes, cuda::Stream stream) override;
  std::size_t scratch_bytes(std::uint32_t count) override { return 8 * std::size_t{count} + 1; }
  void make_terms(const kernels::TermsView<std::uint8_t>& view, cuda::Stream stream) override;
  void make_terms(const kernels::TermsView<std::uint16_t>& view, cuda::Stream stream) override;
  void widen_lengths(const kernels::LengthsView& view, cuda::Stream stream) override;
  void make_keys(const kernels::KeyView& view, cuda::Stream stream) override;
  void sort(const Sort& sort, Scratch scratch, cuda::Stream stream) override;
  void find_runs(const FindRuns& find, Scratch scratch, cuda::Stream stream) override;
  void place_pairs(const kernels::PlaceView& view, cuda::Stream stream) override;
  void exclusive_sum(const std::uint32_t* counts, std::uint32_t* sums, std::uint32_t count,
                     Scratch scratch, cuda::Stream stream) override;
  void pack_tiles(const kernels::PackView<std::uint8_t>& view, cuda::Stream stream) override;
  void pack_tiles(const kernels::PackView<std::uint16_t>& view, cuda::Stream stream) override;
  void score_tiles(const kernels::TileView& view, kernels::TileKernel kernel,
                   kernels::QuantitySet parts, int rows, cuda::Stream stream) override;
  void score_groups(const kernels::GroupView& view, kernels::GroupShape shape,
                    kernels::QuantitySet parts, cuda::Stream stream) override;
  void score_points(const kernels::PointView& view, kernels::GroupShape shape,
                    kernels::QuantitySet parts, cuda::Stream stream) override;
  /// By any number of blocks and threads.
  void aggregate(const kernels::AggregateView& view, cuda::Stream stream) override;

 private:
  using Work = FakeStreams::Work;

  /// Of every call that may fail.
  void call(const char* what);
  void start(cuda::Stream stream, const char* what, Work work);
  void expect_device(const void* memory) const;
  void expect_pinned(const void* memory) const;

  std::mt19937_64 random_;
  int calls_ = 0, works_ = 0;
  bool sticky_ = false;
  std::size_t used_ = 0, max_ = 0;
  std::map<const char*, std::size_t> device_, pinned_;
  FakeStreams streams_;
};

/// Each call, and each piece of work, of what `use` asks of a device fails once: `use` throws what
/// the device threw, and leaves nothing behind.
void expect_every_failure_told(const std::function<void(FakeDevice&)>& use);

}  // namespace warpath::testing
