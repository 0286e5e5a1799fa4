// Tests continuous paths that lie on the device: the CPU's bits for the same coordinates, from rows
// and from paths one after the other.

#include <gtest/gtest.h>

#include <string>

#include "host/checks/point_pairs.hpp"
#include "host/checks/resident_runs.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"

namespace warpath::testing {
namespace {

PointBatch random_points(std::uint64_t seed, std::size_t count, std::size_t n, std::size_t m) {
  RandomPoints made(seed);
  made.add_pairs(count, n, m);
  checks::round_to_floats(made.batch());
  return made.batch();
}

class CudaResidentPoints : public OnEachDevice {
 protected:
  // Of the active pairs: values and statuses, and the statistics.
  void expect_cpus_bits(const PointBatch& batch, const Convention& convention,
                        const MetricSet& metrics, bool in_rows) {
    const checks::Rows rows = checks::choose_rows(batch.pairs.size(), batch.pairs.size());
    const checks::Request request{metrics, convention};
    cuda::Device& here = device(run_seed());
    const checks::InternalScorer scorer(here, checks::ScorerInputs(PairBatch(), 0, request));
    const auto found =
        checks::compare_with_cpu(here, scorer, batch, rows, request, {4, 8, in_rows});
    const std::string how = in_rows ? "rows" : "in turn";
    EXPECT_GT(found.scores.cases, 0u) << "no row is scored";
    EXPECT_EQ(found.scores.count, 0u) << how;
    EXPECT_EQ(found.left_out.count, 0u) << how << ": rows that are left out";
    EXPECT_EQ(found.totals.count, 0u) << how << ": statistics";
  }
};
WARPATH_ON_EACH_DEVICE(CudaResidentPoints);

TEST_P(CudaResidentPoints, EqualTheCpu) {
  Convention flat;
  flat.distance = Distance::euclid_2d;
  flat.edit_unit = EditUnit::viewpoints;
  const PointBatch batch = random_points(run_seed() + 320, 60, 40, 60);
  for (const Convention& convention : {Convention(), flat}) {
    for (const bool in_rows : {true, false}) {
      expect_cpus_bits(batch, convention, MetricSet::of_paths(), in_rows);
    }
  }
}

TEST_P(CudaResidentPoints, EqualTheCpuInEveryShapeAndSet) {
  const PointBatch batch = random_points(run_seed() + 321, 8, 400, 90);
  for (const MetricSet& metrics :
       {MetricSet().insert(Metric::NE), MetricSet().insert(Metric::nDTW),
        MetricSet().insert(Metric::CLS), MetricSet().insert(Metric::ED)}) {
    expect_cpus_bits(batch, {}, metrics, true);
  }
}

TEST_P(CudaResidentPoints, AddUpTheActivePairs) {
  expect_cpus_bits(random_points(run_seed() + 322, 100, 30, 30), {}, MetricSet::of_paths(), true);
}

}  // namespace
}  // namespace warpath::testing
