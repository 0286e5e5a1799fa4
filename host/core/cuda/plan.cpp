#include "host/core/cuda/plan.hpp"

#include <bit>

#include "kernels/bodies/plan_runs.hpp"

namespace warpath::cuda {

using namespace kernels;

std::uint32_t max_viewpoints(std::span<const ScanTable> scans) {
  std::uint32_t most = 0;
  for (const ScanTable& scan : scans) most = std::max(most, static_cast<std::uint32_t>(scan.pad));
  return most;
}

void Dispatch::set_kernels(std::span<const KernelNumbers> of_scans, std::size_t references) {
  KernelNumbers all = 0;
  max_runs = policy.by_reference ? static_cast<std::uint32_t>(references) : 0;
  for (const KernelNumbers numbers : of_scans) {
    all |= numbers;
    max_runs += static_cast<std::uint32_t>(std::popcount(numbers));
  }
  max_runs += 2;  // pairs that are not active, and those with an empty path
  kernels.clear();
  for (; all != 0; all &= all - 1) {
    kernels.push_back(static_cast<std::uint32_t>(std::countr_zero(all)));
  }
}

bool Dispatch::has_tiles() const {
  return max_rows() > 0;
}

bool Dispatch::has_groups() const {
  return std::ranges::any_of(kernels, [](std::uint32_t k) { return !in_tiles(k); });
}

std::uint32_t Dispatch::max_rows() const {
  int rows = 0;
  for (const std::uint32_t number : kernels) rows = std::max(rows, rows_of(number));
  return static_cast<std::uint32_t>(rows);
}

void set_scan_sizes(DispatchPolicy& policy, std::span<const ScanTable> scans, unsigned all_floats) {
  constexpr std::size_t blocks_at_once[scan_sizes] = {4, 2, 1};
  std::ranges::fill(policy.max_viewpoints, 0u);
  for (const ScanTable& scan : scans) {
    const auto viewpoints = static_cast<std::uint32_t>(scan.pad);
    const std::size_t bytes =
        sizeof(float) * shared_floats(TileKernel::shared_table, 0, viewpoints);
    for (int size = 0; size < scan_sizes; ++size) {
      if (!fit_at_once(blocks_at_once[size], bytes, sizeof(float) * all_floats)) continue;
      policy.max_viewpoints[size] = std::max(policy.max_viewpoints[size], viewpoints);
      break;
    }
  }
}

int max_replicated_rows(std::span<const ScanTable> scans, unsigned all_floats) {
  const std::uint32_t viewpoints = max_viewpoints(scans);
  int rows = 20;
  while (rows > 0 &&
         shared_floats(TileKernel::replicated_reference, rows, viewpoints) > all_floats) {
    rows -= 4;
  }
  return rows;
}

bool own_table_pays(QuantitySet set, double uses, double query_length, std::uint32_t viewpoints,
                    unsigned all_floats) {
  return set != QuantitySet::goal && uses >= tile_pairs && uses * query_length > 1.5 * viewpoints &&
         shared_floats(TileKernel::shared_reference, 20, viewpoints) <= all_floats;
}

KeyBits key_bits(bool by_reference, std::size_t references, std::size_t scans,
                 std::uint32_t max_query) {
  const std::size_t ids = std::max(scans, by_reference ? references : 0);
  const std::uint32_t max_m = std::min<std::uint32_t>(max_query, max_tile_query);
  return {.m_bits = static_cast<int>(std::bit_width(max_m)),
          .id_bits = static_cast<int>(std::bit_width(ids))};
}

// A query of one viewpoint goes where all short ones go, and the longest perhaps elsewhere.
KernelNumbers kernels_for(const DispatchPolicy& policy, std::uint32_t n, std::uint32_t max_query,
                          std::uint32_t viewpoints) {
  KernelNumbers numbers = 0;
  for (const std::uint32_t m : {std::uint32_t{1}, max_query}) {
    const KernelChoice choice =
        choose_kernel(policy, static_cast<int>(n), static_cast<int>(m), viewpoints);
    numbers |= KernelNumbers{1} << number_of(choice);
  }
  return numbers;
}

// Every run may leave all but one slot of its last tile empty.
std::uint64_t Room::slots() const {
  return pairs + std::uint64_t{tile_pairs - 1} * (std::uint64_t{max_runs()} + 1);
}

// Queries of a run are sorted, so a tile's longest query is not longer than any query of the next
// tile. All but the last two tiles therefore have at most a 32nd of the nodes as columns; one more
// makes the number even.
std::uint64_t Room::columns() const {
  const std::uint64_t longest = std::min<std::uint64_t>(max_query, max_tile_query);
  const std::uint64_t sorted = query_nodes / tile_pairs + 2 * std::uint64_t{max_runs()} * longest;
  return std::min(sorted, tiles() * longest) + tiles();
}

std::uint32_t Room::tiles() const {
  return tiles_for(static_cast<std::uint32_t>(slots()));
}

std::uint32_t Room::slices() const {
  return max_runs() + tiles() + 1;
}

}  // namespace warpath::cuda
