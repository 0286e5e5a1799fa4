// Tests the device behind the CUDA back end: without one a reason, with one the same bits as the
// bodies of kernels/bodies/ and the standard library compute on the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "host/core/cuda/arrays.hpp"
#include "tests/support/fake_kernels.hpp"
#include "tests/support/packed_case.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;
using namespace cuda;

constexpr std::uint32_t sizes[] = {0, 1, 31, 32, 33, 1000, 100'000};

template <class T>
void expect_same_bytes(const std::vector<T>& is, const std::vector<T>& wanted) {
  ASSERT_EQ(is.size(), wanted.size());
  for (std::size_t i = 0; i < is.size(); ++i) {
    ASSERT_EQ(std::memcmp(&is[i], &wanted[i], sizeof(T)), 0) << "element " << i;
  }
}

TEST(CudaErrorMessage, NamesCallCodePlaceAndRemedy) {
  const CudaError error({"cudaMalloc of 64 bytes", 2, "cudaErrorMemoryAllocation", "out of memory",
                         "/somewhere/host/core/cuda/real_device.cpp", 12},
                        "allow less memory");
  EXPECT_STREQ(error.what(),
               "cudaMalloc of 64 bytes failed: cudaErrorMemoryAllocation, out of memory "
               "(real_device.cpp:12); allow less memory");
  EXPECT_EQ(error.code(), 2);
  EXPECT_STREQ(CudaError({"call", 1, "name", "text"}, "").what(), "call failed: name, text");
}

TEST(FindDevice, GivesReasonAndRemedyWithoutADeviceAndPrintsNothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const FoundDevice found = find_device(), again = find_device();
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(found.reason, again.reason);
  EXPECT_EQ(found.device == nullptr, !found.reason.empty());
  if (found.device != nullptr) GTEST_SKIP() << "there is a device: " << found.device->name();
  const auto problem = found.reason.find(": ");
  ASSERT_NE(problem, std::string::npos) << found.reason;
  const std::string remedy = found.reason.substr(problem);
  const auto is_said = [&](const char* word) { return remedy.find(word) != std::string::npos; };
  EXPECT_TRUE(std::ranges::any_of(
      std::initializer_list<const char*>{"install", "update", "build", "configure", "nvidia-smi"},
      is_said))
      << found.reason;
}

class CudaDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    found_ = find_device();
    if (found_.device == nullptr) GTEST_SKIP() << found_.reason;
    stream_.emplace(device());
  }

  Device& device() { return *found_.device; }
  Stream stream() { return stream_->get(); }
  std::mt19937_64& random() { return random_; }
  std::uint32_t below(std::uint32_t end) {
    return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_);
  }

  template <class T>
  HostDeviceArray<T> put(const std::vector<T>& values) {
    HostDeviceArray<T> there(device(), values.size());
    std::ranges::copy(values, there.host.data());
    there.upload(device(), values.size(), stream());
    return there;
  }
  /// Makes an array whose bytes are all 0xee.
  template <class T>
  HostDeviceArray<T> room(std::size_t size) {
    HostDeviceArray<T> there(device(), size);
    device().fill(there.device.data(), 0xee, size * sizeof(T), stream());
    return there;
  }
  template <class T>
  std::vector<T> get(HostDeviceArray<T>& there) {
    there.download(device(), there.host.size(), stream());
    device().wait(stream());
    return {there.host.data(), there.host.data() + there.host.size()};
  }
  DeviceArray<std::uint8_t> scratch(std::uint32_t count) {
    return {device(), device().scratch_bytes(count)};
  }

 private:
  FoundDevice found_;
  std::optional<UniqueStream> stream_;
  std::mt19937_64 random_{run_seed() + 40};
};

Scratch all_of(const DeviceArray<std::uint8_t>& memory) {
  return {memory.data(), memory.size()};
}

TEST_F(CudaDevice, DescribesItself) {
  EXPECT_NE(device().name().find("compute capability"), std::string::npos) << device().name();
  EXPECT_GT(device().free_memory(), 0u);
  EXPECT_GE(device().shared_floats(), 48u * 1024 / sizeof(float));
}

TEST_F(CudaDevice, CopiesAndFills) {
  for (const std::uint32_t size : sizes) {
    std::vector<std::uint32_t> values(size);
    for (auto& v : values) v = static_cast<std::uint32_t>(random()());
    HostDeviceArray<std::uint32_t> there = put(values);
    device().wait(stream());
    std::ranges::fill(there.host.data(), there.host.data() + size, 0u);
    EXPECT_EQ(get(there), values);
    device().fill(there.device.data(), 0x5a, size * sizeof(std::uint32_t), stream());
    EXPECT_EQ(get(there), std::vector<std::uint32_t>(size, 0x5a5a5a5a));
  }
}

TEST_F(CudaDevice, NeedsMoreScratchForMoreElements) {
  std::size_t before = 1;
  for (const std::uint32_t size : sizes) {
    const std::size_t bytes = device().scratch_bytes(size);
    EXPECT_GE(bytes, before) << size;
    before = bytes;
  }
  EXPECT_THROW(device().scratch_bytes(0x7fffffff), CudaError);
}

TEST_F(CudaDevice, SortsByTheLowestBitsAndIsStable) {
  const auto memory = scratch(100'000);
  for (const std::uint32_t size : sizes) {
    for (const int bits : {9, 26, 43}) {
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      std::vector<std::uint64_t> key(size), sorted_key(size);
      std::vector<std::uint32_t> pair(size), order(size);
      // Some keys are frequent, which shows whether equal ones keep their order.
      for (auto& k : key) k = below(2) ? random()() : random()() << 60 | below(5) << 3;
      std::iota(order.begin(), order.end(), 0u);
      for (std::uint32_t i = 0; i < size; ++i) pair[i] = size - i;
      std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key[i] & mask; });
      auto keys = put(key), sorted_keys = room<std::uint64_t>(size);
      auto pairs = put(pair), sorted_pairs = room<std::uint32_t>(size);
      device().launch(SortPairs{.view = {.key = keys.device.data(),
                                         .sorted_key = sorted_keys.device.data(),
                                         .pair = pairs.device.data(),
                                         .sorted_pair = sorted_pairs.device.data(),
                                         .count = size,
                                         .bits = bits},
                                .scratch = all_of(memory)},
                      stream());
      for (std::uint32_t i = 0; i < size; ++i) {
        sorted_key[i] = key[order[i]];
        pair[i] = size - order[i];
      }
      EXPECT_EQ(get(sorted_keys), sorted_key) << size << " keys, " << bits << " bits";
      EXPECT_EQ(get(sorted_pairs), pair) << size << " keys, " << bits << " bits";
      EXPECT_EQ(get(keys), key);
    }
  }
}

struct Runs {
  std::vector<std::uint64_t> key;
  std::vector<std::uint32_t> length;
};
Runs runs_of(const std::vector<std::uint64_t>& sorted, int m_bits) {
  Runs runs;
  for (const std::uint64_t key : sorted) {
    if (runs.key.empty() || runs.key.back() != key >> m_bits) {
      runs.key.push_back(key >> m_bits);
      runs.length.push_back(0);
    }
    ++runs.length.back();
  }
  return runs;
}

TEST_F(CudaDevice, FindsRuns) {
  const auto memory = scratch(100'000);
  for (const std::uint32_t size : sizes) {
    for (const std::uint64_t keys : {1u, 300u, 1u << 31}) {
      for (const int m_bits : {0, 5, 10}) {
        std::vector<std::uint64_t> key(size);
        for (auto& k : key) k = random()() % keys << 12 | below(1u << m_bits);
        std::ranges::sort(key);
        auto sorted = put(key), run_key = room<std::uint64_t>(size);
        auto run_length = room<std::uint32_t>(size), run_count = room<std::uint32_t>(1);
        device().launch(FindRuns{.view = {.key = sorted.device.data(),
                                          .count = size,
                                          .m_bits = m_bits,
                                          .run_key = run_key.device.data(),
                                          .run_length = run_length.device.data(),
                                          .runs = run_count.device.data()},
                                 .scratch = all_of(memory)},
                        stream());
        Runs wanted = runs_of(key, m_bits);
        EXPECT_EQ(get(run_count)[0], wanted.key.size()) << size << " keys, " << m_bits << " bits";
        wanted.key.resize(size, 0xeeeeeeeeeeeeeeee);
        wanted.length.resize(size, 0xeeeeeeee);
        EXPECT_EQ(get(run_key), wanted.key) << size << " keys, " << m_bits << " bits";
        EXPECT_EQ(get(run_length), wanted.length) << size << " keys, " << m_bits << " bits";
      }
    }
  }
}

TEST_F(CudaDevice, ComputesExclusiveSums) {
  const auto memory = scratch(100'000);
  for (const std::uint32_t size : sizes) {
    std::vector<std::uint16_t> length(size);
    std::vector<TileStart> tile(size), tile_sum(size + 1, {0, 0});
    std::vector<std::uint32_t> sum(size + 1, 0);
    for (std::uint32_t i = 0; i < size; ++i) {
      length[i] = static_cast<std::uint16_t>(below(1000));
      tile[i] = {below(100), below(33)};
      sum[i + 1] = sum[i] + length[i];
      tile_sum[i + 1] = {tile_sum[i].column + tile[i].column, tile_sum[i].row + tile[i].row};
    }
    const auto lengths = put(length);
    const auto tiles = put(tile);
    auto sums = room<std::uint32_t>(size + 1);
    auto tile_sums = room<TileStart>(size + 1);
    device().launch(
        LengthSum{{integers(lengths.device.data()), sums.device.data(), size}, all_of(memory)},
        stream());
    device().launch(TileSum{{tiles.device.data(), tile_sums.device.data(), size}, all_of(memory)},
                    stream());
    EXPECT_EQ(get(sums), sum) << size;
    expect_same_bytes(get(tile_sums), tile_sum);
  }
}

class CudaPackPairs : public CudaDevice {
 protected:
  /// Holds a copy of a case on the device.
  struct Uploaded {
    HostDeviceArray<ScanTable> scans;
    HostDeviceArray<std::uint32_t> reference_offsets, scan_of, reference_of;
    HostDeviceArray<std::int64_t> query_offsets;
    HostDeviceArray<std::uint16_t> reference_nodes, query_nodes;
    HostDeviceArray<std::uint8_t> active;

    PairsView view(const PackedCase& c) const {
      PairsView view = c.view();
      view.reference_of.data = reference_of.device.data();
      view.active = active.device.data();
      view.references.nodes.data = reference_nodes.device.data();
      view.references.layout.offsets.data = reference_offsets.device.data();
      view.queries.nodes.data = query_nodes.device.data();
      view.queries.layout.offsets.data = query_offsets.device.data();
      view.scan_of = scan_of.device.data();
      view.scans = scans.device.data();
      return view;
    }
  };
  Uploaded upload(const PackedCase& c) {
    return {put(c.scans),         put(c.reference_offsets), put(c.scan_of),     put(c.reference_of),
            put(c.query_offsets), put(c.reference_nodes),   put(c.query_nodes), put(c.active)};
  }

  void expect_terms(bool with_cls) {
    const Pairs p(random());
    std::vector<ReferenceTerms> wanted(p.scan_of.size());
    for (std::uint32_t r = 0; r < wanted.size(); ++r) {
      make_terms(p.terms(with_cls, wanted.data()), r);
    }
    const auto nodes = put(p.nodes);
    const auto offsets = put(p.offsets), scan_of = put(p.scan_of);
    const auto scans = put(p.scans);
    const auto distance = put(p.distance), cls = put(p.cls);
    auto terms = room<ReferenceTerms>(wanted.size());
    TermsView there = p.terms(with_cls, terms.device.data());
    there.references.nodes.data = nodes.device.data();
    there.references.layout.offsets.data = offsets.device.data();
    there.scan_of = scan_of.device.data();
    there.scans = scans.device.data();
    there.distance = distance.device.data();
    if (with_cls) there.cls_length = cls.device.data();
    device().launch(there, stream());
    expect_same_bytes(get(terms), wanted);
  }

 private:
  /// Holds random references with tables of random distances.
  struct Pairs {
    std::vector<ScanTable> scans;
    std::vector<std::uint32_t> offsets{0}, scan_of;
    std::vector<std::uint8_t> nodes;
    std::vector<float> distance, cls;

    explicit Pairs(std::mt19937_64& random) {
      for (const int pad : {5, 40, 250}) {
        scans.push_back({static_cast<std::uint32_t>(distance.size()), table_pitch(pad), pad});
        for (int k = 0; k < table_entries(pad); ++k) {
          distance.push_back(static_cast<float>(testing::below(random, 1u << 24)) / 65536);
        }
      }
      for (int r = 0; r < 1000; ++r) {
        scan_of.push_back(static_cast<std::uint32_t>(testing::below(random, scans.size())));
        const auto viewpoints = static_cast<std::size_t>(scans[scan_of.back()].pad);
        for (std::size_t k = testing::below(random, 40) + 1; k > 0; --k) {
          nodes.push_back(static_cast<std::uint8_t>(testing::below(random, viewpoints)));
        }
        offsets.push_back(static_cast<std::uint32_t>(nodes.size()));
        cls.push_back(static_cast<float>(testing::below(random, 100)));
      }
    }
    TermsView terms(bool with_cls, ReferenceTerms* to) const {
      return {.references = {.nodes = integers(nodes.data()),
                             .layout = {.offsets = integers(offsets.data()),
                                        .lengths = {},
                                        .pitch = 0,
                                        .max_length = ~0u}},
              .count = static_cast<std::uint32_t>(scan_of.size()),
              .scan_of = scan_of.data(),
              .scans = scans.data(),
              .distance = distance.data(),
              .cls_length = with_cls ? cls.data() : nullptr,
              .terms = to};
    }
  };
};

TEST_F(CudaPackPairs, ComputesTheHostsTerms) {
  expect_terms(false);
  expect_terms(true);
}

constexpr DispatchPolicy policies[] = {{QuantitySet::all_edges, false, false, {40, 70, 100}},
                                       {QuantitySet::dtw, true, false, {40, 70, 100}},
                                       {QuantitySet::alignment, false, true, {40, 70, 100}},
                                       {QuantitySet::goal, false, false, {0, 0, 0}}};
constexpr std::uint32_t some_sizes[] = {1, 31, 33, 1000, 20'000};

TEST_F(CudaPackPairs, ComputesTheHostsKeys) {
  for (const std::uint32_t size : some_sizes) {
    std::vector<std::uint32_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0u);
    for (const DispatchPolicy& policy : policies) {
      const PackedCase c(random(), size, policy);
      const Uploaded u = upload(c);
      std::vector<std::uint64_t> wanted(size);
      std::vector<std::uint32_t> order(size);
      for (std::uint32_t i = 0; i < size; ++i) {
        make_key({c.view(), policy, c.bits, wanted.data(), order.data()}, i);
      }
      auto keys = room<std::uint64_t>(size);
      auto pairs = room<std::uint32_t>(size);
      device().launch(KeyView{u.view(c), policy, c.bits, keys.device.data(), pairs.device.data()},
                      stream());
      EXPECT_EQ(get(keys), wanted) << size;
      EXPECT_EQ(get(pairs), numbers) << size;
    }
  }
}

TEST_F(CudaPackPairs, PlansAndPlacesAsTheHostDoes) {
  for (const std::uint32_t size : some_sizes) {
    for (const DispatchPolicy& policy : policies) {
      const PackedCase c(random(), size, policy);
      const Uploaded u = upload(c);
      const std::uint32_t wanted_slices = 1 + below(20);
      PackedCase::Placed wanted = c.place(wanted_slices), made = c.sorted();
      const auto sorted = put(made.sorted), run_length = put(made.run_length);
      const auto run_key = put(made.run_key);
      const auto run_count = put(std::vector{made.run_count});
      auto active_pairs = room<std::uint32_t>(1);
      auto runs = put(made.runs);
      auto slices = put(made.slices);
      auto ranges = put(made.ranges);
      auto slots = put(made.slots);
      auto tile_size = put(made.size);
      auto result = put(made.result);
      auto flags = put(made.flags);
      PlanView plan = c.plan_view(made, wanted_slices);
      plan.run_key = run_key.device.data();
      plan.run_length = run_length.device.data();
      plan.run_count = run_count.device.data();
      plan.scan_of = u.scan_of.device.data();
      plan.runs = runs.device.data();
      plan.slices = slices.device.data();
      plan.ranges = ranges.device.data();
      plan.active_pairs = active_pairs.device.data();
      device().launch(plan, stream());
      PlaceView place = c.place_view(made, false);
      place.pairs = u.view(c);
      place.sorted = sorted.device.data();
      place.runs = runs.device.data();
      place.run_count = run_count.device.data();
      place.slots = slots.device.data();
      place.tile_size = tile_size.device.data();
      place.results.column[0] = result.device.data();
      place.results.flags = flags.device.data();
      device().launch(place, stream());
      expect_same_bytes(get(runs), wanted.runs);
      expect_same_bytes(get(slices), wanted.slices);
      expect_same_bytes(get(ranges), wanted.ranges);
      expect_same_bytes(get(slots), wanted.slots);
      expect_same_bytes(get(tile_size), wanted.size);
      EXPECT_EQ(get(flags), wanted.flags);
      EXPECT_EQ(get(active_pairs)[0], wanted.active_pairs);
    }
  }
}

TEST_F(CudaDevice, SucceedsInTheCallAfterAFailure) {
  try {
    device().allocate(std::size_t{1} << 50);
    ADD_FAILURE() << "a petabyte of memory";
  } catch (const CudaError& e) {
    const std::string text = e.what();
    for (const char* part : {"cudaMalloc of 1125899906842624 bytes", "cudaErrorMemoryAllocation",
                             "real_device.cpp:", "allow less memory"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
  const auto memory = scratch(1000);
  const auto counts = put(std::vector<std::uint32_t>(1001, 1));
  auto sums = room<std::uint32_t>(1001);
  const LengthSum sum{{integers(counts.device.data()), sums.device.data(), 1000}, all_of(memory)};
  LengthSum short_of_scratch = sum;
  short_of_scratch.scratch.bytes = 1;
  const ScoreTiles uncompiled{{}, TileKernel::plain_table, QuantitySet::dtw, 6};
  EXPECT_THROW(device().launch(short_of_scratch, stream()), CudaError);
  EXPECT_THROW(device().launch(uncompiled, stream()), CudaError);
  device().launch(sum, stream());
  EXPECT_EQ(get(sums)[1000], 1000u);
}

}  // namespace
}  // namespace warpath::testing
