#include "host/cuda/references.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

namespace warpath::cuda {
namespace {

constexpr std::uint32_t none = 0xffffffff;

}  // namespace

References::References(const PairBatchView& batch, const Rows& rows, std::size_t first,
                       std::size_t max_bytes)
    : end_(rows.size()) {
  const bool has_all = first == 0 && rows.size() == batch.pairs.size();
  const bool fit = bytes_of(batch.references.elements.size(), batch.references.size()) <= max_bytes;
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
      if (!references_.empty() && bytes_of(nodes, size() + 1) > max_bytes) {
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
                                   const kernels::BatchView& tables, std::uint32_t id_bytes,
                                   Stream stream) {
  const auto count = static_cast<std::uint32_t>(references.size());
  HostDeviceArray<std::uint8_t> all_nodes(device, references.nodes() * id_bytes);
  HostDeviceArray<std::uint32_t> all_offsets(device, count + std::size_t{1}), scans(device, count);
  HostDeviceArray<float> lengths;
  if (!cls_lengths.empty()) lengths = {device, count};
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
      all_offsets.host[r] = at;
      at += static_cast<std::uint32_t>(paths.size_of(path_of(r)));
      scans.host[r] = references.scan_of()[r];
      if (!cls_lengths.empty()) lengths.host[r] = cls_lengths[path_of(r)];
    }
    std::uint8_t* to = all_nodes.host.data() + std::size_t{block_nodes[block]} * id_bytes;
    if (id_bytes == 1) copy_nodes(paths, begin, end, path_of, to);
    if (id_bytes == 2) {
      copy_nodes(paths, begin, end, path_of, reinterpret_cast<std::uint16_t*>(to));
    }
  });
  all_offsets.host[count] = block_nodes.back();
  all_nodes.upload(device, references.nodes() * id_bytes, stream);
  all_offsets.upload(device, count + std::size_t{1}, stream);
  scans.upload(device, count, stream);
  if (!cls_lengths.empty()) lengths.upload(device, count, stream);
  terms = {device, count};
  view = {.nodes = {all_nodes.device.data(), id_bytes},
          .layout = {.offsets = kernels::integers(all_offsets.device.data()),
                     .lengths = {},
                     .pitch = 0,
                     .max_length = std::numeric_limits<std::uint32_t>::max()}};
  device.launch(kernels::TermsView{.references = view,
                                   .count = count,
                                   .scan_of = scans.device.data(),
                                   .scans = tables.scans,
                                   .distance = tables.distance,
                                   .cls_length = lengths.device.data(),
                                   .terms = terms.data()},
                stream);
  device.wait(stream);
  nodes = std::move(all_nodes.device);
  offsets = std::move(all_offsets.device);
  scan_of = std::move(scans.device);
  cls_length = std::move(lengths.device);
}

}  // namespace warpath::cuda
