#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/core/cuda/device.hpp"
#include "tests/support/fake_streams.hpp"

namespace warpath::testing {

/// Thrown by a fake device whose call or work was set to fail.
class FakeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Name the compiled kernel that such work starts.
std::string kernel_of(const cuda::ScoreTiles& tiles);
std::string kernel_of(const cuda::ScoreGroups& groups);
std::string kernel_of(const cuda::ScoreGroupSlices& slices);
std::string kernel_of(const cuda::ScorePoints& points);
std::string kernel_of(const cuda::ScoreWalks& walks);
std::string kernel_of(const cuda::RewardRollouts& rewards);

/// Emulates a CUDA device on the host. Its streams do their work at any later time. Memory is
/// exactly as long as asked for and not filled, so that a sanitizer sees reads behind its end and
/// reads of unwritten bytes. It must not be released while work that uses it is left. One thread at
/// a time may use a device.
class FakeDevice : public cuda::Device {
 public:
  explicit FakeDevice(std::uint64_t seed) : random_(seed), streams_(seed) {}
  ~FakeDevice() override;

  /// Size of the device's memory.
  std::size_t capacity = std::size_t{1} << 30;
  /// Floats of a table that fits into a block.
  unsigned block_floats = 227 * 1024 / 4;
  /// Number of the call, from 0, that fails immediately; −1: none.
  int failing_call = -1;
  /// Number of the piece of streams' work that fails: the next wait throws, and every later call
  /// fails.
  int failing_work = -1;

  /// Bits of a random word that walks use: 32, or 8, by which many words have to be drawn again.
  int walk_bits = 32;

  int calls() const { return calls_; }
  int works() const { return works_; }
  std::size_t max_memory() const { return max_; }
  /// Returns the bytes of pinned memory that are allocated now.
  std::size_t pinned_memory() const;
  /// Returns the number of resources that were not released.
  std::size_t leaks() const { return device_.size() + pinned_.size() + streams_.size(); }
  /// See FakeStreams.
  int overlaps() const { return streams_.overlaps(); }
  /// Returns the bytes that were copied to the device.
  std::size_t uploaded() const { return uploaded_; }
  /// Returns the bytes that bound_memory() set last.
  std::size_t bound() const { return bound_; }
  /// Counts launches that had work by kind of kernel, copies of paths as bytes, and launches of
  /// records.
  std::map<std::string, int> started;
  /// Counts launches by kernel_of.
  std::map<std::string, int> kernels;

  std::string name() override { return "a fake"; }
  std::size_t free_memory() override { return capacity - used_; }
  unsigned shared_floats() override { return block_floats; }
  std::uint32_t multiprocessors() override { return 3; }
  cuda::ThreadState enter() override;
  void leave(const cuda::ThreadState& before) noexcept override;
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  void* allocate_pinned(std::size_t bytes) override;
  void release_pinned(void* memory) noexcept override;
  /// Lets a sanitizer report accesses to these bytes.
  void forbid(const void* memory, std::size_t bytes) override;
  void bound_memory(std::size_t bytes) override { bound_ = bytes; }
  cuda::Stream make_stream() override;
  void release_stream(cuda::Stream stream) noexcept override;
  void wait(cuda::Stream stream) override;
  void wait_quietly(cuda::Stream stream) noexcept override { streams_.finish(stream); }
  void order(cuda::Stream earlier, cuda::Stream later) override;
  void upload(void* to, const void* from, std::size_t bytes, cuda::Stream stream) override;
  void download(void* to, const void* from, std::size_t bytes, cuda::Stream stream) override;
  void fill(void* memory, std::uint8_t byte, std::size_t bytes, cuda::Stream stream) override;
  std::size_t scratch_bytes(std::uint32_t count) override { return 8 * std::size_t{count} + 1; }
  void launch(const cuda::Work& work, cuda::Stream stream) override;
  std::unique_ptr<cuda::RecordedWork> record(cuda::Stream stream,
                                             const std::function<void()>& start_work) override;

 private:
  using Blocks = std::map<const char*, std::size_t>;
  /// Holds work of a stream, and the blocks of memory that it uses.
  struct Piece {
    FakeStreams::Work work;
    std::vector<const char*> used;
  };
  class Record;
  /// Throws if this call is set to fail. Every call that may fail begins with it.
  void call(const char* what);
  /// @param arguments of the work. Whatever looks like an address in one of the blocks counts as
  /// one: that block must not be released before the work is done.
  void start(cuda::Stream stream, const char* what, std::span<const std::byte> arguments,
             FakeStreams::Work work);
  void push(cuda::Stream stream, const Piece& piece);
  void release_from(Blocks& blocks, void* memory) noexcept;
  /// Counts launches in `started` and checks what a real device would need.
  void inspect(const auto&) {}
  void inspect(const kernels::TermsView&) { ++started["terms"]; }
  void inspect(const kernels::PackView& view);
  void inspect(const cuda::SortPairs& sort);
  void inspect(const cuda::FindRuns& find);
  void inspect(const cuda::LengthSum& sum);
  void inspect(const cuda::TileSum& sum);
  void inspect(const cuda::ScoreTiles& tiles);
  void inspect(const cuda::ScoreGroups& groups);
  void inspect(const cuda::ScoreGroupSlices& slices);
  void inspect(const cuda::ScorePoints& points);
  void inspect(const cuda::ScoreWalks& walks);
  void inspect(const cuda::RewardRollouts& rewards) { ++kernels[kernel_of(rewards)]; }
  void inspect(const kernels::AggregateView&) { ++started["aggregate"]; }
  // Which kernels have work is known when they run.
  void note(const auto&) {}
  void note(const cuda::ScoreTiles& tiles);
  void note(const cuda::ScoreGroups& groups);
  void note(const cuda::ScoreGroupSlices& slices);
  void note(const cuda::RepeatWalks& walks);
  void expect_device(const void* memory) const;
  void expect_pinned(const void* memory) const;

  std::mt19937_64 random_;
  int calls_ = 0, works_ = 0;
  bool sticky_ = false;
  std::size_t used_ = 0, max_ = 0;
  std::size_t uploaded_ = 0, bound_ = 0;
  int entered_ = 0;
  Blocks device_, pinned_;
  std::map<const char*, int> users_;  ///< by block: pieces of work that are not done
  FakeStreams streams_;
  Record* recording_ = nullptr;  ///< what is recorded now
};

/// Lets each call and each piece of work that `use` asks of a device fail once. Expects `use` to
/// throw what the device threw and to release everything.
void expect_every_failure_reported(const std::function<void(FakeDevice&)>& use);

}  // namespace warpath::testing
