#include "host/cuda/references.hpp"

#include <algorithm>

namespace warpath::cuda {

References::References(const PairBatch& batch, std::span<const std::uint32_t> rows,
                       std::size_t first, std::size_t most_bytes)
    : end_(rows.size()) {
  constexpr std::uint32_t none = 0xffffffff;
  std::vector<std::uint32_t> number(batch.references.size(), none);
  of_rows_.reserve(rows.size() - first);
  for (std::size_t k = first; k < rows.size(); ++k) {
    const Pair& pair = batch.pairs[rows[k]];
    std::uint32_t& r = number[pair.reference];
    if (r == none || scan_of_[r] != pair.scan) {
      const std::size_t nodes = nodes_ + batch.references.length(pair.reference);
      if (!references_.empty() && bytes_of(nodes, size() + 1) > most_bytes) {
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

template <class Id>
DeviceReferences<Id>::DeviceReferences(Device& device, const PairBatch& batch,
                                       const References& references,
                                       std::span<const float> cls_lengths,
                                       const kernels::BatchView& tables, Stream stream) {
  const std::size_t count = references.size();
  Mirror<Id> all_nodes(device, references.nodes());
  Mirror<std::uint32_t> all_offsets(device, count + 1), scans(device, count);
  Mirror<float> lengths;
  if (!cls_lengths.empty()) lengths = {device, count};
  std::uint32_t at = 0;
  for (std::size_t r = 0; r < count; ++r) {
    all_offsets.host[r] = at;
    scans.host[r] = references.scan_of()[r];
    for (const Node n : batch.references[references[r]]) {
      all_nodes.host[at++] = static_cast<Id>(n);
    }
    if (!cls_lengths.empty()) lengths.host[r] = cls_lengths[references[r]];
  }
  all_offsets.host[count] = at;
  all_nodes.upload(device, at, stream);
  all_offsets.upload(device, count + 1, stream);
  scans.upload(device, count, stream);
  if (!cls_lengths.empty()) lengths.upload(device, count, stream);
  terms = {device, count};
  device.make_terms({{all_nodes.device.data(), all_offsets.device.data()},
                     static_cast<std::uint32_t>(count),
                     scans.device.data(),
                     tables.scans,
                     tables.distance,
                     lengths.device.data(),
                     terms.data()},
                    stream);
  device.wait(stream);
  nodes = std::move(all_nodes.device);
  offsets = std::move(all_offsets.device);
  scan_of = std::move(scans.device);
  cls_length = std::move(lengths.device);
}

template struct DeviceReferences<std::uint8_t>;
template struct DeviceReferences<std::uint16_t>;

}  // namespace warpath::cuda
