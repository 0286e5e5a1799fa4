// Tests continuous paths that lie on the device: the CPU's bits for the same coordinates, from rows
// and from paths one after the other.

#include <gtest/gtest.h>

#include <algorithm>

#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cuda/resident_scorer.hpp"
#include "host/core/cuda/totals.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

// Coordinates on the device are floats.
void round_to_floats(PointSet& paths) {
  for (auto& point : paths.elements) {
    for (double& x : point) x = static_cast<float>(x);
  }
}

PointBatch random_points(std::uint64_t seed, std::size_t count, std::size_t n, std::size_t m) {
  RandomPoints made(seed);
  made.add_pairs(count, n, m);
  round_to_floats(made.batch().references);
  round_to_floats(made.batch().queries);
  return made.batch();
}

std::uint32_t longest_of(const PointSet& paths) {
  std::size_t longest = 0;
  for (std::size_t p = 0; p < paths.size(); ++p) longest = std::max(longest, paths.size_of(p));
  return static_cast<std::uint32_t>(longest);
}

/// Holds paths on the device, in rows or one after the other. Coordinates between rows are NaN.
class PathsOnDevice {
 public:
  PathsOnDevice(cuda::Device& device, const PointSet& paths, bool in_rows, cuda::Stream stream)
      : in_rows_(in_rows), longest_(longest_of(paths)) {
    const std::size_t pitch = longest_ + 2;
    const std::size_t points = in_rows ? paths.size() * pitch : paths.elements.size();
    points_ = {device, 3 * points};
    numbers_ = {device, paths.size() + 1};
    std::fill_n(points_.host.data(), 3 * points, std::nanf(""));
    for (std::size_t p = 0; p < paths.size(); ++p) {
      const std::size_t begin = in_rows ? p * pitch : paths.offsets[p];
      numbers_.host[p] = static_cast<std::int64_t>(in_rows ? paths.size_of(p) : paths.offsets[p]);
      for (std::size_t k = 0; k < paths.size_of(p); ++k) {
        std::ranges::transform(paths[p][k], points_.host.data() + 3 * (begin + k),
                               [](double x) { return static_cast<float>(x); });
      }
    }
    numbers_.host[paths.size()] = static_cast<std::int64_t>(paths.elements.size());
    points_.upload(device, 3 * points, stream);
    numbers_.upload(device, paths.size() + 1, stream);
  }

  PathsView view() const {
    Layout layout{.pitch = longest_ + 2, .max_length = longest_};
    (in_rows_ ? layout.lengths : layout.offsets) = numbers_.device.data();
    return {points_.device.data(), layout};
  }

 private:
  bool in_rows_;
  std::uint32_t longest_;
  cuda::HostDeviceArray<float> points_;
  cuda::HostDeviceArray<std::int64_t> numbers_;
};

bool is_active(std::size_t row) {
  return row % 5 != 3;
}

/// Holds a batch of pairs on the device.
struct BatchOnDevice {
  PathsOnDevice references, queries;
  cuda::HostDeviceArray<std::int32_t> reference_of;
  cuda::HostDeviceArray<std::uint8_t> active;

  BatchOnDevice(cuda::Device& device, const PointBatch& batch, bool in_rows, cuda::Stream stream)
      : references(device, batch.references, in_rows, stream),
        queries(device, batch.queries, in_rows, stream),
        reference_of(device, batch.pairs.size()),
        active(device, batch.pairs.size()) {
    for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
      EXPECT_EQ(batch.pairs[k].query, k) << "query k is that of pair k";
      reference_of.host[k] = static_cast<std::int32_t>(batch.pairs[k].reference);
      active.host[k] = is_active(k);
    }
    reference_of.upload(device, batch.pairs.size(), stream);
    active.upload(device, batch.pairs.size(), stream);
  }

  Batch view() const {
    return {.count = static_cast<std::uint32_t>(reference_of.host.size()),
            .queries = queries.view(),
            .references = references.view(),
            .reference = reference_of.device.data(),
            .active = active.device.data()};
  }
};

class CudaResidentPoints : public OnEachDevice {
 protected:
  cuda::ResidentScorer& scorer(cuda::Device& here, const Convention& convention,
                               const MetricSet& metrics) {
    const batch::DistanceTables none({}, convention);
    return scorer_.emplace(here, PathSet(), std::span<const std::uint32_t>(), none, convention,
                           ReferenceScorerOptions{.metrics = metrics});
  }
  void TearDown() override { scorer_.reset(); }
  cuda::Device& fresh_device() {
    scorer_.reset();  // before its device
    return device(run_seed());
  }
  void expect_cpus_bits(const PointBatch& batch, const Convention& convention,
                        const MetricSet& metrics, bool in_rows);

 private:
  std::optional<cuda::ResidentScorer> scorer_;
};
WARPATH_ON_EACH_DEVICE(CudaResidentPoints);

void CudaResidentPoints::expect_cpus_bits(const PointBatch& batch, const Convention& convention,
                                          const MetricSet& metrics, bool in_rows) {
  const Scores want = score(batch, convention, Backend::cpu, metrics);
  cuda::Device& here = fresh_device();
  const cuda::ResidentScorer& resident = scorer(here, convention, metrics);
  const cuda::UniqueStream stream(here);
  const BatchOnDevice there(here, batch, in_rows, stream.get());
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  const cuda::DeviceArray<char> workspace(here, resident.workspace_bytes(there.view()));
  const std::vector<Metric> columns = batch::kernel_metrics(metrics);
  cuda::HostDeviceArray<float> results(here, columns.size() * count);
  cuda::HostDeviceArray<std::uint32_t> flags(here, count);
  here.fill(flags.device.data(), 0xee, count * sizeof(std::uint32_t), stream.get());
  ScoreArrays scores;
  scores.flags = flags.device.data();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    scores.column[columns[c]] = results.device.data() + c * count;
  }
  resident.score(there.view(), scores, workspace.data(), stream.get());
  results.download(here, columns.size() * count, stream.get());
  flags.download(here, count, stream.get());
  here.wait(stream.get());
  for (std::uint32_t row = 0; row < count; ++row) {
    if (!is_active(row)) {
      EXPECT_EQ(flags.host[row], 0xeeeeeeee) << row << " is left as it was";
      continue;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      ASSERT_TRUE(same_bits(double{results.host[c * count + row]}, want.at(columns[c], row)))
          << info(columns[c]).name << " of " << row << (in_rows ? ", rows" : ", in turn");
    }
    EXPECT_EQ(definitions::status_of(flags.host[row] & batch::flags_of(metrics)), want.status[row])
        << row;
  }
}

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
  const PointBatch batch = random_points(run_seed() + 322, 100, 30, 30);
  PointBatch active = batch;
  std::erase_if(active.pairs, [](const PointPair& pair) { return !is_active(pair.query); });
  const BatchStatistics want = statistics(active, {}, Backend::cpu);
  cuda::Device& here = fresh_device();
  const cuda::ResidentScorer& resident = scorer(here, {}, MetricSet::of_paths());
  const cuda::UniqueStream stream(here);
  const BatchOnDevice there(here, batch, true, stream.get());
  const cuda::DeviceArray<char> workspace(here, resident.workspace_bytes(there.view()));
  cuda::DeviceTotals totals(here, MetricSet::of_paths());
  resident.add_to_statistics(there.view(), totals.view(), workspace.data(), stream.get());
  here.wait(stream.get());
  const BatchStatistics got = totals.read();
  for (const Metric m : MetricSet::of_paths()) {
    EXPECT_EQ(got.summary.of(m), want.summary.of(m)) << info(m).name;
    EXPECT_EQ(got.histogram(m), want.histogram(m)) << info(m).name;
  }
  EXPECT_EQ(got.summary.statuses, want.summary.statuses);
}

}  // namespace
}  // namespace warpath::testing
