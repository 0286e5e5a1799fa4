#include "host/benchmark/device_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "host/benchmark/resident.hpp"
#include "host/cuda/backend.hpp"
#include "host/cuda/points.hpp"
#include "warpath/scorer.hpp"

namespace warpath::benchmark {
namespace {

constexpr const char* packed = "resident";
constexpr const char* to_scores = "from the host to scores";
constexpr const char* to_statistics = "from the host to statistics";

// Tells whether any row of a shape is asked for. If not, its pairs need not be made.
bool wants_any(const DeviceRows& rows, const std::string& shape,
               const std::vector<NamedSet>& sets) {
  return std::ranges::any_of(sets, [&](const NamedSet& set) {
    return rows.wants(packed, shape, set.name) || rows.wants(to_scores, shape, set.name) ||
           rows.wants(to_statistics, shape, set.name);
  });
}

// Number of copies of each pair on the device, which fill it without as many different pairs.
constexpr int times_resident = 8;

template <class Batch>
Batch repeated(const Batch& batch) {
  Batch all = batch;
  for (int k = 1; k < times_resident; ++k) {
    all.pairs.insert(all.pairs.end(), batch.pairs.begin(), batch.pairs.end());
    if constexpr (requires { all.n_query_raw; }) {
      all.n_query_raw.insert(all.n_query_raw.end(), batch.n_query_raw.begin(),
                             batch.n_query_raw.end());
    }
  }
  return all;
}

/// Makes pairs on that many scans of 150 viewpoints, in any order, with lengths as in R4R.
synthetic::SyntheticBatch on_scans(std::size_t scans, std::size_t pairs) {
  synthetic::Random random(1);
  synthetic::SyntheticBatch made = uniform_pairs(random, {"", {5, 20}, {5, 40}, 150}, pairs);
  for (std::size_t k = 1; k < scans; ++k) {
    made.scans.push_back(random_scan(random, "scan" + std::to_string(k), 150));
  }
  made.batch.scans.clear();
  for (const Scan& scan : made.scans) made.batch.scans.push_back(&scan);
  for (Pair& pair : made.batch.pairs) pair.scan = static_cast<std::uint32_t>(random.below(scans));
  return made;
}

}  // namespace

DeviceRows::DeviceRows(cuda::Device& device, const BenchOptions& options)
    : device_(device), options_(options) {}

bool DeviceRows::wants(std::string_view group, std::string_view shape,
                       std::string_view metrics) const {
  return options_.rows.empty() ||
         std::regex_search(fmt::format("{}: {}, {}", group, shape, metrics),
                           std::regex(options_.rows));
}

void DeviceRows::add(DeviceRow row, const std::function<void()>& run) {
  if (!wants(row.group, row.shape, row.metrics)) return;
  row.per_second = measure(row.pairs, options_.seconds, run);
  rows_.push_back(std::move(row));
}

void DeviceRows::add_resident(DeviceRow row, const std::function<ResidentRate()>& measure) {
  if (!wants(row.group, row.shape, row.metrics)) return;
  const ResidentRate found = measure();
  row.pairs = found.pairs;
  row.per_second = found.per_second;
  rows_.push_back(std::move(row));
}

std::size_t scaled(std::size_t pairs, double seconds) {
  const double share = std::min(seconds / 0.05, 1.0);
  return std::max<std::size_t>(static_cast<std::size_t>(static_cast<double>(pairs) * share), 16);
}

double mean_cells(const PairBatch& batch) {
  double cells = 0.0;
  for (const Pair& pair : batch.pairs) {
    cells += static_cast<double>(batch.references[pair.reference].size()) *
             static_cast<double>(batch.queries[pair.query].size());
  }
  return cells / static_cast<double>(batch.pairs.size());
}

void time_viewpoints(DeviceRows& rows, const synthetic::Shape& shape, std::size_t pairs,
                     const std::vector<NamedSet>& sets) {
  if (!wants_any(rows, shape.name, sets)) return;
  synthetic::Random random(1);
  const synthetic::SyntheticBatch made = uniform_pairs(random, shape, pairs);
  const PairBatch &batch = made.batch, many = repeated(batch);
  const batch::DistanceTables tables(batch.scans, Convention());
  const double cells = mean_cells(batch);
  for (const NamedSet& set : sets) {
    const cuda::Options how{.metrics = set.metrics};
    const auto row = [&](const char* group) {
      return DeviceRow{group, shape.name, set.name, batch.pairs.size(), cells, {}};
    };
    rows.add_resident(row(packed), [&] {
      return resident_rate(rows.device(), many, tables, set.metrics, rows.seconds());
    });
    // What lies between the first and the last set hardly matters to whole batches.
    if (&set != &sets.front() && &set != &sets.back()) continue;
    Scores scores;
    rows.add(row(to_scores),
             [&] { cuda::score(rows.device(), batch, tables, Convention(), how, scores); });
    rows.add(row(to_statistics),
             [&] { cuda::statistics(rows.device(), batch, tables, Convention(), how); });
  }
}

void time_points(DeviceRows& rows, const std::string& name, const synthetic::WalkShape& shape,
                 std::size_t pairs, const std::vector<NamedSet>& sets) {
  if (!wants_any(rows, name, sets)) return;
  synthetic::Random random(1);
  const PointBatch many = repeated(point_walks(random, shape, pairs));
  const double cells = static_cast<double>(shape.reference * shape.query);
  for (const NamedSet& set : sets) {
    const cuda::PointOptions how{.metrics = set.metrics};
    const auto row = [&](const char* group) {
      return DeviceRow{group, name, set.name, many.pairs.size(), cells, {}};
    };
    rows.add_resident(row(packed), [&] {
      return resident_rate(rows.device(), many, set.metrics, rows.seconds());
    });
    rows.add(row(to_scores), [&] { cuda::score(rows.device(), many, Convention(), how); });
  }
}

void time_scans(DeviceRows& rows) {
  constexpr std::pair<std::size_t, std::size_t> sizes[] = {{11, 45'000}, {61, 524'288}};
  for (const auto& [scans, pairs] : sizes) {
    const synthetic::SyntheticBatch made = on_scans(scans, scaled(pairs, rows.seconds()));
    const batch::DistanceTables tables(made.batch.scans, Convention());
    const std::string shape = fmt::format("{} scans, 5-20 x 5-40", scans);
    for (const auto& [name, metrics] : named_sets({"DTW", "everything"})) {
      rows.add_resident({"many scans, resident", shape, name, 0, mean_cells(made.batch), {}}, [&] {
        return resident_rate(rows.device(), made.batch, tables, metrics, rows.seconds());
      });
    }
  }
}

void time_calls(DeviceRows& rows) {
  for (const std::size_t pairs : {std::size_t{10'000}, std::size_t{1} << 21}) {
    synthetic::Random random(1);
    const synthetic::SyntheticBatch made =
        uniform_pairs(random, {"", {12, 12}, {14, 14}, 150}, scaled(pairs, rows.seconds()));
    const PairBatch& batch = made.batch;
    const MetricSet metrics = MetricSet::all();
    const Scorer kept(batch.scans, {}, {.backend = Backend::cuda, .metrics = metrics});
    const auto row = [&](const char* what) {
      return DeviceRow{"whole calls",     fmt::format("R4R-like 12x14, {}", what),
                       "everything",      batch.pairs.size(),
                       mean_cells(batch), {}};
    };
    rows.add(row("score()"), [&] { score(batch, {}, Backend::cuda, metrics); });
    rows.add(row("kept Scorer"), [&] { kept.score(batch); });
    rows.add(row("statistics()"), [&] { statistics(batch, {}, Backend::cuda, metrics); });
    rows.add(row("statistics by a kept Scorer"), [&] { kept.statistics(batch); });
  }
}

}  // namespace warpath::benchmark
