#include "host/core/cuda/kept_inputs.hpp"

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

std::shared_ptr<const DeviceReferences> KeptInputs::references(
    Device& device, const PairBatchView& batch, const References& references,
    std::span<const float> cls_length, const kernels::BatchView& tables, std::uint32_t id_bytes,
    bool keep, Stream stream) {
  const std::lock_guard lock(mutex_);
  if (keep && references_ != nullptr &&
      references_->equals(batch, references, cls_length, id_bytes)) {
    return references_;
  }
  references_ = nullptr;  // releases them before others are uploaded
  auto made = std::make_shared<DeviceReferences>(device, batch, references, cls_length, tables,
                                                 id_bytes, stream);
  if (keep) {
    references_ = made;
  } else {
    made->forget_host_copy();
  }
  return made;
}

}  // namespace warpath::cuda
