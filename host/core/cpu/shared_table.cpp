#include "host/core/cpu/shared_table.hpp"

#include <vector>

namespace warpath::cpu {

void fill_shared_table(const CpuKernels& isa, const batch::DistanceTables& tables,
                       std::uint32_t scan, std::span<const Node> reference, int pitch,
                       float* table) {
  const kernels::ScanTable& from = tables[scan];
  std::vector<const float*> rows;
  rows.reserve(reference.size());
  for (const Node node : reference) {
    rows.push_back(tables.distance() + from.base + std::size_t{node} * from.pitch);
  }
  isa.fill_shared(rows.data(), static_cast<int>(rows.size()), from.pad, pitch, table);
}

}  // namespace warpath::cpu
