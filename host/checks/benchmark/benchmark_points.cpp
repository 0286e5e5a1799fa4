#include <algorithm>

#include "host/checks/benchmark/device_rows.hpp"
#include "host/checks/benchmark/timing.hpp"
#include "host/checks/point_pairs.hpp"
#include "host/core/base/progress.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::benchmark {
namespace {

struct BenchWalks {
  std::string name;
  checks::WalkShape shape;
  double pairs;           ///< of the CPU's batch, per second of a measurement
  std::size_t on_device;  ///< different pairs of a GPU's batch
};

// Returns the walks to time. A GPU's batch has times_resident as many. A warp scores one pair of
// 1000 x 1000 points, or four of 60 x 80: both shapes fill 132 multiprocessors with 16 warps each
// several times over.
std::vector<BenchWalks> walks() {
  return {{"points 60x80", {60, 80}, 2e4, std::size_t{132} * 128},
          {"points 1000x1000", {1000, 1000}, 500, std::size_t{132} * 8}};
}

std::vector<NamedSet> point_metric_sets() {
  return named_sets({"DTW", "DTW nDTW PC AD MD", "everything"});
}

PointBatch first_pairs(const PointBatch& batch, std::size_t pairs) {
  PointBatch few = batch;
  few.pairs.resize(pairs);
  return few;
}

// Measures the host's rates of one shape.
void time_host(const BenchOptions& options, const BenchWalks& b, std::vector<Rate>& rates,
               base::Progress& progress) {
  checks::Random random(1);
  const auto pairs = static_cast<std::size_t>(std::max(b.pairs * options.seconds, 16.0));
  const PointBatch batch = checks::point_walks(random, b.shape, pairs);
  const PointBatch few = first_pairs(batch, few_of(pairs));
  progress.name_part(b.name + ", reference");
  const double reference = rate(few.pairs.size(), options.seconds, [&] {
    reference::score(few, Convention(), MetricSet::of_paths());
  });
  const double cells = static_cast<double>(b.shape.reference * b.shape.query);
  if (options.backend == Backend::reference) {
    rates.push_back({b.name, "everything", cells, 0.0, 0.0, reference});
    return;
  }
  for (const NamedSet& set : point_metric_sets()) {
    progress.name_part(b.name + ", " + set.name);
    const auto with = [&](int threads) {
      const cpu::PointOptions how{.metrics = set.metrics, .threads = threads};
      return rate(pairs, options.seconds, [&] { cpu::score(batch, Convention(), how); });
    };
    const bool everything = set.metrics == MetricSet::of_paths();
    rates.push_back({b.name, set.name, cells, with(1), with(0), everything ? reference : 0.0});
  }
}

}  // namespace

std::vector<Rate> bench_points(const BenchOptions& options, DeviceRows* device) {
  std::vector<Rate> rates;
  base::Progress progress("timing paths of points", walks().size(), "shapes");
  for (const BenchWalks& b : walks()) {
    if (options.rows.empty()) time_host(options, b, rates, progress);
    if (device != nullptr) {
      progress.name_part(b.name + ", GPU");
      time_points(*device, b.name, b.shape, scaled(b.on_device, options.seconds),
                  point_metric_sets());
    }
    progress.add();
  }
  return rates;
}

}  // namespace warpath::benchmark
