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

#include "host/cuda/arrays.hpp"
#include "host/cuda/plan.hpp"
#include "host/cuda/totals.hpp"
#include "tests/support/fake_kernels.hpp"
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
                         "/somewhere/host/cuda/real_device.cpp", 12},
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
    std::vector<std::uint32_t> count(size + 1), sum(size + 1);
    for (auto& c : count) c = below(1000);
    std::exclusive_scan(count.begin(), count.end(), sum.begin(), 0u);
    auto counts = put(count), sums = room<std::uint32_t>(size + 1);
    device().launch(ExclusiveSum{counts.device.data(), sums.device.data(), size, all_of(memory)},
                    stream());
    EXPECT_EQ(get(sums), sum) << size;
  }
}

TEST_F(CudaDevice, WidensLengths) {
  for (const std::uint32_t size : sizes) {
    std::vector<std::uint16_t> lengths(size);
    for (auto& length : lengths) length = static_cast<std::uint16_t>(random()());
    const auto there = put(lengths);
    auto wide = room<std::uint32_t>(size);
    device().launch(LengthsView{size, there.device.data(), wide.device.data()}, stream());
    EXPECT_EQ(get(wide), std::vector<std::uint32_t>(lengths.begin(), lengths.end())) << size;
  }
}

/// Holds pairs, and what their keys and slots are computed from.
struct Pairs {
  std::vector<ScanTable> scans;
  std::vector<std::uint32_t> reference_of, query_length, offsets{0}, scan_of;

  PairsView view() const {
    return {static_cast<std::uint32_t>(reference_of.size()),
            reference_of.data(),
            query_length.data(),
            offsets.data(),
            scan_of.data(),
            scans.data()};
  }
};

class CudaPackPairs : public CudaDevice {
 protected:
  /// Makes scans of 5 to 250 viewpoints, and references of all length classes.
  Pairs make_pairs(std::uint32_t count) {
    Pairs pairs;
    std::uint32_t base = 0;
    for (const int pad : {5, 40, 250}) {
      const int pitch = table_pitch(pad);
      pairs.scans.push_back({base, pitch, pad});
      base += static_cast<std::uint32_t>(table_entries(pad));
    }
    const std::uint32_t references = count / 7 + 1;
    for (std::uint32_t r = 0; r < references; ++r) {
      pairs.offsets.push_back(pairs.offsets.back() + 1 + below(below(20) == 0 ? 300 : 36));
      pairs.scan_of.push_back(below(3));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      pairs.reference_of.push_back(below(references));
      pairs.query_length.push_back(1 + below(below(20) == 0 ? 2000 : 60));
    }
    return pairs;
  }

  /// Holds a copy of pairs on the device.
  struct Uploaded {
    HostDeviceArray<ScanTable> scans;
    HostDeviceArray<std::uint32_t> reference_of, query_length, offsets, scan_of;
    PairsView view;
  };
  Uploaded upload(const Pairs& p) {
    Uploaded u{put(p.scans),   put(p.reference_of), put(p.query_length),
               put(p.offsets), put(p.scan_of),      {}};
    u.view = {p.view().count,          u.reference_of.device.data(), u.query_length.device.data(),
              u.offsets.device.data(), u.scan_of.device.data(),      u.scans.device.data()};
    return u;
  }

  template <class Id>
  void expect_terms(std::uint32_t count, bool with_cls) {
    const Pairs p = make_pairs(7 * count);
    const std::uint32_t references =
        count;  // one fewer than the number of offsets, even if that is none
    std::vector<float> distance(5 * 7 + 40 * 41 + 250 * 251), cls(references);
    std::vector<Id> nodes(p.offsets.back());
    for (float& d : distance) d = static_cast<float>(below(1u << 24)) / 65536;
    for (float& length : cls) length = static_cast<float>(below(100));
    for (std::uint32_t r = 0; r + 1 < p.offsets.size(); ++r) {
      const auto viewpoints = static_cast<std::uint32_t>(p.scans[p.scan_of[r]].pad);
      for (auto i = p.offsets[r]; i < p.offsets[r + 1]; ++i) {
        nodes[i] = static_cast<Id>(below(viewpoints));
      }
    }
    std::vector<ReferenceTerms> wanted(references);
    const TermsView<Id> here{{nodes.data(), p.offsets.data()},
                             references,
                             p.scan_of.data(),
                             p.scans.data(),
                             distance.data(),
                             with_cls ? cls.data() : nullptr,
                             wanted.data()};
    for (std::uint32_t r = 0; r < references; ++r) make_terms(here, r);

    const Uploaded u = upload(p);
    const auto all_nodes = put(nodes);
    const auto distances = put(distance), lengths = put(cls);
    auto terms = room<ReferenceTerms>(references);
    device().launch(TermsView<Id>{{all_nodes.device.data(), u.view.reference_offsets},
                                  references,
                                  u.view.scan_of,
                                  u.view.scans,
                                  distances.device.data(),
                                  with_cls ? lengths.device.data() : nullptr,
                                  terms.device.data()},
                    stream());
    expect_same_bytes(get(terms), wanted);
  }
};

TEST_F(CudaPackPairs, ComputesTheHostsTerms) {
  for (const std::uint32_t size : sizes) {
    for (const bool with_cls : {false, true}) {
      expect_terms<std::uint8_t>(size, with_cls);
      expect_terms<std::uint16_t>(size, with_cls);
    }
  }
}

constexpr KeyBits key_bits{10, 20};
constexpr DispatchPolicy policies[] = {{QuantitySet::all_edges, false, false, 100},
                                       {QuantitySet::dtw, true, false, 100},
                                       {QuantitySet::alignment, false, true, 100},
                                       {QuantitySet::goal, false, false, 0}};

/// Returns keys as the host makes them, and pairs 0, 1, 2, …
std::vector<std::uint64_t> keys_of(const Pairs& p, const DispatchPolicy& policy) {
  std::vector<std::uint64_t> key(p.reference_of.size());
  std::vector<std::uint32_t> pair(key.size());
  const KeyView view{p.view(), policy, key_bits, key.data(), pair.data()};
  for (std::uint32_t i = 0; i < key.size(); ++i) make_key(view, i);
  return key;
}

TEST_F(CudaPackPairs, ComputesTheHostsKeys) {
  for (const std::uint32_t size : sizes) {
    const Pairs p = make_pairs(size);
    const Uploaded u = upload(p);
    std::vector<std::uint32_t> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0u);
    for (const DispatchPolicy& policy : policies) {
      auto keys = room<std::uint64_t>(size);
      auto pairs = room<std::uint32_t>(size);
      device().launch(KeyView{u.view, policy, key_bits, keys.device.data(), pairs.device.data()},
                      stream());
      EXPECT_EQ(get(keys), keys_of(p, policy)) << size;
      EXPECT_EQ(get(pairs), numbers) << size;
    }
  }
}

TEST_F(CudaPackPairs, ComputesTheHostsSlots) {
  for (const std::uint32_t size : sizes) {
    const Pairs p = make_pairs(size);
    const Uploaded u = upload(p);
    for (const DispatchPolicy& policy : policies) {
      std::vector<std::uint64_t> key = keys_of(p, policy);
      std::vector<std::uint32_t> order(size);
      std::iota(order.begin(), order.end(), 0u);
      std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return key[i]; });
      std::ranges::sort(key);
      const Runs runs = runs_of(key, key_bits.m_bits);
      const Plan plan = make_plan(runs.key, runs.length, key_bits, p.scans, p.scan_of);

      std::vector<GroupPair> wanted(plan.slots, {no_row, no_row, no_row, no_row});
      std::vector<std::uint32_t> wanted_columns(plan.tile_slots / tile_pairs, 0);
      PlaceView view{p.view(),         order.data(),
                     plan.runs.data(), static_cast<std::uint32_t>(runs.key.size()),
                     wanted.data(),    wanted_columns.data(),
                     plan.tile_slots,  below(2) == 0};
      for (std::uint32_t k = 0; k < size; ++k) place_pair(view, k);

      const auto sorted = put(order);
      const auto device_runs = put(plan.runs);
      HostDeviceArray<GroupPair> slots(device(), plan.slots);
      HostDeviceArray<std::uint32_t> columns(device(), wanted_columns.size());
      device().fill(slots.device.data(), 0xff, plan.slots * sizeof(GroupPair), stream());
      device().fill(columns.device.data(), 0, 4 * wanted_columns.size(), stream());
      device().launch(
          PlaceView{u.view, sorted.device.data(), device_runs.device.data(), view.run_count,
                    slots.device.data(), columns.device.data(), plan.tile_slots, view.by_place},
          stream());
      expect_same_bytes(get(slots), wanted);
      EXPECT_EQ(get(columns), wanted_columns) << size;
    }
  }
}

// Limbs depend on the split of the work until their carries are added.
void expect_same_totals(const BatchTotals& is, const BatchTotals& wanted) {
  for (const MetricInfo& m : metric_table()) {
    const ColumnTotals& a = is.column[index_of(m.metric)];
    const ColumnTotals& b = wanted.column[index_of(m.metric)];
    EXPECT_EQ(read_statistics(a, m.metric), read_statistics(b, m.metric)) << m.name;
    EXPECT_TRUE(std::ranges::equal(a.cells, b.cells)) << m.name;
  }
  EXPECT_TRUE(std::ranges::equal(is.flags, wanted.flags));
}

// Uses a column of many magnitudes, one of 0 and 1, one of counts, and flags, added up twice: by
// rows and by positions.
TEST_F(CudaDevice, ComputesTheHostsStatistics) {
  for (const std::uint32_t size : sizes) {
    std::vector<float> any(size), success(size);
    std::vector<std::uint32_t> flags(size), lengths(size), pair_of(size);
    std::iota(pair_of.begin(), pair_of.end(), 0u);
    std::ranges::shuffle(pair_of, random());
    for (std::uint32_t i = 0; i < size; ++i) {
      const float digits = static_cast<float>(below(1u << 24)) - 0x1p23f;
      any[i] =
          below(50) == 0 ? std::nanf("") : std::ldexp(digits, static_cast<int>(below(70)) - 60);
      success[i] = static_cast<float>(below(2));
      flags[i] = below(4) == 0 ? below(flag_sets) : 0;
      lengths[i] = 1 + below(100);
    }
    auto any_there = put(any), success_there = put(success);
    auto flags_there = put(flags), lengths_there = put(lengths), pair_of_there = put(pair_of);
    auto totals_there = put(std::vector<BatchTotals>(1));
    const auto view = [&](float* gp, float* sr, std::uint32_t* f, const std::uint32_t* query_length,
                          const std::uint32_t* rows, BatchTotals* totals) {
      AggregateView all = DeviceTotals(device(), MetricSet::all()).view();
      all.results.column[index_of(Metric::GP)] = gp;
      all.results.column[index_of(Metric::SR)] = sr;
      all.results.flags = f;
      all.pairs = {size, nullptr, query_length, nullptr, nullptr, nullptr};
      all.pair_of = rows;
      all.asked_metrics = 1u << static_cast<int>(Metric::n_query);
      all.totals = totals;
      return all;
    };
    std::vector<BatchTotals> wanted(1);
    for (int twice = 0; twice < 2; ++twice) {
      device().launch(
          view(any_there.device.data(), success_there.device.data(), flags_there.device.data(),
               lengths_there.device.data(), twice > 0 ? pair_of_there.device.data() : nullptr,
               totals_there.device.data()),
          stream());
      aggregate_plainly(view(any.data(), success.data(), flags.data(), lengths.data(),
                             twice > 0 ? pair_of.data() : nullptr, wanted.data()),
                        random()());
    }
    expect_same_totals(get(totals_there)[0], wanted[0]);
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
  const ExclusiveSum sum{counts.device.data(), sums.device.data(), 1000, all_of(memory)};
  ExclusiveSum short_of_scratch = sum;
  short_of_scratch.scratch.bytes = 1;
  const ScoreTiles uncompiled{{}, TileKernel::plain_table, QuantitySet::dtw, 6};
  EXPECT_THROW(device().launch(short_of_scratch, stream()), CudaError);
  EXPECT_THROW(device().launch(uncompiled, stream()), CudaError);
  device().launch(sum, stream());
  EXPECT_EQ(get(sums)[1000], 1000u);
}

}  // namespace
}  // namespace warpath::testing
