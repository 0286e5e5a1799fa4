#include "host/core/cpu/packed_window.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/sweep/layout.hpp"

namespace warpath::cpu {
namespace {

constexpr std::uint32_t bins = 256;

// A group takes as long as its longest pair. If most lanes would be idle, each pair is scored alone
// by all lanes.
bool is_better_as_single_pair(std::int64_t longest, std::int64_t columns, std::int64_t cells,
                              int lanes) {
  return longest > 64 && columns > 64 && 2 * cells <= longest * columns * lanes;
}

int shape_of(std::int32_t longest) {
  int shape = 0;
  while (shape < shape_strips && row_shapes[shape] < longest) ++shape;
  return shape;
}

}  // namespace

std::span<const std::uint32_t> PackedWindow::consecutive_rows(std::uint32_t first,
                                                              std::size_t count) {
  consecutive_.resize(count);
  std::iota(consecutive_.begin(), consecutive_.end(), first);
  return consecutive_;
}

void PackedWindow::read(std::span<const std::uint32_t> rows, const PairBatchView& batch) {
  items_.resize(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Pair& pair = batch.pairs[rows[k]];
    const std::uint64_t r = batch.references.offsets[pair.reference];
    const std::uint64_t q = batch.queries.offsets[pair.query];
    const std::uint64_t n = batch.references.offsets[pair.reference + 1] - r;
    const std::uint64_t m = batch.queries.offsets[pair.query + 1] - q;
    items_[k] = {.reference = batch.references.elements.data() + r,
                 .query = batch.queries.elements.data() + q,
                 .n = static_cast<std::uint32_t>(n),
                 .m = static_cast<std::uint32_t>(m),
                 .row = rows[k]};
    // Prefetching the paths now hides the latency of staging them.
    __builtin_prefetch(items_[k].reference);
    __builtin_prefetch(items_[k].query);
    if (items_[k].m > 16) __builtin_prefetch(items_[k].query + 16);
  }
}

// Sorts by |Q|, then by |R|, with two counting sorts. Pairs longer than the last bin share it and
// are sorted by comparison. |Q| ascends and descends in turns, so that it does not jump where |R|
// changes.
void PackedWindow::sort() {
  const std::size_t pairs = items_.size();
  order_.resize(pairs);
  std::iota(order_.begin(), order_.end(), 0u);
  const Item& first = items_.front();
  if (std::ranges::all_of(items_,
                          [&](const Item& i) { return i.n == first.n && i.m == first.m; })) {
    return;
  }
  scratch_.resize(pairs);
  auto pass = [&](const std::vector<std::uint32_t>& from, std::vector<std::uint32_t>& to,
                  auto bin) {
    std::uint32_t count[bins + 1] = {};
    for (const Item& i : items_) ++count[1 + bin(i)];
    std::partial_sum(count, count + bins, count);
    for (const std::uint32_t k : from) to[count[bin(items_[k])]++] = k;
  };
  pass(order_, scratch_, [](const Item& i) {
    const std::uint32_t m = std::min(i.m, bins - 1);
    return i.n % 2 == 0 ? m : bins - 1 - m;
  });
  pass(scratch_, order_, [](const Item& i) { return std::min(i.n, bins - 1); });
  const auto long_ones =
      std::ranges::find_if(order_, [&](std::uint32_t k) { return items_[k].n >= bins - 1; });
  std::stable_sort(long_ones, order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(items_[a].n, items_[a].m) < std::pair(items_[b].n, items_[b].m);
  });
}

void PackedWindow::plan(int lanes, bool one_reference) {
  groups_.clear();
  std::size_t ids = 0;
  for (std::size_t begin = 0; begin < pairs(); begin += lanes) {
    const std::size_t end = std::min(begin + lanes, pairs());
    std::int32_t longest = 0, columns = 0;
    std::int64_t cells = 0;
    for (std::size_t p = begin; p < end; ++p) {
      longest = std::max(longest, static_cast<std::int32_t>(item(p).n));
      columns = std::max(columns, static_cast<std::int32_t>(item(p).m));
      cells += static_cast<std::int64_t>(item(p).n) * item(p).m;
    }
    if (is_better_as_single_pair(longest, columns, cells, lanes)) {
      groups_.push_back({ids, ids, shape_single_pair, 0, 0});
      continue;
    }
    const int shape = shape_of(longest), unit = row_shapes[std::min(shape, shape_strips - 1)];
    const std::int32_t rows = (longest + unit - 1) / unit * unit;
    const bool staged = one_reference && !groups_.empty();
    const std::size_t references = staged ? groups_.front().references : ids;
    if (!staged) ids += static_cast<std::size_t>(lanes) * (1 + rows);
    groups_.push_back({references, ids, shape, rows, columns});
    ids += static_cast<std::size_t>(lanes) * columns;
  }
  ids_.resize(ids);
}

void PackedWindow::resize_fields(std::size_t entries) {
  order_.resize(entries, order_.back());
  rows_.resize(entries);
  pads_.resize(entries);
  integers_.resize(4 * entries);
  reals_.resize(3 * entries);
  std::int32_t* integer = integers_.data();
  float* real = reals_.data();
  tasks_ = {.groups = groups_.data(),
            .ids = ids_.data(),
            .n = integer,
            .m = integer + entries,
            .base = integer + 2 * entries,
            .pitch = integer + 3 * entries,
            .task_success = real,
            .cls_query_length = real + entries,
            .cls_reference_length = real + 2 * entries};
}

void PackedWindow::fill_fields(const PairBatchView& batch, const batch::DistanceTables& tables,
                               const batch::ClsLengths& cls_lengths) {
  in_order_ = true;
  for (std::size_t p = 0; p < rows_.size(); ++p) {
    const Item& i = item(p);
    rows_[p] = i.row;
    in_order_ &= i.row == rows_[0] + p || p >= pairs();
    tasks_.n[p] = static_cast<std::int32_t>(i.n);
    tasks_.m[p] = static_cast<std::int32_t>(i.m);
  }
  for (std::size_t p = 0; p < rows_.size(); ++p) {
    const ScanTable& table = tables[batch.pairs[rows_[p]].scan];
    tasks_.base[p] = static_cast<std::int32_t>(table.base);
    tasks_.pitch[p] = table.pitch;
    pads_[p] = static_cast<Node>(table.pad);
  }
  if (!cls_lengths.query.empty()) {
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      const Pair& pair = batch.pairs[rows_[p]];
      tasks_.cls_query_length[p] = cls_lengths.query[pair.query];
      tasks_.cls_reference_length[p] = cls_lengths.reference[pair.reference];
    }
  }
  if (!batch.task_success.empty()) {
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      tasks_.task_success[p] = static_cast<float>(batch.task_success[rows_[p]]);
    }
  }
}

bool PackedWindow::stage_references(std::size_t g, const CpuKernels& isa) {
  const std::size_t begin = g * isa.lanes;
  const Group& group = groups_[g];
  const Node* path[max_lanes];
  std::int32_t front[max_lanes];
  StagedNode* to = ids_.data() + group.references;
  for (int l = 0; l < isa.lanes; ++l) {
    const Item& i = item(begin + l);
    path[l] = i.reference;
    front[l] = kernels::padding_rows(group.rows, static_cast<std::int32_t>(i.n));
    *to++ = static_cast<StagedNode>(i.reference[0]);
  }
  return isa.stage_paths({.path = path,
                          .length = tasks_.n + begin,
                          .front = front,
                          .filler = &pads_[begin],
                          .viewpoints = &pads_[begin],
                          .positions = group.rows},
                         to);
}

bool PackedWindow::stage_queries(std::size_t g, const CpuKernels& isa) {
  const std::size_t begin = g * isa.lanes;
  const Group& group = groups_[g];
  const Node* path[max_lanes];
  Node last[max_lanes];
  constexpr std::int32_t front[max_lanes] = {};
  for (int l = 0; l < isa.lanes; ++l) {
    const Item& i = item(begin + l);
    path[l] = i.query;
    last[l] = i.query[i.m - 1];
  }
  return isa.stage_paths({.path = path,
                          .length = tasks_.m + begin,
                          .front = front,
                          .filler = last,
                          .viewpoints = &pads_[begin],
                          .positions = group.columns},
                         ids_.data() + group.queries);
}

bool PackedWindow::check_single_pairs(std::size_t g, int lanes) const {
  bool all = true;
  for (std::size_t p = g * lanes; p < (g + 1) * lanes; ++p) {
    const Item& i = item(p);
    all &= *std::max_element(i.reference, i.reference + i.n) < pads_[p];
    all &= *std::max_element(i.query, i.query + i.m) < pads_[p];
  }
  return all;
}

bool PackedWindow::pack(std::span<const std::uint32_t> rows, const PairBatchView& batch,
                        const batch::DistanceTables& tables, const batch::ClsLengths& cls_lengths,
                        const CpuKernels& isa, bool one_reference) {
  read(rows, batch);
  sort();
  plan(isa.lanes, one_reference);
  resize_fields(groups() * isa.lanes);
  fill_fields(batch, tables, cls_lengths);
  bool all = true;
  for (std::size_t g = 0; g < groups(); ++g) {
    if (groups_[g].shape == shape_single_pair) {
      all &= check_single_pairs(g, isa.lanes);
      continue;
    }
    if (g == 0 || !one_reference) all &= stage_references(g, isa);
    all &= stage_queries(g, isa);
  }
  return all;
}

const ResultView& PackedWindow::outputs(std::span<const Metric> metrics) {
  const std::size_t entries = rows_.size();
  values_.resize(entries * metrics.size());
  flags_.resize(entries);
  outputs_ = {};
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    outputs_.column[index_of(metrics[c])] = values_.data() + c * entries;
  }
  outputs_.flags = flags_.data();
  return outputs_;
}

}  // namespace warpath::cpu
