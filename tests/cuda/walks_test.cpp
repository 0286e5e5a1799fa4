// Tests that random walks made on a device have the CPU's bits, from every kernel, with any memory,
// and that words are drawn again where they have to be.

#include "host/core/cuda/walks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "host/checks/walks.hpp"
#include "host/core/cpu/walks.hpp"
#include "kernels/philox.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/score_pair.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using cuda::DeviceWalks;

const StepCounts some_steps{{0, 1}, {1, 3}, {4, 5}, {5, 2}, {7, 2}, {13, 4}, {14, 1}};

checks::WalkWorld uniform_world(checks::LengthRange reference, std::size_t viewpoints,
                                std::size_t pairs = 30) {
  checks::Random random(5);
  return checks::WalkWorld(
      checks::uniform_pairs(random, {"", reference, {1, 3}, viewpoints, 1}, pairs));
}

/// Names walks first … first + count − 1.
struct Range {
  std::uint64_t first, count;
};

struct WalkCase {
  const RandomWalks& walks;
  const Convention& convention;
  MetricSet metrics = MetricSet::of_paths();
  bool repeat = false;
};

void expect_cpus_bits(cuda::Device& device, const WalkCase& c, std::span<const Range> ranges) {
  const walks::WalkTables tables(c.walks, c.convention);
  ASSERT_TRUE(tables.are_usable);
  DeviceWalks on_device(device, c.walks, tables, c.convention,
                        {.metrics = c.metrics, .repeat_walks = c.repeat});
  ASSERT_TRUE(on_device.takes_all());
  for (const auto& [first, count] : ranges) {
    EXPECT_EQ(on_device.statistics(first, count),
              cpu::statistics(c.walks, tables, c.convention, {.metrics = c.metrics}, first, count))
        << first << ", " << count;
  }
}

class CudaDeviceWalks : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaDeviceWalks);

TEST_P(CudaDeviceWalks, HaveTheCpusBits) {
  const checks::WalkWorld world = uniform_world({1, 20}, 40, 12);
  const Range ranges[] = {{0, 150}, {0xffffffc0, 100}, {5, 0}, {7, 1}};
  for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
    const RandomWalks walks = world.walks(some_steps, sample);
    for (const char* preset : {"paper", "valan"}) {
      const bool repeat = sample == WalkSample::uniform;
      expect_cpus_bits(device(run_seed()),
                       {walks, find_preset(preset).convention, MetricSet::of_paths(), repeat},
                       ranges);
    }
    expect_cpus_bits(device(run_seed()),
                     {walks, find_preset("paper").convention,
                      MetricSet{Metric::DTW, Metric::nDTW, Metric::PC, Metric::AD, Metric::MD}},
                     ranges);
  }
  expect_started("walks, replicated");
}

// Several warps sort and score one slice.
TEST_P(CudaDeviceWalks, HaveTheCpusBitsWhereWarpsShareASlice) {
  const checks::WalkWorld world = uniform_world({9, 12}, 40, 2);
  ASSERT_EQ(world.references.size(), 2u);
  const RandomWalks walks = world.walks(some_steps);
  const Range ranges[] = {{0, 300}};
  for (const bool repeat : {false, true}) {
    expect_cpus_bits(device(run_seed()), {walks, {}, MetricSet::of_paths(), repeat}, ranges);
  }
}

// A block takes several slices of one reference, whose table stays, and then those of another.
TEST(DeviceWalks, HaveTheCpusBitsWhereATableStays) {
  const checks::WalkWorld world = uniform_world({5, 12}, 40, 2);
  ASSERT_EQ(world.references.size(), 2u);
  const RandomWalks walks = world.walks(some_steps);
  const Range ranges[] = {{0, 9 * 2 * kernels::max_slice_walks}};
  FakeDevice device(run_seed());
  expect_cpus_bits(device, {walks, {}, {Metric::nDTW, Metric::SR}}, ranges);
}

TEST(DeviceWalks, HaveTheCpusBitsForAnyRequest) {
  const checks::WalkWorld world = uniform_world({1, 20}, 40, 60);
  const Range ranges[] = {{0, 9000}, {0xffffff00, 1000}, {1000, 3}};
  for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
    const RandomWalks walks = world.walks(some_steps, sample);
    for (const char* preset : {"paper", "r2r", "valan", "duet"}) {
      for (const MetricSet& metrics :
           {MetricSet::of_paths(), MetricSet{Metric::DTW, Metric::nDTW},
            MetricSet{Metric::PC, Metric::AD}, MetricSet{Metric::NE, Metric::SR},
            MetricSet{Metric::steps, Metric::n_ref}}) {
        FakeDevice device(run_seed());
        expect_cpus_bits(device, {walks, find_preset(preset).convention, metrics}, ranges);
      }
    }
  }
}

TEST(DeviceWalks, HaveTheCpusBitsOnUnreachableReferences) {
  checks::Random random(7);
  checks::WalkWorld world(checks::adversarial_pairs(random, 900, false));
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  for (std::uint32_t r = 0; r < world.references.size(); ++r) {
    const auto path = world.references[r];
    if (path.size() > 20) continue;
    checks::add_path(references, path);
    scan_of.push_back(world.scan_of[r]);
  }
  ASSERT_GT(scan_of.size(), 50u);
  const RandomWalks walks(world.scans(), references, scan_of, some_steps, 3);
  const Range ranges[] = {{0, 3000}};
  for (const char* preset : {"paper", "valan"}) {
    FakeDevice device(run_seed());
    expect_cpus_bits(device, {walks, find_preset(preset).convention}, ranges);
  }
}

TEST(DeviceWalks, TakeTheTableThatFitsABlock) {
  const checks::WalkWorld world = uniform_world({2, 20}, 120, 40);
  const RandomWalks of_world = world.walks({{6, 1}});
  const Range ranges[] = {{0, 500}};
  FakeDevice large(run_seed()), small(run_seed());
  small.block_floats = 16 * 1024;
  expect_cpus_bits(large, {of_world, {}}, ranges);
  expect_cpus_bits(small, {of_world, {}}, ranges);
  EXPECT_GT(large.started["walks, replicated"], 0);
  EXPECT_EQ(large.started["walks, plain"], 0);
  EXPECT_GT(small.started["walks, plain"], 0);
}

// One scan has more viewpoints, the other a longer table of edges: each fits a block by itself.
TEST(DeviceWalks, ShareALaunchAmongScansOfAnyShape) {
  const Grid grid(30, 10);
  std::vector<std::array<double, 3>> points;
  std::vector<Edge> edges;
  for (Node n = 0; n < 100; ++n) {
    points.push_back({0.1 * n, 1.0, 0.0});
    if (n > 0) edges.push_back({0, n, {}});
  }
  const Scan star = make_scan(points, edges);
  const std::vector<const Scan*> scans{&grid.scan, &star};
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  for (const std::uint32_t s : {0u, 1u, 0u, 1u}) {
    references.elements.insert(references.elements.end(), {0, 1, 2});
    references.end_path();
    scan_of.push_back(s);
  }
  const RandomWalks walks(scans, references, scan_of, some_steps, 3);
  FakeDevice device(run_seed());
  device.block_floats = 39 * 1024;
  const Range ranges[] = {{0, 600}};
  expect_cpus_bits(device, {walks, {}}, ranges);
  EXPECT_EQ(device.started["walks, replicated"], 1);
}

TEST(DeviceWalks, LeaveOutReferencesThatNoKernelTakes) {
  const checks::WalkWorld world = uniform_world({15, 30}, 60, 40);
  const RandomWalks walks = world.walks(some_steps);
  const walks::WalkTables tables(walks, {});
  FakeDevice device(run_seed());
  DeviceWalks on_device(device, walks, tables, {}, {});
  std::uint64_t taken = 0;
  for (std::uint32_t r = 0; r < world.references.size(); ++r) {
    EXPECT_EQ(on_device.takes(r), world.references.size_of(r) <= 20);
    taken += on_device.takes(r);
  }
  EXPECT_FALSE(on_device.takes_all());
  EXPECT_EQ(on_device.statistics(0, 10 * world.references.size()).summary.items, 10 * taken);
}

TEST(DeviceWalks, TakeNoMoreMemoryForMoreWalks) {
  const checks::WalkWorld world = uniform_world({2, 12}, 40);
  const RandomWalks walks = world.walks(some_steps);
  const walks::WalkTables tables(walks, {});
  std::size_t memory[2] = {};
  for (const int more : {0, 1}) {
    FakeDevice device(run_seed());
    DeviceWalks on_device(device, walks, tables, {}, {.chunk_pairs = 2048});
    on_device.statistics(0, more ? 40'000 : 8000);
    memory[more] = device.max_memory();
    EXPECT_GT(device.overlaps(), 0);
  }
  EXPECT_EQ(memory[0], memory[1]);
}

TEST(DeviceWalks, FitTheMemoryThatTheyAreAllowed) {
  const checks::WalkWorld world = uniform_world({2, 12}, 40);
  const RandomWalks walks = world.walks(some_steps);
  const walks::WalkTables tables(walks, {});
  const auto all = cpu::statistics(walks, tables, {}, {}, 0, 20'000);
  FakeDevice device(run_seed());
  const std::size_t memory = std::size_t{1} << 20;
  EXPECT_EQ(DeviceWalks(device, walks, tables, {}, {.memory = memory}).statistics(0, 20'000), all);
  EXPECT_LE(device.max_memory(), memory);
}

// Returns what is said where walks do not fit that many bytes; nothing if they do.
std::string refusal(const checks::WalkWorld& world, std::size_t memory) {
  const RandomWalks walks = world.walks(some_steps);
  const walks::WalkTables tables(walks, {});
  FakeDevice device(run_seed());
  try {
    DeviceWalks(device, walks, tables, {}, {.memory = memory}).statistics(0, 10);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(DeviceWalks, SayWhatDoesNotFitTheMemory) {
  const checks::WalkWorld world = uniform_world({2, 12}, 40, 2);
  const std::string no_walk = "not even one walk fits the budget of 0 MiB";
  const std::string no_input = no_walk + ": what all of them read takes 1 MiB;";
  EXPECT_NE(refusal(world, 1000).find(no_input), std::string::npos) << refusal(world, 1000);
  // From some size on, the inputs fit, but no walk beside them.
  std::set<std::string> said;
  constexpr std::size_t mebibyte = 1 << 20;
  std::size_t memory = 1000;
  for (std::string problem = "-"; !problem.empty() && memory < mebibyte; memory += 1000) {
    problem = refusal(world, memory);
    said.insert(problem.substr(0, problem.find(';')));
  }
  ASSERT_LT(memory, mebibyte);
  EXPECT_EQ(said.size(), 3u);
  EXPECT_TRUE(std::ranges::any_of(
      said, [&](const std::string& problem) { return problem.ends_with(no_walk); }));
}

// ---------------------------------------------------------------- kernels

constexpr unsigned h200_words = 232'448 / 4;

TEST(WalkKernels, HaveReplicatedRowsWhereABlockHasRoom) {
  using kernels::QuantitySet;
  const auto kernel = [](std::uint32_t size, std::uint32_t viewpoints, unsigned floats) {
    return cuda::choose_walk_kernel({size, viewpoints, kernels::edge_entries(viewpoints, 4)},
                                    QuantitySet::all_edges, floats);
  };
  // 12 rows and what else is known of a viewpoint take 512 bytes, its 16 edges 128; 13,056 bytes
  // are for the order of walks. Two blocks have 113.5 KiB each, less one that both take.
  const auto two = kernel(12, 150, h200_words);
  ASSERT_TRUE(two);
  EXPECT_TRUE(two->replicated);
  EXPECT_EQ(two->rows, 12);
  EXPECT_EQ(two->blocks, 2);
  const auto one = kernel(12, 180, h200_words);
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->replicated);
  EXPECT_EQ(one->blocks, 1);
  const auto plain = kernel(12, 400, h200_words);
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->replicated);
  EXPECT_FALSE(kernel(12, 4000, h200_words));
  EXPECT_FALSE(kernel(21, 20, h200_words));
  EXPECT_EQ(kernel(9, 20, h200_words)->rows, 12);
}

TEST(WalkKernels, TakeWhatFitsToTheLastByte) {
  const cuda::WalkShape shape{12, 150, kernels::edge_entries(150, 4)};
  using kernels::QuantitySet;
  const auto chosen = cuda::choose_walk_kernel(shape, QuantitySet::all_edges, h200_words);
  ASSERT_TRUE(chosen);
  // A block with the order of walks beside it, and the 1 KiB that each block takes.
  const std::size_t block = chosen->block_bytes + sizeof(kernels::WalkOrder) + 1024;
  const auto floats = static_cast<unsigned>((2 * block - 1024) / sizeof(float));
  EXPECT_EQ(cuda::choose_walk_kernel(shape, QuantitySet::all_edges, floats)->blocks, 2);
  EXPECT_EQ(cuda::choose_walk_kernel(shape, QuantitySet::all_edges, floats - 1)->blocks, 1);
}

TEST(DeviceWalks, ReportEveryFailure) {
  const checks::WalkWorld world = uniform_world({2, 20}, 30, 6);
  const RandomWalks walks = world.walks(some_steps, WalkSample::uniform);
  const walks::WalkTables tables(walks, {});
  expect_every_failure_reported([&](FakeDevice& device) {
    DeviceWalks on_device(device, walks, tables, {}, {.chunk_pairs = 32});
    on_device.statistics(0, 100);
  });
}

// ---------------------------------------------------------------- words that are drawn again

/// Makes the walks of words of 8 bits, in the plainest way.
class NarrowWalks {
 public:
  NarrowWalks(const checks::WalkWorld& world, const StepCounts& steps, std::uint64_t seed)
      : world_(world), seed_(seed) {
    for (const auto& [number, times] : steps) steps_.insert(steps_.end(), times, number);
  }

  PairBatch batch(std::uint64_t count) {
    PairBatch batch;
    batch.scans = world_.scans();
    batch.references = world_.references;
    for (std::uint64_t walk = 0; walk < count; ++walk) {
      const auto r = static_cast<std::uint32_t>(walk % world_.references.size());
      const Scan& scan = *world_.scans()[world_.scan_of[r]];
      Node at = world_.references[r].front();
      batch.queries.elements.push_back(at);
      const std::uint32_t steps = steps_[choose(walk, 0, steps_.size())];
      for (std::uint32_t s = 1; s <= steps; ++s) {
        const auto neighbours = scan.neighbours(at);
        at = neighbours[choose(walk, s, neighbours.size())];
        batch.queries.elements.push_back(at);
      }
      batch.pairs.push_back({world_.scan_of[r], r, batch.queries.end_path()});
    }
    return batch;
  }

  int drawn_again = 0;

 private:
  std::uint32_t word(std::uint64_t walk, std::uint32_t block, std::uint32_t attempt, int k) const {
    return kernels::philox(
               {static_cast<std::uint32_t>(walk), static_cast<std::uint32_t>(walk >> 32), block,
                attempt},
               {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)})[k] >>
           24;
  }
  std::uint32_t choose(std::uint64_t walk, std::uint32_t number, std::size_t count) {
    const auto choices = static_cast<std::uint32_t>(count);
    std::uint32_t drawn = word(walk, number / 4, 0, number % 4);
    for (std::uint32_t attempt = 1; drawn * choices % 256 < 256 % choices; ++attempt) {
      ++drawn_again;
      drawn = word(walk, number, attempt, 0);
    }
    return drawn * choices / 256;
  }

  const checks::WalkWorld& world_;
  const std::uint64_t seed_;
  std::vector<std::uint32_t> steps_;  // each as often as it counts
};

/// Leaves out the kernel that makes noted walks once more.
class ForgetfulDevice : public FakeDevice {
 public:
  using FakeDevice::FakeDevice;
  void launch(const cuda::Work& work, cuda::Stream stream) override {
    if (!std::holds_alternative<cuda::RepeatWalks>(work)) FakeDevice::launch(work, stream);
  }
};

TEST(DeviceWalks, DrawWordsAgainThatDoNotDecide) {
  const checks::WalkWorld world = uniform_world({1, 20}, 40);
  const RandomWalks walks = world.walks(some_steps);
  NarrowWalks narrow(world, some_steps, walks.seed());
  for (const char* preset : {"paper", "valan"}) {
    const Convention& convention = find_preset(preset).convention;
    const PairBatch batch = narrow.batch(2000);
    ASSERT_GT(narrow.drawn_again, 100);
    const BatchStatistics expected =
        Scorer(world.scans(), convention, {.backend = Backend::cpu}).statistics(batch);
    const walks::WalkTables tables(walks, convention);
    FakeDevice device(run_seed());
    ForgetfulDevice forgetful(run_seed());
    device.walk_bits = forgetful.walk_bits = 8;
    EXPECT_EQ(DeviceWalks(device, walks, tables, convention, {}).statistics(0, 2000), expected);
    EXPECT_GT(device.started["walks, repeated"], 100);
    EXPECT_NE(DeviceWalks(forgetful, walks, tables, convention, {}).statistics(0, 2000), expected);
  }
}

}  // namespace
}  // namespace warpath::testing
