#include "host/core/cpu/own_tables.hpp"

#include <algorithm>

#include "host/core/cpu/shared_table.hpp"

namespace warpath::cpu {
namespace {

// A distance that is gathered takes as long as so many entries of a table that is filled.
constexpr std::size_t entries_per_gather = 16;

}  // namespace

bool OwnTables::find_held(std::span<const std::uint32_t> references) {
  first_.clear();
  for (const std::uint32_t r : references) {
    const auto held = std::ranges::find(held_, r, &Held::reference);
    if (held == held_.end()) return false;
    first_.push_back(held->first);
  }
  return true;
}

bool OwnTables::make(std::span<const std::uint32_t> references, std::size_t columns, int rows) {
  // Lanes that cannot transpose gain nothing.
  if (rows > shared_pitch || kernels_.score_shared == nullptr) return false;
  if (find_held(references)) return true;
  held_.clear();
  std::size_t entries = 0;
  const std::size_t max_entries = columns * static_cast<std::size_t>(rows) * entries_per_gather;
  for (const std::uint32_t r : references) {
    if (std::ranges::find(held_, r, &Held::reference) != held_.end()) continue;
    held_.push_back({r, static_cast<std::int32_t>(entries / shared_pitch)});
    const std::uint32_t scan = tables_.scan_of[r];
    entries += shared_entries(tables_.distances[scan].pad, shared_pitch);
    if (entries > max_entries || !tables_.distances.is_symmetric(scan)) {
      held_.clear();
      return false;
    }
  }
  distance_.resize(std::max(distance_.size(), entries));
  for (const auto& [reference, first] : held_) {
    fill_shared_table(kernels_, tables_.distances, tables_.scan_of[reference],
                      tables_.references[reference], shared_pitch,
                      distance_.data() + static_cast<std::size_t>(first) * shared_pitch);
  }
  return find_held(references);
}

}  // namespace warpath::cpu
