// Tests what ReferenceScorer says of input that it cannot score: fields that cannot be right, pairs
// that break a promise, references that do not exist.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "host/checks/device_arrays.hpp"
#include "host/checks/pairs.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/reference_scorer.hpp"

namespace warpath::testing {
namespace {

using checks::IntegersOnDevice;
using enum Metric;

class CudaDeviceInput : public ::testing::Test {
 protected:
  void SetUp() override {
    const cuda::FoundDevice found = cuda::find_device();
    if (found.device == nullptr) GTEST_SKIP() << found.reason;
    device_ = found.device;
    stream_.emplace(*device_);
    made_.add_pairs(20, 9, 9);
  }
  const PairBatch& batch() const { return made_.batch(); }
  ReferenceScorer scorer(const ReferenceScorerOptions& options,
                         const Convention& convention = {}) const {
    return {batch().scans, batch().references, checks::scans_of(batch()), convention, options};
  }
  IntegersOnDevice numbers(const std::vector<std::int64_t>& values, std::uint8_t width = 4) {
    return {*device_, values, width};
  }
  cuda::Stream stream() const { return stream_->get(); }
  cuda::Device& device() const { return *device_; }

  /// Expects a call to throw an InputError that contains `part`.
  static void expect_error(const std::string& part, const std::function<void()>& call) {
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, error_of_call(call));
  }

 private:
  cuda::Device* device_ = nullptr;
  std::optional<cuda::UniqueStream> stream_;
  RandomBatch made_{run_seed() + 330, 1};
};

const ReferenceScorerOptions ndtw_only{.metrics = MetricSet().insert(nDTW), .place = Place::gpu()};

TEST_F(CudaDeviceInput, NamesFieldsThatCannotBeRight) {
  const ReferenceScorer scorer = this->scorer(ndtw_only);
  const IntegersOnDevice nodes = numbers({0, 0, 0, 0, 0, 0, 0, 0}), lengths = numbers({2, 1}),
                         references = numbers({0, 1});
  const Batch good{.count = 2,
                   .queries = {nodes, {.lengths = lengths, .pitch = 4, .max_length = 3}},
                   .reference = references};
  const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(good));
  const auto expect = [&](const std::string& part, const std::function<void(Batch&)>& spoil) {
    Batch bad = good;
    spoil(bad);
    const auto score = [&] {
      scorer.score(bad, {}, {.workspace = workspace.data(), .stream = stream()});
    };
    const auto check = [&] {
      scorer.score(bad, {}, {.workspace = workspace.data(), .stream = stream(), .check = true});
    };
    expect_error(part, score);
    expect_error(part, check);
    expect_error(part, [&] {
      scorer.add_to_statistics(bad, nullptr, {.workspace = workspace.data(), .stream = stream()});
    });
  };
  scorer.score(good, {}, {.workspace = workspace.data(), .stream = stream(), .check = true});
  expect("queries.layout: has a max_length of 0", [](auto& b) { b.queries.layout.max_length = 0; });
  expect("rows of 4 elements and a max_length of 5",
         [](auto& b) { b.queries.layout.max_length = 5; });
  expect("neither offsets nor lengths", [](auto& b) { b.queries.layout.lengths = nullptr; });
  expect("reference: has integers of 3 bytes", [&](auto& b) {
    b.reference = {lengths.bytes(), 3};
  });
  expect("queries.viewpoints: is not aligned", [&](auto& b) {
    b.queries.viewpoints = {nodes.bytes() + 2, 4};
  });
  expect("count: is 2147483647", [](auto& b) { b.count = 0x7fffffff; });
}

TEST_F(CudaDeviceInput, RefusesColumnsThatNoKernelWrites) {
  const ReferenceScorer scorer =
      this->scorer({.metrics = MetricSet().insert(nDTW).insert(steps), .place = Place::gpu()});
  const IntegersOnDevice nodes = numbers({0}), lengths = numbers({1}), reference = numbers({0});
  const Batch pair{.count = 1,
                   .queries = {nodes, {.lengths = lengths, .pitch = 1, .max_length = 1}},
                   .reference = reference};
  const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(pair));
  const cuda::DeviceArray<float> column(device(), 1);
  for (const auto& [metric, part] : {std::pair{SPL, "column[SPL]: is given, and the scorer does"},
                                     std::pair{steps, "column[steps]: is given, and no kernel"}}) {
    ScoreArrays scores;
    scores.column[metric] = column.data();
    expect_error(part, [&] {
      scorer.score(pair, scores, {.workspace = workspace.data(), .stream = stream()});
    });
  }
}

TEST_F(CudaDeviceInput, RefusesPointsThatSinglePrecisionCannotDecide) {
  Convention convention;
  convention.threshold = 1e-7;
  const ReferenceScorer scorer = this->scorer(ndtw_only, convention);
  const IntegersOnDevice lengths = numbers({1});
  const cuda::DeviceArray<float> points(device(), 3);
  const PathsView paths{points.data(), {.lengths = lengths, .pitch = 1, .max_length = 1}};
  const Batch pair{.count = 1, .queries = paths, .references = paths};
  const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(pair));
  const std::string part = "does not reach a threshold of 1e-07 m between points";
  expect_error(
      part, [&] { scorer.score(pair, {}, {.workspace = workspace.data(), .stream = stream()}); });
  expect_error(part, [&] {
    scorer.score(pair, {}, {.workspace = workspace.data(), .stream = stream(), .check = true});
  });
  expect_error(part, [&] {
    scorer.add_to_statistics(pair, nullptr, {.workspace = workspace.data(), .stream = stream()});
  });
  Batch many = pair;
  many.count = 0x7ffffffe;
  many.queries.layout.max_length = 3;
  expect_error("makes room for 8589934584 points", [&] { scorer.workspace_bytes(many); });
}

TEST_F(CudaDeviceInput, NamesThePairOfPointsThatCannotBeScored) {
  const ReferenceScorer scorer = this->scorer(ndtw_only);
  const checks::FloatsOnDevice points(device(), std::vector<float>(3 * 8, 0.0f));
  const auto expect = [&](const std::string& part, const std::vector<std::int64_t>& lengths,
                          const std::vector<std::int64_t>& reference) {
    const IntegersOnDevice query = numbers(lengths), references = numbers({2, 0, 1}),
                           of = numbers(reference);
    const Batch batch{
        .count = 2,
        .queries = {points.data(), {.lengths = query, .pitch = 4, .max_length = 3}},
        .references = {points.data(), {.lengths = references, .pitch = 2, .max_length = 2}},
        .reference = of,
        .reference_count = 3};
    const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(batch));
    if (part.empty())
      return scorer.score(batch, {},
                          {.workspace = workspace.data(), .stream = stream(), .check = true});
    expect_error(part, [&] {
      scorer.score(batch, {}, {.workspace = workspace.data(), .stream = stream(), .check = true});
    });
  };
  expect("", {3, 1}, {0, 2});
  expect("pair 1: has a query of length 0", {3, 0}, {0, 2});
  expect("pair 0: has a query of length 4", {4, 1}, {0, 2});
  expect("pair 0: has a query of length -2", {-2, 1}, {0, 2});
  expect("pair 1: names reference 3 of 3", {3, 1}, {0, 3});
  expect("pair 1: names reference 1, which is empty", {3, 1}, {0, 1});
}

TEST_F(CudaDeviceInput, StoresReferencesThatDoNotExistAsEmptyOnes) {
  ReferenceScorerOptions options = ndtw_only;
  options.max_references = 5;
  options.max_reference_length = 3;
  ReferenceScorer scorer(batch().scans, PathSet(), {}, {}, options);
  const std::int64_t end = static_cast<std::int64_t>(batch().scans[0]->size());
  const IntegersOnDevice viewpoints = numbers({0, 0, 0, 0, end, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0}, 8),
                         lengths = numbers({3, 3, 3, 3, -1}), scan = numbers({0, 0, 0, 1, 0}, 8);
  scorer.write_references(0, 5, {viewpoints, {.lengths = lengths, .pitch = 3, .max_length = 3}},
                          scan, stream());
  const IntegersOnDevice nodes = numbers({0, 0, 0, 0, 0}), one = numbers({1, 1, 1, 1, 1});
  Batch pairs{.count = 5, .queries = {nodes, {.lengths = one, .pitch = 1, .max_length = 1}}};
  const cuda::DeviceArray<char> workspace(device(), scorer.workspace_bytes(pairs));
  cuda::HostDeviceArray<float> ndtw(device(), 5);
  ScoreArrays scores;
  scores.column[nDTW] = ndtw.device.data();
  scorer.score(pairs, scores, {.workspace = workspace.data(), .stream = stream()});
  ndtw.download(device(), 5, stream());
  device().wait(stream());
  EXPECT_EQ(ndtw.host[0], 1.0f);
  for (int k = 1; k < 5; ++k) EXPECT_TRUE(std::isnan(ndtw.host[k])) << k;
  expect_error("pair 1: names reference 1, which is empty", [&] {
    scorer.score(pairs, {}, {.workspace = workspace.data(), .stream = stream(), .check = true});
  });
  EXPECT_THROW(scorer.write_references(4, 2, {}, scan, stream()), InputError);
  expect_error("rows of 2 elements", [&] {
    scorer.write_references(0, 1, {viewpoints, {.lengths = lengths, .pitch = 2, .max_length = 3}},
                            scan, stream());
  });
}

}  // namespace
}  // namespace warpath::testing
