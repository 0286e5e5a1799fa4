#include "host/core/cpu/own_tables.hpp"

#include <algorithm>

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

void OwnTables::fill(const Held& held) {
  const auto reference = tables_.references[held.reference];
  const kernels::ScanTable& scan = tables_.distances[tables_.scan_of[held.reference]];
  const float* rows[shared_pitch];
  for (std::size_t i = 0; i < reference.size(); ++i) {
    rows[i] = tables_.distances.distance() + scan.base + std::size_t{reference[i]} * scan.pitch;
  }
  kernels_.fill_shared(rows, static_cast<int>(reference.size()), scan.pad, shared_pitch,
                       distance_.data() + static_cast<std::size_t>(held.first) * shared_pitch);
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
  std::ranges::for_each(held_, [&](const Held& held) { fill(held); });
  return find_held(references);
}

}  // namespace warpath::cpu
