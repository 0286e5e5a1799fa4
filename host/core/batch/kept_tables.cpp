#include "host/core/batch/kept_tables.hpp"

#include <tbb/task_arena.h>

#include <algorithm>

#include "host/files/formats/graph_store_state.hpp"

namespace warpath::batch {

KeptTables& KeptTables::of(const GraphStore& graphs) {
  GraphStore::State& state = graphs.state();
  const std::lock_guard lock(state.mutex);
  if (state.tables == nullptr) state.tables = std::make_shared<KeptTables>();
  return *state.tables;
}

DistanceTables KeptTables::get(const GraphStore& graphs, std::span<const Scan* const> scans,
                               const Convention& convention, LargeTables large) {
  const auto is_large = [](const Scan* s) { return s->size() > DistanceTables::max_viewpoints; };
  if (large == LargeTables::all && std::ranges::any_of(scans, is_large)) {
    return get_large(graphs, scans, convention);
  }
  {
    const std::lock_guard lock(mutex_);
    Kept& kept = kept_({convention.distance, convention.threshold});
    if (has_all(kept, graphs, scans, convention)) {
      std::vector<std::uint32_t> numbers;
      numbers.reserve(scans.size());
      for (const Scan* scan : scans) numbers.push_back(kept.number.at(scan));
      return {kept.tables, numbers};
    }
  }
  return {scans, convention};
}

bool KeptTables::has_all(Kept& kept, const GraphStore& graphs, std::span<const Scan* const> scans,
                         const Convention& convention) {
  std::vector<const Scan*> all = kept.scans;
  auto number = kept.number;
  for (const Scan* scan : scans) {
    if (number.contains(scan)) continue;
    if (!graphs.state().has(*scan)) return false;
    number.emplace(scan, static_cast<std::uint32_t>(all.size()));
    all.push_back(scan);
  }
  if (all.size() == kept.scans.size()) return true;
  if (DistanceTables::entries_needed(all, LargeTables::none) > DistanceTables::max_entries) {
    return false;
  }
  // While the lock is held, this thread must take up no task that may wait for it.
  tbb::this_task_arena::isolate(
      [&] { kept.tables = DistanceTables(all, convention, kept.tables); });
  kept.scans = std::move(all);
  kept.number = std::move(number);
  return true;
}

// No lock is held while tables are made, which may take minutes: two threads that ask for the same
// one at the same time both make it, and one of the two is kept.
DistanceTables KeptTables::get_large(const GraphStore& graphs, std::span<const Scan* const> scans,
                                     const Convention& convention) {
  const Key key{convention.distance, convention.threshold};
  std::vector<const Scan*> missing;
  {
    const std::lock_guard lock(mutex_);
    const KeptLarge& kept = large_(key);
    for (const Scan* scan : scans) {
      if (!kept.contains(scan) && std::ranges::find(missing, scan) == missing.end())
        missing.push_back(scan);
    }
    if (!has_room(kept, graphs, missing)) return {scans, convention, LargeTables::all};
  }
  for (const Scan* scan : missing) {
    keep(graphs, *scan, convention, DistanceTables({&scan, 1}, convention, LargeTables::all));
  }
  const std::lock_guard lock(mutex_);
  KeptLarge& kept = large_(key);
  const bool has_all =
      std::ranges::all_of(scans, [&](const Scan* scan) { return kept.contains(scan); });
  return has_all ? joined(kept, scans) : DistanceTables(scans, convention, LargeTables::all);
}

bool KeptTables::has_room(const KeptLarge& kept, const GraphStore& graphs,
                          std::span<const Scan* const> added) {
  for (const Scan* scan : added) {
    if (!graphs.state().has(*scan)) return false;
  }
  std::size_t entries = DistanceTables::entries_needed(added, LargeTables::all);
  for (const auto& [other, tables] : kept) entries += tables.entries_of(0);
  return entries <= DistanceTables::max_entries;
}

// Scans whose tables lie in several arrays share one from then on, with all others that are kept:
// so each table is copied once for each scan that comes later, and no array is kept for a part.
DistanceTables KeptTables::joined(KeptLarge& kept, std::span<const Scan* const> scans) {
  const float* const first = kept.at(scans.front()).distance();
  const bool is_one_array =
      std::ranges::all_of(scans, [&](const Scan* s) { return kept.at(s).distance() == first; });
  if (!is_one_array) {
    std::vector<DistanceTables> parts;
    for (const auto& [scan, tables] : kept) parts.push_back(tables);
    const DistanceTables all = DistanceTables::joined(parts);
    std::uint32_t number[] = {0};
    for (auto& [scan, tables] : kept) {
      tables = DistanceTables(all, number);
      ++number[0];
    }
  }
  std::vector<DistanceTables> wanted;
  for (const Scan* scan : scans) wanted.push_back(kept.at(scan));
  return DistanceTables::joined(wanted);
}

std::optional<DistanceTables> KeptTables::find(const Scan& scan, const Convention& convention) {
  const std::lock_guard lock(mutex_);
  const KeptLarge* const kept = large_.find({convention.distance, convention.threshold});
  if (kept == nullptr) return std::nullopt;
  const auto place = kept->find(&scan);
  if (place == kept->end()) return std::nullopt;
  return place->second;
}

DistanceTables KeptTables::keep(const GraphStore& graphs, const Scan& scan,
                                const Convention& convention, DistanceTables made) {
  const std::lock_guard lock(mutex_);
  KeptLarge& kept = large_({convention.distance, convention.threshold});
  if (const auto place = kept.find(&scan); place != kept.end()) return place->second;
  const Scan* const added = &scan;
  if (has_room(kept, graphs, {&added, 1})) kept.emplace(&scan, made);
  return made;
}

}  // namespace warpath::batch
