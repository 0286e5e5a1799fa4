#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/rewards/reward_tables.hpp"

namespace warpath::cpu {

/// Makes tables of the distances to single references, for lanes that share references: from such a
/// table a lane loads its distances to all viewpoints of its reference at once.
class OwnTables {
 public:
  /// @param tables, kernels must outlive the object
  OwnTables(const rewards::RewardTables& tables, const CpuKernels& kernels)
      : tables_(tables), kernels_(kernels) {}

  /// Makes the tables of these references, or keeps those of the last call. Returns whether that
  /// takes less time than to gather each distance from the scans' tables; if not, there are none.
  /// @param references of each lane @param columns,rows of the distances that will be read
  bool make(std::span<const std::uint32_t> references, std::size_t columns, int rows);

  /// Tables whose rows have shared_pitch entries, one for each viewpoint.
  const float* data() const { return distance_.data(); }
  /// Row of viewpoint 0 of each lane's scan.
  const std::int32_t* first() const { return first_.data(); }

 private:
  struct Held {
    std::uint32_t reference;
    std::int32_t first;
  };

  bool find_held(std::span<const std::uint32_t> references);

  const rewards::RewardTables& tables_;
  const CpuKernels& kernels_;
  std::vector<Held> held_;
  std::vector<float> distance_;
  std::vector<std::int32_t> first_;
};

}  // namespace warpath::cpu
