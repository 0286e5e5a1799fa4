// Counts the memory accesses of kernels: look-ups by banks, consecutive ids and results.

#include "tests/fake_cudart/kernel_traffic.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/checks/benchmark/timing.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

using ptx::Direction;
using ptx::MemorySpace;
using ptx::Traffic;

class KernelTraffic : public ::testing::Test {
 protected:
  // Uses many warps with few tiles each: lanes without a pair count as if they kept step.
  void SetUp() override { cudart().multiprocessors = 2; }
  void TearDown() override { cudart().multiprocessors = 1; }

  /// Returns the traffic of the only kernel with that in its name.
  Traffic traffic(const std::string& part, MemorySpace space, Direction direction) {
    Traffic found;
    int kernels = 0;
    for (auto& [name, kernel] : measured_) {
      if (name.find(part) == std::string::npos) continue;
      found = kernel.traffic[space][direction];
      ++kernels;
    }
    EXPECT_EQ(kernels, 1) << part;
    return found;
  }

  void score(const Workload& work, const char* metrics = "DTW nDTW PC AD MD ED") {
    measured_ = profile(work, benchmark::named_sets({metrics})[0].metrics);
  }

 private:
  ptx::Profile measured_;
};

double by_request(const Traffic& t) {
  return static_cast<double>(t.wavefronts) / static_cast<double>(t.requests);
}

const checks::Shape r2r{"", {6, 6}, {6, 6}, 85};

TEST_F(KernelTraffic, StaysWithinBoundsForPairsInOrder) {
  score({r2r});
  // kernel_table.md assumes this for random viewpoints.
  const Traffic look_ups = traffic("score_in_shared_table", MemorySpace::shared, Direction::load);
  EXPECT_NEAR(by_request(look_ups), 3.54, 0.15);
  EXPECT_GE(look_ups.requests, profiled_pairs / 32 * 6 * 6);
  // A request of 16 bytes a lane takes four wavefronts; the tables are copied so.
  EXPECT_LT(by_request(traffic("score_in_shared_table", MemorySpace::global, Direction::load)),
            1.4);
  EXPECT_LT(by_request(traffic("score_in_shared_table", MemorySpace::global, Direction::store)),
            1.01);
}

TEST_F(KernelTraffic, IsConsecutiveForTotalsInAnyOrder) {
  score({r2r, 61});
  EXPECT_GT(by_request(traffic("score_in_shared_table", MemorySpace::global, Direction::store)),
            20);
  score({r2r, 61, false});
  EXPECT_LT(by_request(traffic("score_in_shared_table", MemorySpace::global, Direction::store)), 3);
}

TEST_F(KernelTraffic, ReadsAReferencesTableByRows) {
  score({{"", {12, 12}, {14, 14}, 150, 32}}, "DTW nDTW PC AD MD");
  const Traffic loads = traffic("score_shared_reference", MemorySpace::shared, Direction::load);
  EXPECT_NEAR(by_request(loads), 10, 0.5);
  EXPECT_LT(by_request(traffic("score_shared_reference", MemorySpace::global, Direction::load)),
            2.5);
}

// Eight lanes that read 16 bytes each from all 32 banks take one wavefront, a warp takes 4; what is
// known of a column, beside three such units, takes 2. Stores of 16 bytes take 4. Any conflict adds
// to that.
TEST_F(KernelTraffic, MeetsNoBankConflictsInReplicatedRows) {
  score({{"", {12, 12}, {14, 14}, 150, 160}}, "DTW nDTW PC AD MD");
  const char* kernel = "score_replicated_reference";
  EXPECT_LE(by_request(traffic(kernel, MemorySpace::shared, Direction::load)), 3.5);
  EXPECT_LE(by_request(traffic(kernel, MemorySpace::shared, Direction::store)), 4);
}

}  // namespace
}  // namespace warpath::testing
