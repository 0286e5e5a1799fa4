// Tests queries that are already on the device: the CPU's bits, without waiting or allocating.

#include <gtest/gtest.h>

#include "host/batch/request.hpp"
#include "host/cpu/backend.hpp"
#include "host/cuda/resident_scorer.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using enum Metric;

// Holds a batch's queries on the device, as an agent's rollouts.
struct DeviceRollouts {
  cuda::HostDeviceArray<std::uint32_t> reference, offsets;
  cuda::HostDeviceArray<std::uint16_t> nodes;
  std::uint32_t longest = 0;

  DeviceRollouts(cuda::Device& device, const PairBatch& batch, cuda::Stream stream)
      : reference(device, batch.pairs.size()),
        offsets(device, batch.pairs.size() + 1),
        nodes(device, batch.queries.elements.size()) {
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

  Rollouts view() const {
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

class CudaResidentScorer : public OnEachDevice {
 protected:
  void expect_cpus_bits(const PairBatch& batch, const MetricSet& metrics);
};
WARPATH_ON_EACH_DEVICE(CudaResidentScorer);

void CudaResidentScorer::expect_cpus_bits(const PairBatch& batch, const MetricSet& metrics) {
  const batch::DistanceTables tables(batch.scans, {});
  const Scores want = cpu::score(batch, {}, {.metrics = metrics});
  cuda::Device& here = device(run_seed());
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  const cuda::ResidentScorer resident(here, batch.references, scans_of(batch), tables, {}, metrics,
                                      count);
  const cuda::UniqueStream stream(here);
  const DeviceRollouts rollouts(here, batch, stream.get());
  const cuda::DeviceArray<char> workspace(here, resident.workspace_bytes(count, rollouts.longest));
  cuda::HostDeviceArray<float> dtw(here, count), spl(here, count);
  cuda::HostDeviceArray<std::uint32_t> flags(here, count);
  RolloutScores results;
  results.flags = flags.device.data();
  results.column[nDTW] = dtw.device.data();
  results.column[SPL] = spl.device.data();
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
    EXPECT_EQ(status_of(flags.host[row] & batch::flags_of(metrics)), want.status[row]) << row;
  }
}

MetricSet ndtw_and_spl() {
  MetricSet metrics;
  metrics.insert(nDTW).insert(SPL);
  return metrics;
}

TEST_P(CudaResidentScorer, EqualsTheCpuForShortReferences) {
  RandomBatch made(run_seed() + 300);
  made.add_pairs(500, 16, 30);
  expect_cpus_bits(made.batch(), ndtw_and_spl());
}

TEST_P(CudaResidentScorer, EqualsTheCpuForLongReferences) {
  RandomBatch made(run_seed() + 301);
  made.add_pairs(60, 300, 90);
  expect_cpus_bits(made.batch(), ndtw_and_spl());
}

TEST(FakeCudaResidentScorer, RefusesWhatItCannotScore) {
  RandomBatch made(run_seed() + 302);
  made.add_pairs(3, 5, 5);
  const PairBatch& batch = made.batch();
  FakeDevice device(run_seed());
  Convention by_edge;
  by_edge.cls_step = ClsStep::edge;
  const auto resident = [&](const Convention& convention, std::uint32_t most) {
    return cuda::ResidentScorer(device, batch.references, scans_of(batch),
                                batch::DistanceTables(batch.scans, convention), convention,
                                ndtw_and_spl(), most);
  };
  EXPECT_THROW(resident(by_edge, 3), InputError);
  const cuda::ResidentScorer two = resident({}, 2);
  EXPECT_THROW(two.score_async({3, 5, nullptr, nullptr, nullptr, nullptr}, {}, nullptr, nullptr),
               InputError);
}

// ---------------------------------------------------------------- the public scorer

std::string error_of(const PairBatch& batch, const std::vector<std::uint32_t>& scan_of) {
  try {
    const RolloutScorer scorer(batch.scans, batch.references, scan_of, {}, ndtw_and_spl(), 10);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(CudaRollouts, NamesWhatCannotBeScored) {
  RandomBatch made(run_seed() + 303, 2);
  made.add_pairs(3, 5, 5);
  const PairBatch& good = made.batch();
  const std::vector<std::uint32_t> scans = scans_of(good);
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(error_of(good, {0}), "has 1 values for 3 references");
  expect(error_of(good, {scans[0], 2, scans[2]}), "reference 1: is in scan 2 of 2");
  PairBatch bad = good;
  bad.references.end_path();
  expect(error_of(bad, {scans[0], scans[1], scans[2], 0}), "reference 3: has no viewpoint");
  bad = good;
  bad.references.elements[0] = 50'000;
  expect(error_of(bad, scans), "reference 0: names viewpoint 50000 of");
}

TEST(CudaRollouts, GivesReasonAndRemedyWithoutADevice) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device != nullptr) GTEST_SKIP() << "there is a device";
  RandomBatch made(run_seed() + 304);
  made.add_pairs(3, 5, 5);
  EXPECT_NE(error_of(made.batch(), scans_of(made.batch())).find(found.reason), std::string::npos);
}

TEST(CudaRollouts, HaveTheBitsOfTheCpu) {
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device == nullptr) GTEST_SKIP() << found.reason;
  RandomBatch made(run_seed() + 305);
  made.add_pairs(300, 40, 30);
  const PairBatch& batch = made.batch();
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  const Scores want = cpu::score(batch, {}, {.metrics = ndtw_and_spl()});
  RolloutScorer scorer(batch.scans, batch.references, scans_of(batch), {}, ndtw_and_spl(), count);
  const cuda::UniqueStream stream(*found.device);
  const DeviceRollouts rollouts(*found.device, batch, stream.get());
  const cuda::DeviceArray<char> workspace(*found.device,
                                          scorer.workspace_bytes(count, rollouts.longest));
  cuda::HostDeviceArray<float> ndtw(*found.device, count);
  cuda::HostDeviceArray<std::uint32_t> flags(*found.device, count);
  RolloutScores scores;
  scores.column[nDTW] = ndtw.device.data();
  scores.flags = flags.device.data();
  scorer.score_async(rollouts.view(), scores, workspace.data(), stream.get());
  ndtw.download(*found.device, count, stream.get());
  flags.download(*found.device, count, stream.get());
  found.device->wait(stream.get());
  for (std::uint32_t row = 0; row < count; ++row) {
    EXPECT_TRUE(same_bits(double{ndtw.host[row]}, want.at(nDTW, row))) << row;
    EXPECT_EQ(scorer.status(flags.host[row]), want.status[row]) << row;
    EXPECT_EQ(scorer.zero_rules(flags.host[row]), want.zero_rules[row]) << row;
  }
}

}  // namespace
}  // namespace warpath::testing
