#include "host/checks/benchmark/device_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "host/checks/benchmark/resident.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/cuda/points.hpp"
#include "warpath/scorer.hpp"

namespace warpath::benchmark {
namespace {

constexpr const char* packed = "resident";
constexpr const char* to_scores = "from the host to scores";
constexpr const char* to_statistics = "from the host to statistics";
constexpr const char* many_scans = "many scans, resident";
constexpr const char* whole_calls = "whole calls";

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
checks::SyntheticBatch on_scans(std::size_t scans, std::size_t pairs) {
  checks::Random random(1);
  checks::SyntheticBatch made = checks::uniform_pairs(random, {"", {5, 20}, {5, 40}, 150}, pairs);
  for (std::size_t k = 1; k < scans; ++k) {
    made.scans.push_back(checks::random_scan(random, "scan" + std::to_string(k), 150));
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

bool DeviceRows::wants_any(std::initializer_list<const char*> groups,
                           const std::vector<std::string>& shapes,
                           const std::vector<NamedSet>& sets) const {
  for (const char* group : groups) {
    for (const std::string& shape : shapes) {
      for (const NamedSet& set : sets) {
        if (wants(group, shape, set.name)) return true;
      }
    }
  }
  return false;
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

void time_viewpoints(DeviceRows& rows, const checks::Shape& shape, std::size_t pairs,
                     const std::vector<NamedSet>& sets) {
  if (!rows.wants_any({packed, to_scores, to_statistics}, {shape.name}, sets)) return;
  checks::Random random(1);
  const checks::SyntheticBatch made = checks::uniform_pairs(random, shape, pairs);
  const PairBatch &batch = made.batch, many = repeated(batch);
  const batch::DistanceTables tables(batch.scans, Convention());
  const double cells = checks::mean_cells(batch);
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

void time_points(DeviceRows& rows, const std::string& name, const checks::WalkShape& shape,
                 std::size_t pairs, const std::vector<NamedSet>& sets) {
  if (!rows.wants_any({packed, to_scores}, {name}, sets)) return;
  checks::Random random(1);
  const PointBatch many = repeated(checks::point_walks(random, shape, pairs));
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
  const std::vector<NamedSet> sets = named_sets({"DTW", "everything"});
  for (const auto& [scans, pairs] : sizes) {
    const std::string shape = fmt::format("{} scans, 5-20 x 5-40", scans);
    if (!rows.wants_any({many_scans}, {shape}, sets)) continue;
    const checks::SyntheticBatch made = on_scans(scans, scaled(pairs, rows.seconds()));
    const batch::DistanceTables tables(made.batch.scans, Convention());
    for (const NamedSet& set : sets) {
      rows.add_resident({many_scans, shape, set.name, 0, checks::mean_cells(made.batch), {}}, [&] {
        return resident_rate(rows.device(), made.batch, tables, set.metrics, rows.seconds());
      });
    }
  }
}

void time_calls(DeviceRows& rows) {
  const std::string shape = "R4R-like 12x14, ", one_call = shape + "score()",
                    kept_scorer = shape + "kept Scorer", totals = shape + "statistics()",
                    kept_totals = shape + "statistics by a kept Scorer";
  const std::vector<NamedSet> sets = named_sets({"everything"});
  if (!rows.wants_any({whole_calls}, {one_call, kept_scorer, totals, kept_totals}, sets)) return;
  for (const std::size_t pairs : {std::size_t{10'000}, std::size_t{1} << 21}) {
    checks::Random random(1);
    const checks::SyntheticBatch made =
        checks::uniform_pairs(random, {"", {12, 12}, {14, 14}, 150}, scaled(pairs, rows.seconds()));
    const PairBatch& batch = made.batch;
    const MetricSet metrics = MetricSet::of_paths();
    const Scorer kept(batch.scans, {}, {.backend = Backend::cuda, .metrics = metrics});
    const double cells = checks::mean_cells(batch);
    const auto row = [&](const std::string& call) {
      return DeviceRow{whole_calls, call, "everything", batch.pairs.size(), cells, {}};
    };
    rows.add(row(one_call), [&] { score(batch, {}, Backend::cuda, metrics); });
    rows.add(row(kept_scorer), [&] { kept.score(batch); });
    rows.add(row(totals), [&] { statistics(batch, {}, Backend::cuda, metrics); });
    rows.add(row(kept_totals), [&] { kept.statistics(batch); });
  }
}

}  // namespace warpath::benchmark
