#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "host/cpu/cpu_kernels.hpp"
#include "host/cpu/walks.hpp"
#include "tests/support/walk_world.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::testing {
namespace {

TEST(WalkScorer, GivesTheBitsOfStoredWalks) {
  synthetic::Random random(5);
  const WalkWorld world(synthetic::uniform_pairs(random, {"", {1, 23}, {1, 3}, 40, 1}, 60));
  for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
    const RandomWalks walks = world.walks({{0, 1}, {1, 3}, {4, 5}, {7, 2}, {13, 4}}, sample);
    for (const char* preset : {"paper", "r2r", "valan", "duet"}) {
      const Convention& convention = find_preset(preset).convention;
      const walks::WalkTables tables(walks, convention);
      EXPECT_TRUE(tables.are_usable);
      for (const cpu::CpuKernels* kernels : cpu::usable_kernels()) {
        for (const MetricSet& metrics :
             {MetricSet::all(), MetricSet{Metric::DTW, Metric::nDTW},
              MetricSet{Metric::PC, Metric::AD}, MetricSet{Metric::NE, Metric::SR},
              MetricSet{Metric::steps}}) {
          for (const auto& [first, count] :
               {std::pair<std::uint64_t, std::uint64_t>{0, 5000}, {0xffffff00, 1000}, {7, 1}}) {
            const BatchStatistics expected =
                Scorer(world.scans(), convention, {.backend = Backend::cpu, .metrics = metrics})
                    .statistics(walks.batch(first, count));
            const BatchStatistics got = cpu::statistics(
                walks, tables, convention, {.metrics = metrics, .threads = 2, .kernels = kernels},
                first, count);
            EXPECT_EQ(expected, got) << preset << " " << kernels->name << " " << first;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace warpath::testing
