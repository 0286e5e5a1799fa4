#include "host/core/cuda/references.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <numeric>

namespace warpath::cuda {
namespace {

constexpr std::uint32_t none = 0xffffffff;
constexpr std::size_t max_nodes = 0xffffffff;  // offsets have 32 bits

}  // namespace

References::References(const PairBatchView& batch, const Rows& rows, std::size_t first,
                       std::size_t max_bytes)
    : end_(rows.size()) {
  const bool has_all = first == 0 && rows.size() == batch.pairs.size();
  const std::size_t nodes = batch.references.elements.size();
  const bool fit = bytes_of(nodes, batch.references.size()) <= max_bytes && nodes <= max_nodes;
  if (!has_all || !fit || !take_all(batch)) number(batch, rows, first, max_bytes);
}

// Each pair writes its scan to its reference, so one of several writers wins; then each checks that
// it finds its own.
bool References::take_all(const PairBatchView& batch) {
  const auto count = static_cast<std::uint32_t>(batch.pairs.size());
  constexpr auto relaxed = std::memory_order_relaxed;
  scan_of_.assign(batch.references.size(), none);
  for_each_block(count, [&](std::uint32_t, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t k = begin; k < end; ++k) {
      const std::atomic_ref scan(scan_of_[batch.pairs[k].reference]);
      if (scan.load(relaxed) == none) scan.store(batch.pairs[k].scan, relaxed);
    }
  });
  std::atomic<bool> is_own = std::ranges::find(scan_of_, none) == scan_of_.end();
  for_each_block(count, [&](std::uint32_t, std::uint32_t begin, std::uint32_t end) {
    const auto differs = [&](const Pair& pair) { return scan_of_[pair.reference] != pair.scan; };
    const auto pairs = std::span(batch.pairs).subspan(begin, end - begin);
    if (std::ranges::any_of(pairs, differs)) is_own.store(false, relaxed);
  });
  nodes_ = batch.references.elements.size();
  return is_own;
}

void References::number(const PairBatchView& batch, const Rows& rows, std::size_t first,
                        std::size_t max_bytes) {
  nodes_ = 0;
  scan_of_.clear();
  std::vector<std::uint32_t> number(batch.references.size(), none);
  of_rows_.reserve(rows.size() - first);
  for (std::size_t k = first; k < rows.size(); ++k) {
    const Pair& pair = batch.pairs[rows[k]];
    std::uint32_t& r = number[pair.reference];
    if (r == none || scan_of_[r] != pair.scan) {
      const std::size_t nodes = nodes_ + batch.references.size_of(pair.reference);
      const bool fits = bytes_of(nodes, size() + 1) <= max_bytes && nodes <= max_nodes;
      if (!references_.empty() && !fits) {
        end_ = k;
        return;
      }
      nodes_ = nodes;
      r = static_cast<std::uint32_t>(references_.size());
      references_.push_back(pair.reference);
      scan_of_.push_back(pair.scan);
    }
    of_rows_.push_back(r);
  }
}

DeviceReferences::DeviceReferences(Device& device, const PairBatchView& batch,
                                   const References& references, std::span<const float> cls_lengths,
                                   const kernels::BatchView& tables, std::uint32_t bytes_of_id,
                                   Stream stream)
    : id_bytes(bytes_of_id),
      nodes(device, references.nodes() * id_bytes),
      offsets(device, references.size() + 1),
      scan_of(device, references.size()),
      terms(device, references.size()) {
  const auto count = static_cast<std::uint32_t>(references.size());
  if (!cls_lengths.empty()) cls_length = {device, count};
  const WaitAtEnd wait(device, stream);
  fill_pinned(batch, references, cls_lengths);
  nodes.upload(device, references.nodes() * id_bytes, stream);
  offsets.upload(device, count + std::size_t{1}, stream);
  scan_of.upload(device, count, stream);
  if (!cls_lengths.empty()) cls_length.upload(device, count, stream);
  view = {.nodes = {nodes.device.data(), id_bytes},
          .layout = {.offsets = kernels::integers(offsets.device.data()),
                     .lengths = {},
                     .pitch = 0,
                     .max_length = std::numeric_limits<std::uint32_t>::max()}};
  device.launch(kernels::TermsView{.references = view,
                                   .count = count,
                                   .scan_of = scan_of.device.data(),
                                   .scans = tables.scans,
                                   .distance = tables.distance,
                                   .cls_length = cls_length.device.data(),
                                   .terms = terms.data()},
                stream);
  device.wait(stream);
}

void DeviceReferences::fill_pinned(const PairBatchView& batch, const References& references,
                                   std::span<const float> cls_lengths) {
  const auto count = static_cast<std::uint32_t>(references.size());
  const PathView<Node>& paths = batch.references;
  const auto path_of = [&](std::uint32_t r) { return references[r]; };
  std::vector<std::uint32_t> block_nodes(block_count(count) + 1, 0);
  for_each_block(count, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t r = begin; r < end; ++r) {
      block_nodes[block + 1] += static_cast<std::uint32_t>(paths.size_of(path_of(r)));
    }
  });
  std::partial_sum(block_nodes.begin(), block_nodes.end(), block_nodes.begin());
  for_each_block(count, [&](std::uint32_t block, std::uint32_t begin, std::uint32_t end) {
    std::uint32_t at = block_nodes[block];
    for (std::uint32_t r = begin; r < end; ++r) {
      offsets.host[r] = at;
      at += static_cast<std::uint32_t>(paths.size_of(path_of(r)));
      scan_of.host[r] = references.scan_of()[r];
      if (!cls_lengths.empty()) cls_length.host[r] = cls_lengths[path_of(r)];
    }
    std::uint8_t* to = nodes.host.data() + std::size_t{block_nodes[block]} * id_bytes;
    if (id_bytes == 1) copy_nodes(paths, begin, end, path_of, to);
    if (id_bytes == 2) {
      copy_nodes(paths, begin, end, path_of, reinterpret_cast<std::uint16_t*>(to));
    }
  });
  offsets.host[count] = block_nodes.back();
}

bool DeviceReferences::equals(const PairBatchView& batch, const References& references,
                              std::span<const float> cls_lengths, std::uint32_t bytes_of_id) const {
  if (bytes_of_id != id_bytes || references.size() != scan_of.host.size() ||
      references.nodes() * id_bytes != nodes.host.size() ||
      cls_lengths.empty() != (cls_length.host.size() == 0)) {
    return false;
  }
  const auto is_same = [&](std::uint32_t r, const auto* all_nodes) {
    const auto path = batch.references[references[r]];
    const std::uint32_t first = offsets.host[r];
    return references.scan_of()[r] == scan_of.host[r] &&
           path.size() == offsets.host[r + 1] - first &&
           std::equal(path.begin(), path.end(), all_nodes + first) &&
           (cls_lengths.empty() || std::bit_cast<std::uint32_t>(cls_lengths[references[r]]) ==
                                       std::bit_cast<std::uint32_t>(cls_length.host[r]));
  };
  const std::uint8_t* bytes = nodes.host.data();
  const auto* words = reinterpret_cast<const std::uint16_t*>(bytes);
  std::atomic<bool> are_same = true;
  const auto count = static_cast<std::uint32_t>(references.size());
  for_each_block(count, [&](std::uint32_t, std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t r = begin; r < end; ++r) {
      if (!(id_bytes == 1 ? is_same(r, bytes) : is_same(r, words))) {
        return are_same.store(false, std::memory_order_relaxed);
      }
    }
  });
  return are_same;
}

void DeviceReferences::forget_host_copy() {
  nodes.host = {};
  offsets.host = {};
  scan_of.host = {};
  cls_length.host = {};
}

}  // namespace warpath::cuda
