#include "host/files/evaluation/own_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/suggest.hpp"
#include "host/core/graph/euclid.hpp"
#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/mesh_distances.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

using Position = std::array<double, 3>;

// Upper bound of the rows of distances that are kept.
constexpr std::size_t max_row_bytes = std::size_t{256} << 20;
constexpr double rounding = 1e-9;
// Upper bound of values: the sums of Statistics hold the squares of 10^8 of them.
constexpr double max_own_value = 1e9;

// Takes the values of items and puts them into columns.
class OwnColumns {
 public:
  OwnColumns(const OwnMetrics& own, AgentResult& run)
      : own_(own), run_(run), values_(own.metrics.size()) {
    for (const OwnMetric& metric : own.metrics) {
      std::vector<double> none(run.rows.size(), std::numeric_limits<double>::quiet_NaN());
      run.own.push_back({metric, std::move(none), true});
    }
  }

  void add(std::size_t row, const ItemPaths& paths) {
    std::ranges::fill(values_, OwnValue{});
    own_.compute(paths, values_);
    for (std::size_t k = 0; k < values_.size(); ++k) {
      OwnColumn& column = run_.own[k];
      const double value = values_[k].value;
      if (std::isnan(value)) continue;
      refuse_wrong(value, column.metric, run_.rows[row]);
      column.values[row] = value;
      column.is_rate = column.is_rate && values_[k].is_truth;
    }
  }

 private:
  void refuse_wrong(double value, const OwnMetric& metric, const ItemRow& row) const {
    const InputError::Where where{run_.file, row.instr_id, metric.name};
    if (std::isinf(value))
      throw InputError(where, "is infinite", "return None or NaN where there is no value");
    if (std::abs(value) > max_own_value)
      throw InputError(where, fmt::format("is {:g}, which is beyond 1e9", value),
                       "return it in a larger unit");
    if (metric.unit != Unit::fraction || (value >= -rounding && value <= 1.0 + rounding)) return;
    throw InputError(where, fmt::format("is {}, but a fraction lies in [0, 1]", value),
                     "declare the metric with another unit, such as length or count");
  }

  const OwnMetrics& own_;
  AgentResult& run_;
  std::vector<OwnValue> values_;
};

// Measures distances on the scans of a batch.
class ScanDistances {
 public:
  ScanDistances(const PairBatch& batch, Distance distance) : batch_(batch), distance_(distance) {}

  double between(std::uint32_t scan, Node from, Node to) {
    const auto [place, is_new] = of_scan_.try_emplace(scan, *batch_.scans[scan], distance_);
    Distances& distances = place->second;
    const std::size_t before = distances.bytes();
    const double found = distances.row_to(to)[from];
    bytes_ += distances.bytes() - before;
    if (bytes_ > max_row_bytes) {
      of_scan_.clear();
      bytes_ = 0;
    }
    return found;
  }

 private:
  const PairBatch& batch_;
  const Distance distance_;
  std::map<std::uint32_t, Distances> of_scan_;
  std::size_t bytes_ = 0;
};

// Measures distances between the positions of one pair.
class PositionPair {
 public:
  PositionPair(const Inputs& inputs, const PackedEpisodes& packed, const Convention& convention,
               std::uint32_t pair)
      : inputs_(inputs), distance_(convention.distance), euclid_(distance_) {
    const PointPair paths = packed.batch.pairs[pair];
    for (const auto path :
         {packed.batch.references[paths.reference], packed.batch.queries[paths.query]})
      points_.insert(points_.end(), path.begin(), path.end());
    references_ = packed.batch.references.size_of(paths.reference);
    if (!inputs.meshes || inputs.meshes->which() != OverMeshes::all) return;
    search_.emplace(inputs.meshes->search(inputs.dataset.items[packed.sources[pair].item].scan));
    for (const Position& point : points_) snapped_.push_back(search_->snap(navmesh::single(point)));
  }

  double between(std::uint32_t from, std::uint32_t to) const {
    if (!search_) return euclid_(points_[from], points_[to]);
    if (points_[from] == points_[to]) return 0.0;
    return search_->distance(snapped_[from], snapped_[to]).metres;
  }

  // Returns the positions of the reference, or those of the query, as files have them.
  std::vector<Position> as_in_files(bool is_reference) const {
    std::vector<Position> path;
    const std::size_t begin = is_reference ? 0 : references_;
    const std::size_t end = is_reference ? references_ : points_.size();
    for (std::size_t k = begin; k < end; ++k)
      path.push_back(placed(points_[k], distance_, *inputs_.dataset.episodes));
    return path;
  }

 private:
  const Inputs& inputs_;
  const Distance distance_;
  const graph::Euclid euclid_;
  std::vector<Position> points_;  // of the reference, then of the query
  std::size_t references_ = 0;
  std::optional<navmesh::Search> search_;
  std::vector<navmesh::Snapped> snapped_;
};

// Names of other columns of tables and files, and of other means of flat JSON.
constexpr std::string_view other_columns[] = {
    "run", "name",   "instr_id",  "scan",    "language",  "status",      "n",
    "of",  "groups", "oracle_sr", "lengths", "nav_error", "oracle_error"};

// Tells whether a text can be a name: it needs no quotes in tables, files and signatures.
bool can_be_a_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto may_follow = [&](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') ||
           std::string_view("_.+@-").find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= 40 && is_letter(text.front()) &&
         std::ranges::all_of(text, may_follow);
}

bool is_of_another_column(std::string_view name) {
  const auto is_it = [&](std::string_view column) { return base::equal_letters(column, name); };
  const bool counts_items =
      name.size() > 2 && base::equal_letters(name.substr(name.size() - 2), "_n");
  return counts_items || std::ranges::any_of(other_columns, is_it);
}

void check_name(const OwnMetric& metric, const std::vector<OwnMetric>& all) {
  const std::string& name = metric.name;
  if (!can_be_a_name(name)) {
    throw UsageError(
        fmt::format("own metrics: '{}' is no name: begin with a letter, then up to 39 letters, "
                    "digits and _ . + @ -",
                    base::shortened(base::clean_text(name), 60)));
  }
  if (find_metric(name)) {
    throw UsageError(
        fmt::format("a metric is called {} already: choose another name for yours", name));
  }
  if (is_of_another_column(name)) {
    throw UsageError(
        fmt::format("own metrics: {} is the name of another column; choose another", name));
  }
  const auto is_namesake = [&](const OwnMetric& o) { return base::equal_letters(o.name, name); };
  if (std::ranges::count_if(all, is_namesake) > 1)
    throw UsageError(fmt::format("own metrics: {} is there twice, letter case aside", name));
}

// Calls `add` for each row that has a value of other metrics.
template <class AddRow>
void visit_rows_with_values(const AgentResult& run, const AddRow& add_row) {
  for (std::size_t r = 0; r < run.rows.size(); ++r) {
    const ItemRow& row = run.rows[r];
    const bool is_reached = row.pair && run.scores.status[*row.pair] != Status::unreachable;
    if (is_reached && is_scored_row(row) && !is_invalid(row)) add_row(r, *row.pair);
  }
}

}  // namespace

MetricInfo info_of(const OwnMetric& own) {
  return {.metric = static_cast<Metric>(metric_count),
          .name = own.name,
          .title = "metric of the caller",
          .unit = own.unit,
          .better = own.better,
          .source = "a function of the caller",
          .headline = true};
}

void check_own_metrics(const OwnMetrics& own) {
  for (const OwnMetric& metric : own.metrics) check_name(metric, own.metrics);
  if (!own.metrics.empty() && !own.compute)
    throw UsageError("metrics of the caller need a function that computes them");
}

void add_own_metrics(const OwnMetrics& own, const PairBatch& batch, const Convention& convention,
                     AgentResult& run) {
  if (own.metrics.empty()) return;
  OwnColumns columns(own, run);
  ScanDistances distances(batch, convention.distance);
  visit_rows_with_values(run, [&](std::size_t row, std::uint32_t number) {
    const Pair pair = batch.pairs[number];
    ItemPaths paths{.file = run.file,
                    .row = run.rows[row],
                    .scan = batch.scans[pair.scan],
                    .reference = batch.references[pair.reference],
                    .query = batch.queries[pair.query]};
    paths.distance = [&](std::uint32_t from, std::uint32_t to) {
      return distances.between(pair.scan, from, to);
    };
    columns.add(row, paths);
  });
}

void add_own_metrics(const OwnMetrics& own, const Inputs& inputs, const PackedEpisodes& packed,
                     const Convention& convention, AgentResult& run) {
  if (own.metrics.empty()) return;
  OwnColumns columns(own, run);
  visit_rows_with_values(run, [&](std::size_t row, std::uint32_t number) {
    const PositionPair pair(inputs, packed, convention, number);
    ItemPaths paths{.file = run.file, .row = run.rows[row], .reference = {}, .query = {}};
    paths.reference_positions = pair.as_in_files(true);
    paths.query_positions = pair.as_in_files(false);
    paths.distance = [&](std::uint32_t from, std::uint32_t to) { return pair.between(from, to); };
    columns.add(row, paths);
  });
}

}  // namespace warpath::evaluation
