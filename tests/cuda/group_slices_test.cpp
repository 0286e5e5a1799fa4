// Tests the kernels of long paths that read their scan's table in shared memory, on a device: the
// CPU back end's bits.

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "host/core/cpu/backend.hpp"
#include "host/core/cuda/arrays.hpp"
#include "tests/support/device_batch.hpp"
#include "tests/support/each_device.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

class CudaGroupSlices : public OnEachDevice {};
WARPATH_ON_EACH_DEVICE(CudaGroupSlices);

/// Copies vectors to a device and back.
class Copies {
 public:
  explicit Copies(cuda::Device& device) : device_(device), stream_(device) {}

  cuda::Stream stream() const { return stream_.get(); }

  template <class T>
  T* put(const std::vector<T>& from) {
    const std::size_t bytes = from.size() * sizeof(T);
    auto& to = arrays_.emplace_back(device_, bytes);
    if (bytes == 0) return nullptr;
    std::memcpy(to.host.data(), from.data(), bytes);
    to.upload(device_, bytes, stream());
    return reinterpret_cast<T*>(to.device.data());
  }

  template <class T>
  void get(const T* from, std::vector<T>& to) {
    const std::size_t bytes = to.size() * sizeof(T);
    const cuda::PinnedArray<char> host(device_, bytes);
    device_.download(host.data(), from, bytes, stream());
    device_.wait(stream());
    std::memcpy(to.data(), host.data(), bytes);
  }

 private:
  cuda::Device& device_;
  std::vector<cuda::HostDeviceArray<char>> arrays_;
  cuda::UniqueStream stream_;
};

void expect_slices_score_the_same(cuda::Device& device, const PairBatch& batch,
                                  const Convention& convention, GroupShape shape) {
  const auto lanes = static_cast<std::uint32_t>(group_lanes(shape));
  const std::uint32_t borders = 2 * shared_group_threads(group_lanes(shape)) / lanes;
  std::vector<std::uint32_t> rows(batch.pairs.size());
  std::iota(rows.begin(), rows.end(), 0u);
  DeviceBatch data(batch, convention, quantity_all);
  GroupSlices slices(data, rows, 7, borders);
  Copies copies(device);
  const GroupSliceView view =
      slices.view_at([&](const auto& values) { return copies.put(values); });
  const bool edges = convention.edit_unit == EditUnit::edges;
  device.launch(
      cuda::ScoreGroupSlices{.view = view,
                             .shape = shape,
                             .set = edges ? QuantitySet::all_edges : QuantitySet::all_viewpoints},
      copies.stream());
  data.take_results(view.groups.batch, [&](const auto* from, auto& to) { copies.get(from, to); });
  EXPECT_EQ(data.missing(), 0u);
  const Scores got = data.scores(), want = cpu::score(batch, convention);
  for (const std::uint32_t row : rows) {
    for (const Metric m : {Metric::SPL, Metric::CLS, Metric::SDTW, Metric::DTW, Metric::ED,
                           Metric::AD, Metric::MD, Metric::ONE}) {
      ASSERT_TRUE(same_bits(got.at(m, row), want.at(m, row)))
          << info(m).name << ", row " << row << ", seed " << run_seed();
    }
    ASSERT_EQ(got.status[row], want.status[row]) << row;
  }
}

TEST_P(CudaGroupSlices, EqualTheCpuOfLongPaths) {
  RandomBatch made(run_seed() + 190);
  made.add_pairs(30, 60, 40);
  made.add_pairs(5, 200, 70);
  made.add_pairs(2, 600, 30);
  for (const EditUnit unit : {EditUnit::edges, EditUnit::viewpoints}) {
    Convention convention;
    convention.edit_unit = unit;
    expect_slices_score_the_same(device(run_seed()), made.batch(), convention, GroupShape::lanes_8);
    expect_started("lanes_8, shared table");
    expect_slices_score_the_same(device(run_seed()), made.batch(), convention,
                                 GroupShape::lanes_32);
    expect_started("lanes_32, shared table");
  }
}

}  // namespace
}  // namespace warpath::testing
