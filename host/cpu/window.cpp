#include "host/cpu/window.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace warpath::cpu {
namespace {

constexpr std::size_t bins = 256;

}  // namespace

// A counting sort by |Q|, then one by |R|; all that is longer than the last bin shares it and is put
// in order by comparison.
void Window::sort(std::span<const std::uint32_t> rows, const PairBatch& batch) {
  const std::size_t pairs = rows.size();
  order_.resize(pairs);
  scratch_.resize(pairs);
  auto reference_length = [&](std::uint32_t row) {
    return batch.references.length(batch.pairs[row].reference);
  };
  auto query_length = [&](std::uint32_t row) {
    return batch.queries.length(batch.pairs[row].query);
  };
  auto pass = [&](const std::uint32_t* from, std::uint32_t* to, auto length) {
    count_.assign(bins + 1, 0);
    for (std::size_t k = 0; k < pairs; ++k) ++count_[1 + std::min(length(from[k]), bins - 1)];
    std::partial_sum(count_.begin(), count_.end(), count_.begin());
    for (std::size_t k = 0; k < pairs; ++k) {
      to[count_[std::min(length(from[k]), bins - 1)]++] = from[k];
    }
  };
  pass(rows.data(), scratch_.data(), query_length);
  pass(scratch_.data(), order_.data(), reference_length);
  const auto long_ones = std::ranges::find_if(
      order_, [&](std::uint32_t row) { return reference_length(row) >= bins - 1; });
  std::stable_sort(long_ones, order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(reference_length(a), query_length(a)) <
           std::pair(reference_length(b), query_length(b));
  });
}

void Window::resize(std::size_t entries) {
  nodes_.resize(2 * entries);
  integers_.resize(5 * entries);
  reals_.resize(5 * entries);
  const Node** node = nodes_.data();
  std::int32_t* integer = integers_.data();
  float* real = reals_.data();
  tasks_ = {node,
            node + entries,
            integer,
            integer + entries,
            integer + 2 * entries,
            integer + 3 * entries,
            integer + 4 * entries,
            real,
            real + entries,
            real + 2 * entries,
            real + 3 * entries,
            real + 4 * entries};
}

void Window::fill(std::span<const std::uint32_t> rows, const PairBatch& batch,
                  const Tables& tables, std::span<const ReferenceTerms> references,
                  std::span<const float> cls_query_lengths) {
  sort(rows, batch);
  const std::size_t pairs = rows.size();
  resize(pairs + slack);
  for (std::size_t p = 0; p < pairs + slack; ++p) {
    const std::uint32_t row = order_[std::min(p, pairs - 1)];
    const Pair& pair = batch.pairs[row];
    const auto reference = batch.references[pair.reference];
    const auto query = batch.queries[pair.query];
    const ScanTable& table = tables[pair.scan];
    tasks_.reference[p] = reference.data();
    tasks_.query[p] = query.data();
    tasks_.n[p] = static_cast<std::int32_t>(reference.size());
    tasks_.m[p] = static_cast<std::int32_t>(query.size());
    tasks_.base[p] = table.base;
    tasks_.pitch[p] = table.pitch;
    tasks_.pad[p] = table.pad;
    tasks_.reference_length[p] = references[pair.reference].length;
    tasks_.start_to_goal[p] = references[pair.reference].start_to_goal;
    tasks_.cls_reference_length[p] = references[pair.reference].cls_length;
    if (!cls_query_lengths.empty()) tasks_.cls_query_length[p] = cls_query_lengths[pair.query];
    tasks_.task_success[p] = batch.task_success.empty()
                                 ? std::numeric_limits<float>::quiet_NaN()
                                 : static_cast<float>(batch.task_success[row]);
  }
}

const Outputs& Window::outputs(std::span<const int> metrics) {
  const std::size_t entries = size() + slack;
  values_.resize(entries * metrics.size());
  flags_.resize(entries);
  outputs_ = {};
  for (std::size_t c = 0; c < metrics.size(); ++c) {
    outputs_.column[metrics[c]] = values_.data() + c * entries;
  }
  outputs_.flags = flags_.data();
  return outputs_;
}

}  // namespace warpath::cpu
