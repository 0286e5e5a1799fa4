// Tests that the device's totals are those of the host's single additions: for values of every
// kind, and for each way to name rows, pairs and lengths.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "host/core/batch/request.hpp"
#include "host/core/cuda/totals.hpp"
#include "kernels/bodies/statistics.hpp"
#include "kernels/metrics/flags.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;
using namespace cuda;
using enum Metric;

// Metrics with a column here: lengths, fractions, and small integers of two units.
constexpr Metric with_column[] = {GP, DTW, nDTW, PC, SR, ED};
constexpr Metric counted[] = {steps, n_query, n_query_raw, n_ref};

struct MadeResults {
  MetricMap<std::vector<float>> column;
  std::vector<std::uint32_t> flags;
  std::vector<std::uint32_t> query_length, query_raw, reference_offsets;  // by pair, or reference
  std::vector<std::uint32_t> pair_of, reference_of;                       // empty: the same number
  std::vector<std::uint8_t> active;                                       // empty: all
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }
  std::mt19937_64& engine() { return random_; }

  // Returns values of a column, some of them of a kind that is rare there.
  float usual(Metric metric) {
    const float fraction = static_cast<float>(below(1u << 24) + 1) * 0x1p-24f;
    if (metric == SR) return static_cast<float>(below(2));
    if (metric == ED) return static_cast<float>(below(20));
    if (metric == GP) return 40.0f * fraction - 20.0f;
    return info(metric).unit == Unit::fraction ? fraction : 100.0f * fraction;
  }
  float unusual() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const float any =
        std::ldexp(static_cast<float>(below(1u << 24)) - 0x1p23f, static_cast<int>(below(70)) - 60);
    const float rare[] = {0.0f,      -0.0f,
                          1.0f,      std::nextafter(1.0f, 2.0f),
                          -1.0f,     0.5f,
                          255.0f,    256.0f,
                          64.0f,     std::nextafter(64.0f, 0.0f),
                          2048.0f,   -2048.0f,
                          0x1p-149f, infinity,
                          -infinity, std::nanf(""),
                          any};
    return rare[below(std::size(rare))];
  }

 private:
  std::mt19937_64 random_;
};

MadeResults make_results(std::uint32_t size, Random& random) {
  MadeResults made;
  made.reference_offsets = {0};
  for (const Metric m : with_column) {
    for (std::uint32_t i = 0; i < size; ++i) {
      made.column[m].push_back(random.below(40) == 0 ? random.unusual() : random.usual(m));
    }
  }
  for (std::uint32_t i = 0; i < size; ++i) {
    made.flags.push_back(random.below(4) == 0 ? random.below(flag_sets) : 0);
    made.query_length.push_back(1 + random.below(random.below(50) == 0 ? 1000 : 30));
    made.query_raw.push_back(random.below(70));
    made.reference_offsets.push_back(made.reference_offsets.back() + 1 + random.below(90));
  }
  return made;
}

// Adds up rows 0 … rows − 1, one value at a time.
BatchStatistics added_singly(const MadeResults& of, std::uint32_t rows, const MetricSet& metrics) {
  BatchStatistics want;
  for (std::uint32_t row = 0; row < rows; ++row) {
    if (!of.active.empty() && of.active[row] == 0) continue;
    ++want.summary.items;
    for (const Metric m : with_column) want.add(m, of.column[m][row]);
    const std::uint32_t flags = of.flags[row] & batch::flags_of(metrics);
    want.summary.count(definitions::status_of(flags), zero_rules_of(flags));
    if (of.flags[row] & (flag_unreachable | flag_invalid)) continue;
    const std::uint32_t pair = of.pair_of.empty() ? row : of.pair_of[row];
    const std::uint32_t r = of.reference_of.empty() ? pair : of.reference_of[pair];
    want.add(n_query, of.query_length[pair]);
    want.add(Metric::steps, of.query_length[pair] - 1.0);
    want.add(n_query_raw, of.query_raw[pair]);
    want.add(n_ref, of.reference_offsets[r + 1] - of.reference_offsets[r]);
  }
  return want;
}

class CudaColumnTotals : public OnEachDevice {
 protected:
  template <class T>
  const T* put(Device& device, const std::vector<T>& values, Stream stream) {
    if (values.empty()) return nullptr;
    HostDeviceArray<T> there(device, values.size());
    std::ranges::copy(values, there.host.data());
    there.upload(device, values.size(), stream);
    device.wait(stream);
    const T* data = there.device.data();
    std::get<std::vector<HostDeviceArray<T>>>(memory_).push_back(std::move(there));
    return data;
  }
  void TearDown() override { memory_ = {}; }  // before the device

  // Adds up on the device. `rows` is known there only if it is less than the number of results.
  BatchStatistics added_up(const MadeResults& of, std::uint32_t rows, bool by_offsets) {
    Device& here = device(run_seed() + rows);
    const auto size = static_cast<std::uint32_t>(of.flags.size());
    MetricSet metrics;
    for (const Metric m : with_column) metrics.insert(m);
    for (const Metric m : counted) metrics.insert(m);
    const UniqueStream stream(here);
    DeviceTotals totals(here, metrics);
    AggregateView view = totals.view();
    view.count = size;
    for (const Metric m : with_column) {
      view.results.column[index_of(m)] = const_cast<float*>(put(here, of.column[m], stream.get()));
    }
    view.results.flags = const_cast<std::uint32_t*>(put(here, of.flags, stream.get()));
    if (rows < size) view.device_count = put(here, std::vector{rows}, stream.get());
    view.active = put(here, of.active, stream.get());
    view.pair_of = put(here, of.pair_of, stream.get());
    view.reference_of = integers(put(here, of.reference_of, stream.get()));
    view.references = {.offsets = integers(put(here, of.reference_offsets, stream.get())),
                       .lengths = {},
                       .pitch = 0,
                       .max_length = ~0u};
    view.queries.max_length = ~0u;
    view.query_raw = put(here, of.query_raw, stream.get());
    if (by_offsets) {
      std::vector<std::uint32_t> offsets(size + 1, 0);
      std::partial_sum(of.query_length.begin(), of.query_length.end(), offsets.begin() + 1);
      view.queries.offsets = integers(put(here, offsets, stream.get()));
    } else {
      view.queries.lengths = integers(put(here, of.query_length, stream.get()));
    }
    here.launch(view, stream.get());
    totals.clear_async(stream.get());
    here.launch(view, stream.get());  // counts once, since the totals are cleared in between
    here.wait(stream.get());
    BatchStatistics got = totals.read();
    memory_ = {};
    return got;
  }

  void expect_same(const MadeResults& of, std::uint32_t rows, bool by_offsets, const char* how) {
    MetricSet metrics;
    for (const Metric m : with_column) metrics.insert(m);
    for (const Metric m : counted) metrics.insert(m);
    const BatchStatistics got = added_up(of, rows, by_offsets),
                          want = added_singly(of, rows, metrics);
    for (const MetricInfo& m : path_metric_table()) {
      EXPECT_EQ(got.summary.of(m.metric), want.summary.of(m.metric)) << how << ": " << m.name;
      EXPECT_EQ(got.histogram(m.metric), want.histogram(m.metric)) << how << ": " << m.name;
    }
    EXPECT_EQ(got, want) << how << ", " << of.flags.size() << " rows, seed " << run_seed();
  }

 private:
  std::tuple<std::vector<HostDeviceArray<float>>, std::vector<HostDeviceArray<std::uint32_t>>,
             std::vector<HostDeviceArray<std::uint8_t>>>
      memory_;
};
WARPATH_ON_EACH_DEVICE(CudaColumnTotals);

constexpr std::uint32_t batch_sizes[] = {1, 31, 32, 33, 255, 256, 257, 3000, 60'000};

TEST_P(CudaColumnTotals, EqualSingleAdditionsByRow) {
  Random random(run_seed() + 300);
  for (const std::uint32_t size : batch_sizes) {
    const MadeResults results = make_results(size, random);
    expect_same(results, size, false, "by row");
    expect_same(results, size, true, "by row, offsets");
  }
}

TEST_P(CudaColumnTotals, EqualSingleAdditionsByPosition) {
  Random random(run_seed() + 301);
  for (const std::uint32_t size : {33u, 3000u}) {
    MadeResults results = make_results(size, random);
    results.pair_of.resize(size);
    std::iota(results.pair_of.begin(), results.pair_of.end(), 0u);
    std::ranges::shuffle(results.pair_of, random.engine());
    for (std::uint32_t i = 0; i < size; ++i) results.reference_of.push_back(random.below(size));
    expect_same(results, size, false, "by position");
  }
}

TEST_P(CudaColumnTotals, LeaveOutRowsThatAreNotActive) {
  Random random(run_seed() + 302);
  for (const std::uint32_t size : {1u, 300u, 5000u}) {
    for (const std::uint32_t one_in : {1u, 2u, 500u}) {  // none active, half, nearly all
      MadeResults results = make_results(size, random);
      for (std::uint32_t i = 0; i < size; ++i) {
        results.active.push_back(static_cast<std::uint8_t>(random.below(one_in) != 0 ? 255 : 0));
      }
      expect_same(results, size, false, "active");
    }
  }
}

TEST_P(CudaColumnTotals, CountOnlyTheRowsThatTheDeviceCounted) {
  Random random(run_seed() + 303);
  const MadeResults results = make_results(5000, random);
  for (const std::uint32_t rows : {0u, 1u, 2047u, 4999u}) {
    expect_same(results, rows, true, "counted on the device");
  }
}

// All slices are full of the largest values that are added up quickly, so that any sum that is too
// small for them overflows.
TEST_P(CudaColumnTotals, HoldFullSlicesOfTheLargestQuickValues) {
  Random random(run_seed() + 304);
  constexpr std::uint32_t size = max_slice;
  MadeResults results = make_results(size, random);
  for (const Metric m : {DTW, GP}) results.column[m].assign(size, std::nextafter(2048.0f, 0.0f));
  for (float& x : results.column[GP]) x = -x;
  for (const Metric m : {nDTW, PC}) results.column[m].assign(size, 1.0f);
  expect_same(results, size, false, "largest");
}

TEST(SlicePlan, CutsEveryColumnIntoSlicesWithoutGapsWhateverTheNumberOfBlocks) {
  float column[1];
  AggregateView view{};
  for (const Metric m : {PL, DTW, n_ref}) view.results.column[index_of(m)] = column;
  for (const std::uint32_t count : {0u, 1u, 2048u, 2049u, 100'000u, 3'000'000u}) {
    for (const std::uint32_t blocks : {1u, 3u, 4u, 100u, 1056u}) {
      view.count = count;
      const SlicePlan plan = plan_slices(view, blocks);
      EXPECT_LE(plan.slices(), max_slices(view));
      std::vector<std::uint32_t> next(pairs_column + 1, 0);
      for (std::uint32_t s = 0; s < plan.slices(); ++s) {
        const ColumnSlice slice = plan[s];
        EXPECT_TRUE(slice.count > 0 && slice.count <= max_slice);
        EXPECT_EQ(slice.first, next[slice.column]);
        next[slice.column] += slice.count;
      }
      for (std::uint32_t c = 0; c <= pairs_column; ++c) {
        const bool is_there = c == pairs_column || view.results.column[c] != nullptr;
        EXPECT_EQ(next[c], is_there ? count : 0) << count << " rows, " << blocks << " blocks";
      }
    }
  }
}

}  // namespace
}  // namespace warpath::testing
