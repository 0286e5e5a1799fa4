#include <algorithm>

#include "host/core/cuda/resident_scorer.hpp"
#include "warpath/error.hpp"

namespace warpath::cuda {

using namespace kernels;

namespace {

std::uint32_t max_length_of(const PathSet& paths) {
  std::size_t longest = 1;
  for (std::size_t p = 0; p < paths.size(); ++p) longest = std::max(longest, paths.size_of(p));
  return static_cast<std::uint32_t>(longest);
}

}  // namespace

ResidentReferences::ResidentReferences(Device& device, const PathSet& references,
                                       std::span<const std::uint32_t> scan_of,
                                       const DeviceTables& tables,
                                       const ReferenceScorerOptions& options, Stream stream)
    : device_(device),
      tables_(tables),
      size_(std::max(options.max_references, static_cast<std::uint32_t>(references.size()))) {
  const std::uint32_t longest = std::max(options.max_reference_length, max_length_of(references));
  const bool may_change = options.max_references > 0;
  if (references.elements.size() > 0xffffffff) {
    throw InputError({{}, {}, "references"}, "have 2^32 viewpoints or more",
                     "give them to several scorers");
  }
  DeviceArray<std::uint16_t> nodes = uploaded<std::uint16_t>(device, references.elements, stream);
  DeviceArray<std::uint32_t> offsets = uploaded<std::uint32_t>(device, references.offsets, stream);
  DeviceArray<std::uint32_t> scans = uploaded<std::uint32_t>(device, scan_of, stream);
  const WaitAtEnd wait(device, stream);
  const PathArray given{
      .nodes = integers(nodes.data()),
      .layout = {
          .offsets = integers(offsets.data()), .lengths = {}, .pitch = 0, .max_length = longest}};
  terms_ = {device, size_};
  if (may_change) {
    nodes_ = {device, std::size_t{size_} * longest};
    lengths_ = {device, size_};
    scan_of_ = {device, size_};
    view_ = {.nodes = integers(nodes_.data()),
             .layout = {.offsets = {},
                        .lengths = integers(lengths_.data()),
                        .pitch = longest,
                        .max_length = longest}};
    device.fill(lengths_.data(), 0, size_ * sizeof(std::uint32_t), stream);
    device.fill(scan_of_.data(), 0, size_ * sizeof(std::uint32_t), stream);
    if (references.size() > 0) {
      store(0, static_cast<std::uint32_t>(references.size()), given, integers(scans.data()),
            stream);
    } else {
      store(0, 1, view_, integers(scan_of_.data()), stream);  // an empty one, to load the kernel
    }
  } else {
    nodes_ = std::move(nodes);
    offsets_ = std::move(offsets);
    scan_of_ = std::move(scans);
    view_ = given;
    device.launch(terms_view(), stream);
  }
  device.wait(stream);
}

TermsView ResidentReferences::terms_view() {
  return {.references = view_,
          .count = size_,
          .scan_of = scan_of_.data(),
          .scans = tables_.scans.data(),
          .distance = tables_.distance.data(),
          .cls_length = nullptr,
          .terms = terms_.data()};
}

void ResidentReferences::store(std::uint32_t first, std::uint32_t count, const PathArray& paths,
                               const IntegerArray& scan_of, Stream stream) {
  device_.launch(StoreView{.from = paths,
                           .scan_of = scan_of,
                           .scans = static_cast<std::uint32_t>(tables_.host.size()),
                           .first = first,
                           .count = count,
                           .pitch = view_.layout.pitch,
                           .nodes = nodes_.data(),
                           .lengths = lengths_.data(),
                           .to_scan_of = scan_of_.data(),
                           .terms = terms_view()},
                 stream);
}

}  // namespace warpath::cuda
