// Tests what a scorer keeps on the device between calls: it is uploaded once, and whatever changes
// is seen; and the fake device's own checks of memory.

#include "host/core/cuda/kept_inputs.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "host/core/cpu/backend.hpp"
#include "host/core/cuda/backend.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

/// Scores batches of the same scans, as a scorer does.
class Calls {
 public:
  Calls(cuda::Device& device, const PairBatch& batch, const Convention& convention = {})
      : device_(device), convention_(convention), tables_(batch.scans, convention) {}

  void expect_cpus_bits(const PairBatch& batch, const std::string& how) {
    Scores scores(batch.pairs.size());
    cuda::score(device_, batch, tables_, convention_, {}, columns_of(scores), &kept_);
    expect_same_scores(scores, cpu::score(batch, convention_), how);
  }

 private:
  cuda::Device& device_;
  const Convention convention_;
  const batch::DistanceTables tables_;
  cuda::KeptInputs kept_;
};

class CudaKeptInputs : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaKeptInputs);

Convention edges_inside_cls() {
  Convention convention;
  convention.cls_step = ClsStep::edge;
  return convention;
}

TEST_P(CudaKeptInputs, SeeEveryChange) {
  for (const Convention& convention : {Convention(), edges_inside_cls()}) {
    RandomBatch made(run_seed() + 700, 2);
    made.add_pairs(80, 9, 9, 8);
    PairBatch batch = made.batch();
    Calls calls(device(run_seed()), batch, convention);
    calls.expect_cpus_bits(batch, "first");
    calls.expect_cpus_bits(batch, "again");
    auto& nodes = batch.references.elements;
    const auto viewpoints =
        static_cast<Node>(std::min(batch.scans[0]->size(), batch.scans[1]->size()));
    for (Node& node : nodes) node = std::min<Node>(node, viewpoints - 1);
    calls.expect_cpus_bits(batch, "other viewpoints");
    for (std::size_t k : {std::size_t{0}, nodes.size() / 2, nodes.size() - 1}) {
      nodes[k] = (nodes[k] + 1) % viewpoints;
      calls.expect_cpus_bits(batch, "one other viewpoint");
    }
    for (Node& node : batch.queries.elements) node = std::min<Node>(node, viewpoints - 1);
    for (Pair& pair : batch.pairs) pair.scan = pair.reference == 0 ? 1 - pair.scan : pair.scan;
    calls.expect_cpus_bits(batch, "another scan");
    auto& border = batch.references.offsets[1];
    if (batch.references.offsets[2] > 2) border = border == 1 ? 2 : 1;
    calls.expect_cpus_bits(batch, "another border between paths");
    for (Pair& pair : batch.pairs) pair.reference = pair.reference == 0 ? 1 : pair.reference;
    calls.expect_cpus_bits(batch, "a reference without pairs");
  }
}

/// Makes two references with the same walk, in two scans, with four queries each.
PairBatch one_walk_twice(RandomBatch& made) {
  PairBatch batch;
  batch.scans = made.batch().scans;
  const auto viewpoints =
      static_cast<Node>(std::min(batch.scans[0]->size(), batch.scans[1]->size()));
  std::vector<Node> walk = made.walk(0, 0, 6);
  for (Node& node : walk) node = std::min<Node>(node, viewpoints - 1);
  for (std::uint32_t k = 0; k < 8; ++k) {
    if (k % 4 == 0) checks::add_path(batch.references, walk);
    batch.pairs.push_back({k / 4, k / 4, checks::add_path(batch.queries, walk)});
  }
  return batch;
}

// A reference has one length inside CLS, that in the scan of its last pair.
TEST_P(CudaKeptInputs, SeeAnotherLengthOfTheSamePathsInTheSameScans) {
  for (std::uint64_t k = 0; k < 10; ++k) {
    RandomBatch made(run_seed() + 705 + k, 2);
    PairBatch batch = one_walk_twice(made);
    Calls calls(device(run_seed()), batch, edges_inside_cls());
    calls.expect_cpus_bits(batch, "two references");
    for (Pair& pair : batch.pairs) pair.reference = 0;
    calls.expect_cpus_bits(batch, "one in two scans");
  }
}

TEST(FakeCudaKeptInputs, AreUploadedOnce) {
  RandomBatch made(run_seed() + 701, 2);
  made.add_pairs(400, 9, 9, 8);
  FakeDevice device(run_seed());
  Calls calls(device, made.batch());
  calls.expect_cpus_bits(made.batch(), "first");
  EXPECT_EQ(device.started["terms"], 1);
  const std::size_t first = device.uploaded();
  calls.expect_cpus_bits(made.batch(), "second");
  EXPECT_EQ(device.started["terms"], 1);
  const batch::DistanceTables tables(made.batch().scans, {});
  const std::size_t held = tables.entries() * sizeof(float) +
                           made.batch().references.elements.size() * sizeof(std::uint16_t);
  EXPECT_LE(device.uploaded() - first + held, first);
}

TEST(FakeCudaKeptInputs, AreOnlyTablesWhereEachPairHasItsOwnReference) {
  RandomBatch made(run_seed() + 702, 2);
  made.add_pairs(100, 9, 9);
  FakeDevice device(run_seed());
  Calls calls(device, made.batch());
  for (int call = 1; call <= 2; ++call) {
    calls.expect_cpus_bits(made.batch(), "own references");
    EXPECT_EQ(device.started["terms"], call);
    EXPECT_EQ(device.leaks(), 2u) << "the scans, and their distances";
    EXPECT_EQ(device.pinned_memory(), 0u);
  }
}

TEST(FakeCudaKeptInputs, AreThoseOfTheLatestBatchOnly) {
  RandomBatch made(run_seed() + 703, 2), small(run_seed() + 703, 2);
  made.add_pairs(400, 9, 9, 8);
  small.add_pairs(40, 9, 9, 8);
  PairBatch other = small.batch();
  other.scans = made.batch().scans;
  FakeDevice device(run_seed());
  Calls calls(device, made.batch());
  calls.expect_cpus_bits(other, "few");
  const std::size_t leaks = device.leaks(), free = device.free_memory();
  calls.expect_cpus_bits(made.batch(), "many");
  EXPECT_EQ(device.leaks(), leaks);
  calls.expect_cpus_bits(other, "few again");
  EXPECT_EQ(device.free_memory(), free);
}

TEST(FakeCudaKeptInputs, EveryFailingCallReportsAndReleases) {
  RandomBatch made(run_seed() + 704, 2);
  made.add_pairs(40, 9, 9, 8);
  const PairBatch& batch = made.batch();
  expect_every_failure_reported([&](FakeDevice& device) {
    Calls calls(device, batch);
    calls.expect_cpus_bits(batch, "first");
    calls.expect_cpus_bits(batch, "second");
  });
}

// ---------------------------------------------------------------- the fake device

TEST(FakeDevice, NoticesMemoryThatIsReleasedTooEarly) {
  const auto release_early = [] {
    FakeDevice device(run_seed());
    const cuda::UniqueStream stream(device);
    cuda::DeviceArray<int> memory(device, 1000);
    for (int k = 0; k < 50; ++k) {
      device.fill(memory.data() + k, 1, sizeof(int), stream.get());
    }
  };
  EXPECT_NONFATAL_FAILURE(release_early(), "released while work that uses it is left");
  const auto launch_early = [] {
    FakeDevice device(run_seed());
    const cuda::UniqueStream stream(device);
    cuda::HostDeviceArray<std::uint16_t> lengths(device, 10);
    cuda::DeviceArray<std::uint32_t> sums(device, 11);
    cuda::DeviceArray<char> scratch(device, device.scratch_bytes(10));
    std::fill_n(lengths.host.data(), 10, std::uint16_t{1});
    lengths.upload(device, 10, stream.get());
    for (int k = 0; k < 50; ++k) {
      device.launch(
          cuda::LengthSum{.view = {kernels::integers(lengths.device.data()), sums.data(), 10},
                          .scratch = {scratch.data(), scratch.size()}},
          stream.get());
    }
  };
  EXPECT_NONFATAL_FAILURE(launch_early(), "released while work that uses it is left");
}

TEST(FakeDevice, OrdersStreams) {
  FakeDevice device(run_seed());
  cuda::HostDeviceArray<int> there(device, 10);
  const cuda::UniqueStream first(device), second(device);
  for (const std::uint8_t byte : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
    device.fill(there.device.data(), byte, 10 * sizeof(int), first.get());
    device.order(first.get(), second.get());
    there.download(device, 10, second.get());
    device.wait(second.get());
    EXPECT_EQ(there.host[9], 0x01010101 * byte);
  }
}

}  // namespace
}  // namespace warpath::testing
