#include "tests/support/device_batch.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/results.hpp"
#include "kernels/bodies/mapping.hpp"
#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/sweep/cell.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

constexpr std::uint32_t never_written = 0xabababab;

std::vector<Metric> kernel_metrics() {
  return batch::kernel_metrics(MetricSet::of_paths());
}

kernels::GroupPair pair_of(const PairBatch& batch, std::uint32_t row) {
  const Pair& pair = batch.pairs[row];
  return {row, pair.scan, pair.reference, pair.query};
}

}  // namespace

DeviceBatch::DeviceBatch(const PairBatch& batch, const Convention& convention, unsigned want)
    : batch_(batch), rules_(rules_of(convention, !batch.task_success.empty())) {
  rules_.quantities = want;
  const batch::DistanceTables tables(batch.scans, convention);
  for (std::uint32_t s = 0; s < batch.scans.size(); ++s) {
    const auto& table = tables[s];
    const float* first = tables.distance() + table.base;
    scans_.push_back({static_cast<std::uint32_t>(distance_.size()), table.pitch, table.pad});
    distance_.insert(distance_.end(), first, first + kernels::table_entries(table.pad));
  }
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  references_.assign(batch.references.size(), {none, none, none, none});
  cls_query_length_.assign(rules_.given_lengths ? batch.pairs.size() : 0, none);
  std::vector<Distances> edges;
  for (const Scan* scan : batch.scans) edges.emplace_back(*scan, convention.distance);
  for (std::size_t row = 0; row < batch.pairs.size(); ++row) {
    const Pair& pair = batch.pairs[row];
    const auto r = batch.references[pair.reference];
    references_[pair.reference] = {tables.path_length(pair.scan, r),
                                   tables.distance(pair.scan, r.front(), r.back()),
                                   edge_length(edges[pair.scan], r), none};
    if (rules_.given_lengths) {
      cls_query_length_[row] = edge_length(edges[pair.scan], batch.queries[pair.query]);
    }
  }
  task_success_.assign(batch.task_success.begin(), batch.task_success.end());
  clear();
}

kernels::BatchView DeviceBatch::view() {
  const auto given = [](const std::vector<float>& values) {
    return values.empty() ? nullptr : values.data();
  };
  kernels::BatchView view{.rules = rules_,
                          .distance = distance_.data(),
                          .scans = scans_.data(),
                          .references = references_.data(),
                          .task_success = given(task_success_),
                          .cls_query_length = given(cls_query_length_),
                          .results = {.column = {}, .flags = flags_.data()}};
  for (const Metric m : kernel_metrics()) {
    view.results.column[index_of(m)] = columns_[index_of(m)].data();
  }
  return view;
}

void DeviceBatch::clear() {
  const float none = std::numeric_limits<float>::quiet_NaN();
  columns_.assign(path_metric_count, std::vector<float>(batch_.pairs.size(), none));
  flags_.assign(batch_.pairs.size(), never_written);
}

std::size_t DeviceBatch::missing() const {
  return static_cast<std::size_t>(std::ranges::count(flags_, never_written));
}

Scores DeviceBatch::scores(std::uint32_t flags) const {
  Scores scores(batch_.pairs.size());
  for (std::size_t row = 0; row < batch_.pairs.size(); ++row) {
    for (const Metric m : kernel_metrics()) scores.column[m][row] = columns_[index_of(m)][row];
    RowWriter{scores, row}.flags(flags_[row] & flags);
  }
  return scores;
}

// ---------------------------------------------------------------- tiles

Tiles::Tiles(DeviceBatch& batch, std::vector<std::uint32_t> rows, int K, kernels::TileKernel kernel,
             std::uint32_t max_slice, bool small_ids)
    : batch_(batch), start_{{0, 0}} {
  const PairBatch& pairs = batch.batch();
  std::map<Key, std::vector<std::uint32_t>> together;
  for (const std::uint32_t row : rows) {
    const Pair& pair = pairs.pairs[row];
    const bool by_reference = has_one_reference(kernel);
    together[{pair.scan, by_reference ? pair.reference : 0}].push_back(row);
  }
  for (auto& [key, of_key] : together) {
    std::ranges::stable_sort(of_key, {}, [&](std::uint32_t row) {
      return pairs.queries.size_of(pairs.pairs[row].query);
    });
    slice(of_key, K, max_slice);
  }
  if (small_ids)
    pack<std::uint8_t>();
  else
    pack<std::uint16_t>();
}

void Tiles::slice(std::span<const std::uint32_t> rows, int K, std::uint32_t max_slice) {
  const PairBatch& pairs = batch_.batch();
  for (std::size_t k = 0; k < rows.size(); k += kernels::tile_pairs) {
    const auto tile = static_cast<std::uint32_t>(pairs_.size() / kernels::tile_pairs);
    if (k / kernels::tile_pairs % max_slice == 0) {
      slices_.push_back({pairs.pairs[rows[k]].scan, tile, 0});
    }
    ++slices_.back().count;
    std::size_t columns = 0;
    for (std::size_t lane = 0; lane < kernels::tile_pairs; ++lane) {
      pairs_.push_back(k + lane < rows.size() ? pair_of(pairs, rows[k + lane])
                                              : kernels::GroupPair{kernels::no_row, 0, 0, 0});
      if (k + lane >= rows.size()) continue;
      columns = std::max(columns, pairs.queries.size_of(pairs.pairs[rows[k + lane]].query));
    }
    start_.push_back({start_.back().column + static_cast<std::uint32_t>((columns + 1) / 2 * 2),
                      start_.back().row + static_cast<std::uint32_t>(K)});
  }
}

template <class Id>
void Tiles::pack() {
  const Uploaded<Id> references(batch_.batch().references), queries(batch_.batch().queries);
  const auto tiles = static_cast<std::uint32_t>(start_.size() - 1);
  range_ = {0, 0, 0, static_cast<std::uint32_t>(slices_.size())};
  reference_.assign(std::size_t{start_.back().row} * kernels::tile_pairs, 0xffff);
  query_.assign(std::size_t{start_.back().column} * kernels::tile_pairs, 0xffff);
  lengths_.assign(pairs_.size(), never_written);
  row_.assign(pairs_.size(), never_written);
  reference_of_.assign(pairs_.size(), never_written);
  const kernels::PackView view{.pairs = {.count = 0,
                                         .reference_of = {},
                                         .active = nullptr,
                                         .references = references.view(),
                                         .queries = queries.view(),
                                         .scan_of = nullptr,
                                         .scans = batch_.view().scans},
                               .slots = pairs_.data(),
                               .tiles = tiles,
                               .start = start_.data(),
                               .reference = reference_.data(),
                               .query = query_.data(),
                               .lengths = lengths_.data(),
                               .row = row_.data(),
                               .reference_of = reference_of_.data()};
  for (std::uint32_t s = 0; s < tiles * kernels::tile_pairs; ++s) pack_slot(view, s);
}

kernels::TileView Tiles::view() const {
  std::int32_t largest = 0;
  for (const kernels::Slice& s : slices_) largest = std::max(largest, batch_.scan(s.scan).pad);
  return {.batch = batch_.view(),
          .slices = slices_.data(),
          .range = &range_,
          .max_slices = static_cast<std::uint32_t>(slices_.size()),
          .max_scan = static_cast<std::uint32_t>(largest),
          .reference = reference_.data(),
          .query = query_.data(),
          .start = start_.data(),
          .lengths = lengths_.data(),
          .row = row_.data(),
          .reference_of = reference_of_.data()};
}

// ---------------------------------------------------------------- groups

Groups::Groups(DeviceBatch& batch, std::span<const std::uint32_t> rows, std::uint32_t border_groups)
    : batch_(batch),
      references_(batch.batch().references),
      queries_(batch.batch().queries),
      columns_(0),
      border_groups_(border_groups) {
  const PairBatch& pairs = batch.batch();
  for (const std::uint32_t row : rows) {
    pairs_.push_back(pair_of(pairs, row));
    columns_ = std::max(columns_,
                        static_cast<std::uint32_t>(pairs.queries.size_of(pairs.pairs[row].query)));
  }
  scan_of_.assign(pairs.references.size(), 0);
  for (const Pair& pair : pairs.pairs) scan_of_[pair.reference] = pair.scan;
  border_.assign(std::size_t{4} * border_groups * columns_, -7.0f);
  carry_.assign(std::size_t{2} * border_groups * columns_, kernels::edit_minus);
}

kernels::GroupView Groups::view() {
  const auto count = static_cast<std::uint32_t>(pairs_.size());
  range_ = {0, count, 0, 0};
  return {.batch = batch_.view(),
          .pairs = {.count = count,
                    .reference_of = {},
                    .active = nullptr,
                    .references = references_.view(),
                    .queries = queries_.view(),
                    .scan_of = scan_of_.data(),
                    .scans = batch_.view().scans},
          .slots = pairs_.data(),
          .range = &range_,
          .count = count,
          .border_columns = columns_,
          .border_groups = border_groups_,
          .border = border_.data(),
          .border_carry = carry_.data()};
}

GroupSlices::GroupSlices(DeviceBatch& batch, std::vector<std::uint32_t> rows,
                         std::uint32_t max_pairs, std::uint32_t border_groups) {
  const std::vector<Pair>& pairs = batch.batch().pairs;
  std::ranges::stable_sort(rows, {}, [&](std::uint32_t row) { return pairs[row].scan; });
  for (std::uint32_t k = 0; k < rows.size(); ++k) {
    const std::uint32_t scan = pairs[rows[k]].scan;
    const bool is_new =
        slices_.empty() || slices_.back().scan != scan || slices_.back().count == max_pairs;
    if (is_new) slices_.push_back({scan, k, 0});
    ++slices_.back().count;
    max_scan_ = std::max(max_scan_, static_cast<std::uint32_t>(batch.scan(scan).pad));
  }
  groups_.emplace(batch, rows, border_groups);
}

kernels::GroupSliceView GroupSlices::view() {
  kernels::GroupView groups = groups_->view();
  groups.count = 0;  // is not read
  range_ = {0, 0, 0, static_cast<std::uint32_t>(slices_.size())};
  groups.range = &range_;
  return {.groups = groups,
          .slices = slices_.data(),
          .max_slices = static_cast<std::uint32_t>(slices_.size()),
          .max_scan = max_scan_};
}

}  // namespace warpath::testing
