#include "host/core/cpu/reward_order.hpp"

#include <algorithm>
#include <numeric>

namespace warpath::cpu {
namespace {

constexpr std::size_t cached_entries = 128 * 1024;  // 512 KiB
// The lanes of a group wait for each other where two windows meet in it: once in so many groups.
constexpr std::size_t min_groups = 16;

}  // namespace

std::vector<std::uint32_t> order_by_length(std::uint32_t count, const kernels::PathLayout& layout,
                                           const std::uint8_t* active) {
  std::vector<std::uint32_t> rollouts, lengths;
  rollouts.reserve(count);
  lengths.reserve(count);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (active != nullptr && active[k] == 0) continue;
    rollouts.push_back(k);
    lengths.push_back(layout.length(k));
  }
  if (rollouts.empty()) return {};
  const std::uint32_t longest = std::ranges::max(lengths);
  std::vector<std::uint32_t> below(longest + std::size_t{2});
  for (const std::uint32_t length : lengths) ++below[longest - length + std::size_t{1}];
  std::partial_sum(below.begin(), below.end(), below.begin());
  std::vector<std::uint32_t> order(rollouts.size());
  for (std::size_t k = 0; k < rollouts.size(); ++k) {
    order[below[longest - lengths[k]]++] = rollouts[k];
  }
  return order;
}

std::vector<std::uint32_t> windows_of_scans(const batch::DistanceTables& tables,
                                            std::size_t groups) {
  if (groups < 2 * min_groups) return {};
  std::vector<std::uint32_t> windows;
  std::size_t held = 0;
  std::uint32_t window = 0;
  for (std::uint32_t s = 0; s < tables.size(); ++s) {
    const std::size_t entries = tables.entries_of(s);
    if (held > 0 && held + entries > cached_entries) {
      ++window;
      held = 0;
    }
    held += entries;
    windows.push_back(window);
  }
  if (window == 0 || groups < (window + std::size_t{1}) * min_groups) return {};
  return windows;
}

void sort_by_window(std::span<const std::uint32_t> window_of,
                    std::vector<std::uint32_t>& rollouts) {
  std::vector<std::size_t> next(std::ranges::max(window_of) + std::size_t{2});
  for (const std::uint32_t w : window_of) ++next[w + std::size_t{1}];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> sorted(rollouts.size());
  for (std::size_t k = 0; k < rollouts.size(); ++k) sorted[next[window_of[k]]++] = rollouts[k];
  rollouts.swap(sorted);
}

}  // namespace warpath::cpu
