#pragma once

#include <cstdint>
#include <span>

#include "host/core/batch/distance_tables.hpp"
#include "host/core/cpu/cpu_kernels.hpp"

namespace warpath::cpu {

/// Fills a reference's own table from the rows of its scan's table, which is symmetric.
/// @param table shared_entries(viewpoints of the scan, pitch) floats
void fill_shared_table(const CpuKernels& isa, const batch::DistanceTables& tables,
                       std::uint32_t scan, std::span<const Node> reference, int pitch,
                       float* table);

}  // namespace warpath::cpu
