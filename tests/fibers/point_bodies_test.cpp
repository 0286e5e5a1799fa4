// Runs the bodies of the kernels of continuous paths on fibers, over a view that a device would
// read. Results must equal the CPU back end's bit for bit.

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "host/core/batch/point_results.hpp"
#include "host/core/batch/point_stage.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/points.hpp"
#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/score_points.hpp"
#include "kernels/views/shapes.hpp"
#include "tests/support/fiber_lanes.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;
using enum Metric;

constexpr std::uint32_t blocks = 2, threads = 64;
constexpr std::uint32_t never_written = 0xabababab;

/// Holds a batch as the kernels read it, every array exactly as long as the view promises.
class DevicePoints {
 public:
  DevicePoints(const PointBatch& batch, const Convention& convention, const MetricSet& metrics)
      : batch_(batch),
        metrics_(metrics),
        rules_(batch::point_rules(batch, convention, metrics)),
        columns_(path_metric_count, std::vector<float>(batch.pairs.size())),
        flags_(batch.pairs.size(), never_written) {
    batch::PointStage stage(convention, rules_.quantities);
    // The order differs from that of the rows.
    for (auto row = static_cast<std::uint32_t>(batch.pairs.size()); row > 0; --row) {
      add(row - 1, stage);
    }
    points_copy_ = std::make_unique<DevicePoint[]>(points_.size());
    std::ranges::copy(points_, points_copy_.get());
  }

  const Rules& rules() const { return rules_; }
  /// Returns the number of pairs whose edit distance is known.
  std::size_t known() const {
    return std::ranges::count_if(pairs_, [](const auto& pair) { return pair.edits >= 0; });
  }

  template <int W, int K, int C, unsigned Swept, bool Edges>
  Scores run() {
    const PointView view = begin(Swept == 0 ? 0 : blocks * threads / W);
    FiberWarp fibers(run_seed());
    for (std::uint32_t warp = 0; warp < blocks * threads / 32; ++warp) {
      const std::string fault = fibers.run(32, [&](int lane) {
        const std::uint32_t thread = warp * 32 + lane;
        const StridedRange pairs =
            pairs_of<W>({thread / threads, blocks, thread % threads, threads});
        for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
          score_points_by_group<FiberLanes<W>, K, C, Swept, Edges>(view, p, pairs.first);
        }
      });
      EXPECT_EQ(fault, "") << "seed " << run_seed();
    }
    return scores();
  }

  /// Scores with blocks of four groups.
  template <int W, int K, int C, unsigned Swept, bool Edges>
  Scores run_chained() {
    constexpr std::uint32_t lanes = 4 * W;
    const PointView view = begin(4 * blocks);
    FiberWarp fibers(run_seed());
    for (std::uint32_t block = 0; block < blocks; ++block) {
      const std::string fault = fibers.run(lanes, [&](std::uint32_t lane) {
        const ThreadId me{block, blocks, lane, lanes};
        const StridedRange pairs = pairs_of_block(me);
        for (std::uint32_t p = pairs.first; p < view.count; p += pairs.step) {
          score_points_by_chain<FiberLanes<W>, K, C, Swept, Edges>(view, p, me);
        }
      });
      EXPECT_EQ(fault, "") << "seed " << run_seed();
    }
    return scores();
  }

 private:
  void add(std::uint32_t row, batch::PointStage& stage) {
    const PointPair& pair = batch_.pairs[row];
    const kernels::PointTask& task =
        stage.task(batch_.references[pair.reference], batch_.queries[pair.query],
                   batch_.task_success.empty() ? std::numeric_limits<double>::quiet_NaN()
                                               : batch_.task_success[row]);
    const std::uint32_t reference = add(task.reference, task.reference_id, task.n);
    const std::uint32_t query = add(task.query, task.query_id, task.m);
    pairs_.push_back({task, row, reference, query});
  }
  std::uint32_t add(const float* const (&axes)[3], const std::int32_t* ids, std::int32_t count) {
    const std::size_t first = points_.size();
    for (std::int32_t k = 0; k < count; ++k) {
      points_.push_back({axes[0][k], axes[1][k], axes[2][k], ids != nullptr ? ids[k] : 0});
    }
    return static_cast<std::uint32_t>(first);
  }
  std::uint32_t columns() const {
    return static_cast<std::uint32_t>(std::ranges::max(pairs_, {}, &DevicePointPair::m).m);
  }
  PointView begin(std::uint32_t groups) {
    border_.assign(std::size_t{4} * groups * columns(), -7.0f);
    carry_.assign(std::size_t{2} * groups * columns(), edit_minus);
    std::ranges::fill(flags_, never_written);
    PointView view{rules_,
                   points_copy_.get(),
                   pairs_.data(),
                   static_cast<std::uint32_t>(pairs_.size()),
                   columns(),
                   groups,
                   border_.data(),
                   carry_.data(),
                   {{}, flags_.data()}};
    for (const Metric m : batch::kernel_metrics(metrics_)) {
      view.results.column[index_of(m)] = columns_[index_of(m)].data();
    }
    return view;
  }
  Scores scores() const {
    EXPECT_EQ(std::ranges::count(flags_, never_written), 0);
    Scores scores(batch_.pairs.size(), metrics_);
    const batch::PointResults<double> results(batch_, columns_of(scores));
    for (std::size_t row = 0; row < flags_.size(); ++row) {
      for (const Metric m : batch::kernel_metrics(metrics_))
        scores.column[m][row] = columns_[index_of(m)][row];
      results.write(row, flags_[row]);
    }
    return scores;
  }

  const PointBatch& batch_;
  const MetricSet metrics_;
  const Rules rules_;
  std::vector<DevicePoint> points_;
  std::unique_ptr<DevicePoint[]> points_copy_;  // exactly as long as needed
  std::vector<DevicePointPair> pairs_;
  std::vector<std::vector<float>> columns_;
  std::vector<std::uint32_t> flags_;
  std::vector<float> border_;
  std::vector<std::uint32_t> carry_;
};

// Makes every length around the strips of both shapes.
PointBatch make_points(std::uint64_t seed) {
  RandomPoints made(seed);
  made.add_pairs(40, 100, 60);
  made.add_pairs(10, 3, 9);
  for (const std::size_t n : {1, 8, 63, 64, 65, 128, 511, 512, 513, 1100}) made.add_pair(n, 20);
  return made.batch();
}

TEST(DevicePoints, EqualTheCpuInEveryShapeUnderEveryConvention) {
  std::mt19937_64 random(run_seed() + 130);
  for (const Convention& convention : conventions()) {
    const PointBatch batch = make_points(random());
    const Scores want = score_plainly(batch, convention);
    DevicePoints device(batch, convention, MetricSet::of_paths());
    const bool edges = convention.edit_unit == EditUnit::edges;
    expect_same_scores(edges ? device.run<8, 8, 1, swept_of(QuantitySet::all_edges), true>()
                             : device.run<8, 8, 1, swept_of(QuantitySet::all_edges), false>(),
                       want, convention.preset + ", 8 lanes");
    expect_same_scores(edges ? device.run<32, 16, 2, swept_of(QuantitySet::all_edges), true>()
                             : device.run<32, 16, 2, swept_of(QuantitySet::all_edges), false>(),
                       want, convention.preset + ", 32 lanes");
    expect_same_scores(edges
                           ? device.run_chained<8, 8, 2, swept_of(QuantitySet::all_edges), true>()
                           : device.run_chained<8, 8, 2, swept_of(QuantitySet::all_edges), false>(),
                       want, convention.preset + ", chained");
    if (HasFailure()) return;
  }
}

// The edit distance that the host knows must equal the one that the sweep counts.
TEST(DevicePoints, NeedNoSweepOfEditsForPathsThatDoNotMeet) {
  for (const EditUnit unit : {EditUnit::edges, EditUnit::viewpoints}) {
    PointBatch batch = make_points(run_seed() + 131);
    checks::move_apart(batch);
    Convention convention;
    convention.edit_unit = unit;
    DevicePoints device(batch, convention, MetricSet::of_paths());
    EXPECT_EQ(device.known(), batch.pairs.size());
    const Scores want = score_plainly(batch, convention);
    expect_same_scores(device.run<8, 8, 1, swept_of(QuantitySet::alignment), true>(), want,
                       "8 lanes");
    expect_same_scores(device.run<32, 16, 2, swept_of(QuantitySet::alignment), true>(), want,
                       "32 lanes");
  }
}

TEST(DevicePoints, EqualTheCpuWithFewerQuantities) {
  const PointBatch batch = make_points(run_seed() + 132);
  MetricSet asked;
  for (const Metric m : {DTW, nDTW, SDTW, NE, SPL, GP, PLR}) asked.insert(m);
  DevicePoints dtw(batch, {}, asked);
  const Scores want = cpu::score(batch, {}, {.metrics = asked});
  expect_same_scores(dtw.run<8, 8, 1, swept_of(QuantitySet::dtw), true>(), want, "dtw, 8 lanes");
  expect_same_scores(dtw.run<32, 16, 2, swept_of(QuantitySet::dtw), true>(), want, "dtw, 32 lanes");
  for (const Metric m : {DTW, nDTW, SDTW}) asked.erase(m);
  expect_same_scores(DevicePoints(batch, {}, asked).run<1, 1, 1, 0, true>(),
                     cpu::score(batch, {}, {.metrics = asked}), "no sweep");
}

TEST(DevicePoints, ChooseTheKernelOfARequest) {
  using enum EditUnit;
  for (const bool known : {false, true}) {
    EXPECT_EQ(
        point_quantity_set(quantity_goal | quantity_length | quantity_reference, edges, known),
        QuantitySet::goal);
    EXPECT_EQ(point_quantity_set(quantity_dtw | quantity_goal, edges, known), QuantitySet::dtw);
    EXPECT_EQ(point_quantity_set(quantity_coverage, viewpoints, known), QuantitySet::alignment);
    EXPECT_EQ(point_quantity_set(quantity_deviation | quantity_goal, edges, known),
              QuantitySet::alignment);
  }
  EXPECT_EQ(point_quantity_set(quantity_edits, edges, false), QuantitySet::all_edges);
  EXPECT_EQ(point_quantity_set(quantity_all, viewpoints, false), QuantitySet::all_viewpoints);
  EXPECT_EQ(point_quantity_set(quantity_edits | quantity_goal, edges, true), QuantitySet::goal);
  EXPECT_EQ(point_quantity_set(quantity_all, viewpoints, true), QuantitySet::alignment);
}

}  // namespace
}  // namespace warpath::testing
