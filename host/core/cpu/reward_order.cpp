#include "host/core/cpu/reward_order.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace warpath::cpu {
namespace {

constexpr std::size_t cached_entries = 128 * 1024;  // 512 KiB
// The lanes of a group wait for each other where two windows meet in it: once in so many groups.
constexpr std::size_t min_groups = 16;
// Rollouts of a reference from which on its own table is worth its filling.
constexpr std::size_t min_shared = 4;

// Returns the columns that lanes go through, each group those of its longest rollout.
std::size_t count_columns(std::span<const std::uint32_t> rollouts,
                          const kernels::PathLayout& layout, std::size_t lanes) {
  std::size_t columns = 0;
  for (std::size_t k = 0; k < rollouts.size(); k += lanes) {
    std::uint32_t longest = 0;
    for (const std::uint32_t r : rollouts.subspan(k, std::min(lanes, rollouts.size() - k))) {
      longest = std::max(longest, layout.length(r));
    }
    columns += longest;
  }
  return columns;
}

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

void sort_by_key(std::span<const std::uint32_t> keys, std::vector<std::uint32_t>& rollouts) {
  std::vector<std::size_t> next(std::ranges::max(keys) + std::size_t{2});
  for (const std::uint32_t key : keys) ++next[key + std::size_t{1}];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> sorted(rollouts.size());
  for (std::size_t k = 0; k < rollouts.size(); ++k) sorted[next[keys[k]]++] = rollouts[k];
  rollouts.swap(sorted);
}

bool order_by_reference(std::span<const std::uint32_t> references,
                        const kernels::PathLayout& layout, std::size_t lanes,
                        std::vector<std::uint32_t>& rollouts) {
  // Few enough keys for a counting sort: two references of one key are rare, and they only share
  // less.
  const std::size_t mask = std::bit_ceil(rollouts.size()) - 1;
  std::vector<std::uint32_t> keys;
  keys.reserve(rollouts.size());
  std::vector<std::uint8_t> is_used(mask + 1);
  std::size_t used = 0;
  for (const std::uint32_t r : references) {
    keys.push_back(static_cast<std::uint32_t>(r & mask));
    used += is_used[keys.back()] == 0 ? 1 : 0;
    is_used[keys.back()] = 1;
  }
  if (rollouts.size() < min_shared * used) return false;
  std::vector<std::uint32_t> together = rollouts;
  sort_by_key(keys, together);
  // A column takes two thirds to four fifths of the time with tables of the references' own.
  if (4 * count_columns(together, layout, lanes) > 5 * count_columns(rollouts, layout, lanes)) {
    return false;
  }
  rollouts.swap(together);
  return true;
}

}  // namespace warpath::cpu
