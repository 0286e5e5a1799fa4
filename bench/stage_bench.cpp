// Times the host's part of the CUDA back end, on a device that only copies: how fast pairs are
// staged, and how many bytes of each are uploaded.

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include <cstring>
#include <map>
#include <new>
#include <vector>

#include "host/checks/pairs.hpp"
#include "host/core/cuda/backend.hpp"

namespace warpath::bench {
namespace {

using benchmark::State;
using cuda::Stream;

/// A device that copies and starts no kernel. Its memory is zero at first, so no runs are found.
/// Released memory is reused, as pinned memory is.
class CopyingDevice final : public cuda::Device {
 public:
  ~CopyingDevice() override {
    for (const auto& [bytes, memory] : free_) ::operator delete(memory, alignment);
  }
  std::size_t uploaded = 0;  ///< bytes

  std::string name() override { return "copies only"; }
  std::size_t free_memory() override { return std::size_t{16} << 30; }
  unsigned shared_floats() override { return 227 * 1024 / 4; }
  std::uint32_t multiprocessors() override { return 132; }
  void* allocate(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    void* memory = nullptr;
    if (const auto kept = free_.find(bytes); kept != free_.end()) {
      memory = kept->second;
      free_.erase(kept);
    } else {
      memory = ::operator new(bytes, alignment);
      std::memset(memory, 0, bytes);
    }
    used_[memory] = bytes;
    return memory;
  }
  void release(void* memory) noexcept override {
    const auto used = used_.find(memory);
    free_.emplace(used->second, memory);
    used_.erase(used);
  }
  void* allocate_pinned(std::size_t bytes) override { return allocate(bytes); }
  void release_pinned(void* memory) noexcept override { release(memory); }
  Stream make_stream() override { return nullptr; }
  void release_stream(Stream) noexcept override {}
  void wait(Stream) override {}
  void wait_quietly(Stream) noexcept override {}
  void order(Stream, Stream) override {}
  void upload(void* to, const void* from, std::size_t bytes, Stream) override {
    uploaded += bytes;
    std::memcpy(to, from, bytes);
  }
  void download(void* to, const void* from, std::size_t bytes, Stream) override {
    std::memcpy(to, from, bytes);
  }
  void fill(void*, std::uint8_t, std::size_t, Stream) override {}
  std::size_t scratch_bytes(std::uint32_t) override { return 1; }
  void launch(const cuda::Work&, Stream) override {}
  std::unique_ptr<cuda::RecordedWork> record(Stream, const std::function<void()>&) override {
    return nullptr;  // staging records nothing
  }

 private:
  static constexpr std::align_val_t alignment{256};
  std::multimap<std::size_t, void*> free_;
  std::map<void*, std::size_t> used_;
};

/// Makes R4R-like pairs whose viewpoints fit into bytes.
const PairBatch& batch_of(std::size_t queries_per_reference) {
  static std::map<std::size_t, checks::SyntheticBatch> made;
  const auto [at, is_new] = made.try_emplace(queries_per_reference);
  if (is_new) {
    checks::Random random(1);
    at->second = checks::uniform_pairs(random, {"", {12, 12}, {14, 14}, 150, queries_per_reference},
                                       2'000'000);
  }
  return at->second.batch;
}

void stage(State& state, bool scores_back) {
  const auto threads = static_cast<std::size_t>(state.range(1));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  const PairBatch& batch = batch_of(static_cast<std::size_t>(state.range(0)));
  const batch::DistanceTables tables(batch.scans, {});
  cuda::Options options;
  options.metrics = MetricSet().insert(Metric::DTW);
  CopyingDevice device;
  Scores scores;
  const auto run = [&] {
    if (scores_back) return cuda::score(device, batch, tables, {}, options, scores);
    benchmark::DoNotOptimize(cuda::statistics(device, batch, tables, {}, options));
  };
  run();  // allocates the memory
  device.uploaded = 0;
  for (auto _ : state) run();
  const auto pairs = static_cast<double>(state.iterations() * batch.pairs.size());
  state.SetItemsProcessed(static_cast<std::int64_t>(pairs));
  state.counters["bytes"] = static_cast<double>(device.uploaded) / pairs;
}

void summarize(State& state) {
  stage(state, false);
}
void score(State& state) {
  stage(state, true);
}

void every_case(benchmark::internal::Benchmark* b) {
  b->ArgNames({"queries", "threads"})->UseRealTime()->Unit(benchmark::kMillisecond);
  for (const int queries : {1, 160}) {
    for (const int threads : {1, 2}) b->Args({queries, threads});
  }
}

BENCHMARK(summarize)->Name("stage/summarize")->Apply(every_case);
BENCHMARK(score)->Name("stage/score")->Apply(every_case);

}  // namespace
}  // namespace warpath::bench
