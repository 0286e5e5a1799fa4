#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "kernels/bodies/statistics.hpp"
#include "tests/support/fake_kernels.hpp"

namespace warpath::testing {

using namespace kernels;

namespace {

std::vector<std::uint32_t> shuffled(std::uint32_t count, std::mt19937_64& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::shuffle(order, random);
  return order;
}

}  // namespace

void aggregate_plainly(const AggregateView& view, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto blocks = static_cast<std::uint32_t>(1 + random() % 5);
  const auto threads = static_cast<std::uint32_t>(32 * (1 + random() % 3));
  std::vector<std::uint32_t> cells(block_cells, 0);
  for (const std::uint32_t block : shuffled(blocks, random)) {
    const StridedRange slices = column_slices_of({block, blocks, 0, threads});
    const SlicePlan plan = plan_slices(view, blocks);
    for (std::uint32_t s = slices.first; s < plan.slices(); s += slices.step) {
      const ColumnSlice slice = plan[s];
      std::vector<PartialStatistics> parts(threads);
      PartialStatistics together;  // of some threads, as in a warp
      for (const std::uint32_t t : shuffled(threads, random)) {
        together.merge(
            add_slice(view, slice, {block, blocks, t, threads}, cells.data(), PlainMemory{}));
        if (random() % 8 > 0) continue;
        parts[t] = together;
        together = {};
      }
      parts[0].merge(together);
      for (const std::uint32_t t : shuffled(threads, random)) {
        finish_slice(view, slice, {block, blocks, t, threads}, parts[t], cells.data(),
                     PlainMemory{});
      }
    }
  }
}

}  // namespace warpath::testing
