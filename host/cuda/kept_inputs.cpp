#include "host/cuda/kept_inputs.hpp"

namespace warpath::cuda {

std::shared_ptr<const DeviceTables> KeptInputs::tables(Device& device,
                                                       const batch::DistanceTables& tables,
                                                       std::size_t count, Stream stream) {
  const std::lock_guard lock(mutex_);
  if (tables_ == nullptr) {
    tables_ = std::make_shared<const DeviceTables>(device, tables, count, stream);
  }
  return tables_;
}

template <class Id>
std::shared_ptr<const DeviceReferences<Id>> KeptInputs::references(
    Device& device, const PairBatchView& batch, const References& references,
    std::span<const float> cls_length, const kernels::BatchView& tables, bool keep, Stream stream) {
  const std::lock_guard lock(mutex_);
  const auto* kept = std::get_if<Kept<Id>>(&references_);
  if (keep && kept != nullptr && (*kept)->equals(batch, references, cls_length)) return *kept;
  references_ = std::monostate();  // releases them before others are uploaded
  auto made =
      std::make_shared<DeviceReferences<Id>>(device, batch, references, cls_length, tables, stream);
  if (keep) {
    references_ = Kept<Id>(made);
  } else {
    made->forget_host_copy();
  }
  return made;
}

template std::shared_ptr<const DeviceReferences<std::uint8_t>> KeptInputs::references(
    Device&, const PairBatchView&, const References&, std::span<const float>,
    const kernels::BatchView&, bool, Stream);
template std::shared_ptr<const DeviceReferences<std::uint16_t>> KeptInputs::references(
    Device&, const PairBatchView&, const References&, std::span<const float>,
    const kernels::BatchView&, bool, Stream);

}  // namespace warpath::cuda
