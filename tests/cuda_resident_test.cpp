// Queries that are on the device already: the CPU's bits, with no waiting and no allocation.

#include <gtest/gtest.h>

#include "host/cpu/backend.hpp"
#include "host/cpu/job.hpp"
#include "host/cuda/resident.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

// A batch's queries as an agent's rollouts would lie on the device.
struct Rollouts {
  cuda::Mirror<std::uint32_t> reference, offsets;
  cuda::Mirror<std::uint16_t> nodes;
  std::uint32_t longest = 0;

  Rollouts(cuda::Device& device, const PairBatch& batch, cuda::Stream stream)
      : reference(device, batch.pairs.size()),
        offsets(device, batch.pairs.size() + 1),
        nodes(device, batch.queries.nodes.size()) {
    std::uint32_t at = 0;
    for (std::size_t p = 0; p < batch.pairs.size(); ++p) {
      const auto query = batch.queries[batch.pairs[p].query];
      reference.host[p] = batch.pairs[p].reference;
      offsets.host[p] = at;
      for (const Node n : query) nodes.host[at++] = static_cast<std::uint16_t>(n);
      longest = std::max(longest, static_cast<std::uint32_t>(query.size()));
    }
    offsets.host[batch.pairs.size()] = at;
    reference.upload(device, batch.pairs.size(), stream);
    offsets.upload(device, batch.pairs.size() + 1, stream);
    nodes.upload(device, at, stream);
  }

  cuda::DeviceQueries view() const {
    return {static_cast<std::uint32_t>(reference.host.size()),
            longest,
            reference.device.data(),
            nodes.device.data(),
            offsets.device.data(),
            nullptr};
  }
};

std::vector<std::uint32_t> scans_of(const PairBatch& batch) {
  std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
  for (const Pair& pair : batch.pairs) scan_of[pair.reference] = pair.scan;
  return scan_of;
}

class CudaResident : public OnEachDevice {
 protected:
  void expect_cpus_bits(const PairBatch& batch, const MetricSet& metrics);
};
WARPATH_ON_EACH_DEVICE(CudaResident);

void CudaResident::expect_cpus_bits(const PairBatch& batch, const MetricSet& metrics) {
  const cpu::Tables tables(batch.scans, {});
  const Scores want = cpu::score(batch, {}, {.metrics = metrics});
  cuda::Device& here = device(run_seed());
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  const cuda::Resident resident(here, batch.references, scans_of(batch), tables, {}, metrics,
                                count);
  const cuda::OwnedStream stream(here);
  const Rollouts rollouts(here, batch, stream.get());
  const cuda::DeviceArray<char> workspace(here, resident.workspace_bytes(count, rollouts.longest));
  cuda::Mirror<float> dtw(here, count), spl(here, count);
  cuda::Mirror<std::uint32_t> flags(here, count);
  kernels::ResultView results{{}, flags.device.data()};
  results.column[static_cast<int>(nDTW)] = dtw.device.data();
  results.column[static_cast<int>(SPL)] = spl.device.data();
  const int calls = fake() != nullptr ? fake()->calls() : 0;
  resident.score_async(rollouts.view(), results, workspace.data(), stream.get());
  if (fake() != nullptr) {
    EXPECT_EQ(fake()->calls(), calls + 2) << "places, scores, and no more";
  }
  dtw.download(here, count, stream.get());
  spl.download(here, count, stream.get());
  flags.download(here, count, stream.get());
  here.wait(stream.get());
  for (std::uint32_t row = 0; row < count; ++row) {
    EXPECT_TRUE(same_bits(double{dtw.host[row]}, want.at(nDTW, row))) << row;
    EXPECT_TRUE(same_bits(double{spl.host[row]}, want.at(SPL, row))) << row;
    EXPECT_EQ(cpu::status_of(flags.host[row] & cpu::flags_of(metrics)), want.status[row]) << row;
  }
}

MetricSet ndtw_and_spl() {
  MetricSet metrics;
  metrics.set(static_cast<std::size_t>(nDTW)).set(static_cast<std::size_t>(SPL));
  return metrics;
}

TEST_P(CudaResident, ShortReferencesByFourLanes) {
  RandomBatch made(run_seed() + 300);
  made.add_pairs(500, 16, 30);
  expect_cpus_bits(made.batch(), ndtw_and_spl());
}

TEST_P(CudaResident, LongReferencesInStrips) {
  RandomBatch made(run_seed() + 301);
  made.add_pairs(60, 300, 90);
  expect_cpus_bits(made.batch(), ndtw_and_spl());
}

TEST(FakeCudaResident, SaysWhatItCannotDo) {
  RandomBatch made(run_seed() + 302);
  made.add_pairs(3, 5, 5);
  const PairBatch& batch = made.batch();
  FakeDevice device(run_seed());
  Convention by_edge;
  by_edge.cls_step = ClsStep::edge;
  const auto resident = [&](const Convention& convention, std::uint32_t most) {
    return cuda::Resident(device, batch.references, scans_of(batch),
                          cpu::Tables(batch.scans, convention), convention, ndtw_and_spl(), most);
  };
  EXPECT_THROW(resident(by_edge, 3), InputError);
  const cuda::Resident two = resident({}, 2);
  EXPECT_THROW(two.score_async({3, 5, nullptr, nullptr, nullptr, nullptr}, {}, nullptr, nullptr),
               InputError);
}

}  // namespace
}  // namespace warpath::testing
